// SPDX-License-Identifier: MIT
#include <cstdint>
#include <optional>

#include "program/address.h"
#include "program/device_variables.h"
#include "simt/counters.h"
#include "simt/memory.h"

// The linker's bound of the writable variables.
extern "C" char __data_start;

namespace simt {

std::optional<Counter> exposing_counter(const void* p) {
  const std::uintptr_t address = device::number(p);
  const std::uintptr_t begin = device::number(&__data_start);
  if (address - begin < device::number(&_end) - begin) {
    const device::Owner owner = device::owner_of_variable(address);
    const bool is_devices = owner == device::Owner::kDevice || owner == device::Owner::kConstant;
    return is_devices ? Counter::kVariableBytes : Counter::kHostBytes;
  }
  if (is_device_address(p) && !is_shared_with_host(p)) return std::nullopt;
  return Counter::kHostBytes;
}

}  // namespace simt
