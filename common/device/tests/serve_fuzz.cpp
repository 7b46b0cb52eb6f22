// SPDX-License-Identifier: MIT
// Fuzzes what a device process takes from its worker: the decoder, and the boxes of copies, whose
// sizes decide which memory is touched. Built by .ci/fuzz. serve_device_test.cpp sends rubbish to
// the device behind them.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <type_traits>
#include <variant>

#include "serve/box.h"
#include "serve/decode.h"

namespace {

// All parts of rows lie within the reach of the box, and are as many bytes as it has.
void check_box(const serve::Box& box, const serve::Extent& extent) {
  constexpr std::uint64_t kMost = 1 << 16;
  if (serve::is_empty(extent)) return;
  const auto all = serve::dense_bytes(extent);
  const auto far = serve::reach(box, extent);
  if (!all || !far || *all > kMost || extent.width > box.pitch) return;
  std::uint64_t next = 0;
  serve::for_rows(box, extent, 0, *all,
                  [&](std::uint64_t address, std::uint64_t dense, std::uint64_t size) {
                    if (dense != next || address - box.base > *far) std::abort();
                    if (size > *far - (address - box.base)) std::abort();
                    next += size;
                  });
  if (next != *all) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const auto decoded = serve::decode({reinterpret_cast<const std::byte*>(bytes), size});
  if (!decoded) return 0;
  if (decoded->tail.size() > size) std::abort();
  std::visit(
      [](const auto& command) {
        using Command = std::decay_t<decltype(command)>;
        if constexpr (std::is_same_v<Command, serve::Copy>) {
          check_box(command.to, command.extent);
          check_box(command.from, command.extent);
        } else if constexpr (std::is_same_v<Command, serve::Fill>) {
          check_box(command.to, command.extent);
        }
      },
      decoded->command);
  return 0;
}
