// SPDX-License-Identifier: MIT
#include "check/copy_unwritten.h"

#include <algorithm>
#include <utility>

#include "check/findings.h"
#include "report/memory_text.h"

namespace check {
namespace {

// Fewer bytes may be the padding of structs.
constexpr std::uint64_t kPartBytes = 32;

}  // namespace

void check_copy_to_host(const ByteFlags& written, std::uint64_t address, std::uint64_t size_bytes,
                        const memory::HostPlace& at) {
  const memory::Allocation* const allocation = memory::find(address);
  if (allocation != nullptr && allocation->kind == memory::Allocation::Kind::kConstant) return;
  std::uint64_t offset = 0;
  while (offset < size_bytes) {
    const std::uint64_t part = std::min(kPartBytes, size_bytes - offset);
    if (written.none(address + offset, part)) break;
    offset += part;
  }
  if (offset >= size_bytes) return;
  report::Place place = place_of(at);
  const std::string name = allocation == nullptr ? "device memory" : allocation->name;
  report::report({report::Kind::kUninitializedRead, std::move(place.file), place.line, "",
                  report::copy_unwritten_text(offset, size_bytes, name)});
}

}  // namespace check
