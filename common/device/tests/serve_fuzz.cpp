// SPDX-License-Identifier: MIT
// Fuzzes what a device process takes from its worker: a device carries out the commands of an
// input, one after another. Built by .ci/fuzz.
//
// A command is its length, a byte, its kind, a byte, and the rest as it is sent; but a word of 8
// bytes that begins with 0xa5 stands for an address that the device has given, as no worker has to
// guess one.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <span>
#include <type_traits>
#include <variant>
#include <vector>

#include "memory/book.h"
#include "report/finding.h"
#include "serve/box.h"
#include "serve/decode.h"
#include "serve/device.h"
#include "serve/ring.h"
#include "tests/serve_kernels.h"

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
  memory::reserve();
  static std::vector<std::byte> data(serve::kDataBytes);
  static std::vector<std::byte> printed(serve::kPrintedBytes);
  static serve::Device* const device = [] {  // one, as its variables get new room each time
    auto* const made = new serve::Device(true);
    made->load(serve_test::kKernels);
    return made;
  }();
  std::vector<std::uint64_t> known = {memory::kDeviceBase,
                                      memory::kDeviceBase + memory::kDeviceRangeBytes};
  std::span<const std::uint8_t> rest(bytes, size);
  while (rest.size() > 2) {
    const std::size_t length = std::min<std::size_t>(rest[0], rest.size() - 2);
    std::vector<std::byte> command(4 + length);
    command[0] = static_cast<std::byte>(rest[1]);
    std::memcpy(command.data() + 4, rest.data() + 2, length);
    rest = rest.subspan(2 + length);
    for (std::size_t at = 4; at + 8 <= command.size(); at += 4) {
      std::uint64_t word = 0;
      std::memcpy(&word, command.data() + at, sizeof word);
      if ((word & 0xff) != 0xa5) continue;
      word = known[(word >> 8 & 0xff) % known.size()] + (word >> 16 & 0xffff);
      std::memcpy(command.data() + at, &word, sizeof word);
    }
    const auto decoded = serve::decode(command);
    if (!decoded) continue;
    if (decoded->tail.size() > command.size()) std::abort();
    std::visit(
        [](const auto& one) {
          using Command = std::decay_t<decltype(one)>;
          if constexpr (std::is_same_v<Command, serve::Copy>) {
            check_box(one.to, one.extent);
            check_box(one.from, one.extent);
          } else if constexpr (std::is_same_v<Command, serve::Fill>) {
            check_box(one.to, one.extent);
          }
        },
        decoded->command);
    try {
      const serve::Answered answered = device->act(*decoded, data, printed);
      if (std::holds_alternative<serve::Allocate>(decoded->command)) {
        std::uint64_t address = 0;
        std::memcpy(&address, answered.result.data(), sizeof address);
        if (address != 0) known.push_back(address);
      }
    } catch (const std::exception&) {  // the server answers with it
    }
  }
  device->finish();
  device->act({serve::Reset{}, {}}, data, printed);
  report::take_findings();
  return 0;
}
