// SPDX-License-Identifier: MIT
// Fuzzes what a device process takes from its worker: the decoder, and the device behind it. An
// input is a sequence of commands, each behind its length. Built by .ci/fuzz.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "memory/book.h"
#include "report/finding.h"
#include "serve/decode.h"
#include "serve/device.h"
#include "serve/ring.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static std::vector<std::byte> data(serve::kDataBytes);
  static std::vector<std::byte> printed(serve::kPrintedBytes);
  memory::reserve();
  {
    serve::Device device(true);
    std::span<const std::uint8_t> rest(bytes, size);
    while (rest.size() >= 2) {
      const std::size_t length = std::min<std::size_t>(rest[0] + 256U * rest[1], rest.size() - 2);
      const auto* const begin = reinterpret_cast<const std::byte*>(rest.data() + 2);
      if (const auto decoded = serve::decode({begin, length})) {
        device.act(*decoded, data, printed);
      }
      rest = rest.subspan(2 + length);
    }
    device.finish();
  }
  memory::release_all();
  report::take_findings();
  return 0;
}
