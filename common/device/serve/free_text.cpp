// SPDX-License-Identifier: MIT
// Freeing what cannot be freed, in words. The API's error code says no more than "invalid
// argument".
#include <string>

#include "memory/book.h"
#include "report/words.h"
#include "serve/device.h"

namespace serve {
namespace {

std::string origin(const memory::HostPlace& place, const char* verb) {
  const std::string line = report::full_line_name({place.file, place.line});
  return line.empty() ? "" : std::string(", ") + verb + " in " + line;
}

std::string what_is_wrong(std::uint64_t address, const memory::Allocation* nearest) {
  using MemoryKind = memory::Allocation::Kind;
  if (nearest == nullptr || !nearest->contains(address)) {
    return memory::is_device(address)
               ? "an address of the device where nothing is allocated"
               : "a pointer that no cudaMalloc returned: memory of the host, or a variable";
  }
  const std::string name = nearest->name + " (" + report::bytes(nearest->size_bytes) +
                           origin(nearest->made_at, "allocated") + ")";
  if (!nearest->live) {
    const std::string line =
        report::full_line_name({nearest->freed_at.file, nearest->freed_at.line});
    return name + ", which has been freed already" + (line.empty() ? "" : " in " + line);
  }
  if (const std::uint64_t offset = address - nearest->base; offset != 0) {
    return "a pointer " + report::bytes(offset) + " into " + name +
           ": it needs the pointer that the allocation returned";
  }
  switch (nearest->kind) {
    case MemoryKind::kDevice:
    case MemoryKind::kManaged:
      return name + ", which cudaFree must free";
    case MemoryKind::kPinnedHost:
      return name + ", which is pinned memory of the host: cudaFreeHost frees it";
    case MemoryKind::kDeviceHeap:
      return name + ", which a kernel allocated: a kernel must free it";
    case MemoryKind::kSymbol:
    case MemoryKind::kConstant:
      return name + ", which lives as long as the program";
    default:
      return name + ", which belongs to the caller";
  }
}

}  // namespace

std::string describe_bad_free(std::uint64_t address, const char* function) {
  return std::string(function) + " of " + what_is_wrong(address, memory::find(address));
}

}  // namespace serve
