// SPDX-License-Identifier: MIT
// Freeing what cannot be freed, in words. The API's error code says no more than "invalid
// argument".
#include "free_report.h"

#include <string>

#include "simt/call_stack.h"
#include "simt/memory.h"

namespace simt::internal {
namespace {

std::string origin(const CallStack& stack, const char* verb) {
  const std::string line = program_line_name(stack);
  return line.empty() ? "" : std::string(", ") + verb + " in " + line;
}

std::string what_is_wrong(const void* pointer, const Allocation* nearest) {
  if (nearest == nullptr || !nearest->contains(pointer)) {
    return is_device_address(pointer)
               ? "an address of the device where nothing is allocated"
               : "a pointer that no cudaMalloc returned: memory of the host, or a variable";
  }
  const std::string name = nearest->name + " (" + std::to_string(nearest->size_bytes) + " bytes" +
                           origin(nearest->made_by, "allocated") + ")";
  if (!nearest->live) {
    const std::string line = program_line_name(nearest->freed_by);
    return name + ", which has been freed already" + (line.empty() ? "" : " in " + line);
  }
  const auto offset = static_cast<const std::byte*>(pointer) - nearest->base;
  if (offset != 0) {
    return "a pointer " + std::to_string(offset) + " bytes into " + name +
           ": it needs the pointer that the allocation returned";
  }
  switch (nearest->kind) {
    case Allocation::Kind::kDevice:
    case Allocation::Kind::kManaged:
      return name + ", which cudaFree must free";
    case Allocation::Kind::kPinnedHost:
      return name + ", which is pinned memory of the host: cudaFreeHost frees it";
    case Allocation::Kind::kDeviceHeap:
      return name + ", which a kernel allocated: a kernel must free it";
    case Allocation::Kind::kSymbol:
      return name + ", which lives as long as the program";
    default:
      return name + ", which belongs to the caller";
  }
}

}  // namespace

std::string describe_bad_free(const void* pointer, const char* function) {
  return std::string(function) + " of " + what_is_wrong(pointer, find_allocation(pointer));
}

}  // namespace simt::internal
