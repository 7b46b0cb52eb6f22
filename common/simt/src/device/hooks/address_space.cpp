// SPDX-License-Identifier: MIT
#include "simt/address_space.h"

#include <cstdint>

#include "run/running.h"

namespace {

using simt::device::AddressRange;
using simt::device::running;

// Static shared memory begins at the first, dynamic at the second, as addresses of 32 bits. 0 is
// none of them.
constexpr std::size_t kStaticWindow = std::size_t{1} << 24;
constexpr std::size_t kDynamicWindow = std::size_t{1} << 25;
constexpr std::size_t kWindowsEnd = std::size_t{1} << 26;

std::uintptr_t address_of(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

}  // namespace

// An address just past an array's end stays one.
std::size_t __cvta_generic_to_shared(const void* pointer) {
  const std::uintptr_t address = address_of(pointer);
  const std::uintptr_t in_static = address - running.static_shared.low;
  if (in_static < kStaticWindow) return kStaticWindow + in_static;
  const std::uintptr_t in_dynamic = address - running.dynamic_shared.low;
  return in_dynamic < kStaticWindow ? kDynamicWindow + in_dynamic : address;
}

void* __cvta_shared_to_generic(std::size_t address) {
  if (address < kStaticWindow || address >= kWindowsEnd) return reinterpret_cast<void*>(address);
  const bool is_dynamic = address >= kDynamicWindow;
  const AddressRange& memory = is_dynamic ? running.dynamic_shared : running.static_shared;
  return reinterpret_cast<void*>(memory.low + address -
                                 (is_dynamic ? kDynamicWindow : kStaticWindow));
}

unsigned __isShared(const void* pointer) {
  const std::uintptr_t address = address_of(pointer);
  return running.static_shared.contains(address) || running.dynamic_shared.contains(address);
}

unsigned __isLocal(const void* pointer) {
  return running.launch != nullptr && running.is_private(address_of(pointer));
}

unsigned __isGlobal(const void* pointer) {
  return __isShared(pointer) == 0 && __isLocal(pointer) == 0;
}
