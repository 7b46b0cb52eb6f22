// SPDX-License-Identifier: MIT
#include "check/copy_unwritten.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>

#include "program/address.h"
#include "report/words.h"
#include "simt/call_stack.h"
#include "simt/finding.h"
#include "simt/memory.h"

namespace simt::device {
namespace {

// Fewer bytes may be the padding of structs.
constexpr std::size_t kPartBytes = 32;

// Not recorded as written, and with fresh memory's contents.
bool is_fresh(const ByteFlags& written, std::uintptr_t address, std::size_t size_bytes) {
  if (!written.none(address, size_bytes)) return false;
  for (std::size_t i = 0; i + sizeof kPoisonWord <= size_bytes; i += sizeof kPoisonWord) {
    if (std::memcmp(reinterpret_cast<const void*>(address + i), &kPoisonWord, sizeof kPoisonWord) !=
        0) {
      return false;
    }
  }
  return true;
}

}  // namespace

void check_copy_to_host(const ByteFlags& written, const void* p, std::size_t size_bytes) {
  const std::uintptr_t begin = number(p);
  std::size_t offset = 0;
  while (offset < size_bytes) {
    const std::size_t part = std::min(kPartBytes, size_bytes - offset);
    if (is_fresh(written, begin + offset, part)) break;
    offset += part;
  }
  if (offset >= size_bytes) return;
  const Allocation* const allocation = find_allocation(p);
  const SourcePlace place = program_place(capture_call_stack());
  const std::string name = allocation == nullptr ? "device memory" : allocation->name;
  report(
      {FindingKind::kUninitializedRead, place.file, place.line, "",
       "this copy to the host reads byte " + std::to_string(offset) + " of its " +
           bytes(size_bytes) + " (" + name +
           "), which neither a kernel nor a copy has written: does the launch cover all items?"});
}

}  // namespace simt::device
