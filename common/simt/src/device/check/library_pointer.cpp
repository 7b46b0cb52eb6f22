// SPDX-License-Identifier: MIT
#include "simt/library_pointer.h"

#include <string>

#include "check/memory_check.h"
#include "program/address.h"
#include "program/device_variables.h"
#include "report/memory_text.h"
#include "report/report_at.h"
#include "run/device_lock.h"
#include "run/untraced.h"
#include "simt/checks.h"
#include "simt/error_state.h"
#include "simt/memory.h"

namespace simt {
namespace {

const Allocation* live_allocation(std::uintptr_t address) {
  const void* const place = reinterpret_cast<const void*>(address);
  const Allocation* const found = find_allocation(place);
  return found != nullptr && found->live && found->contains(place) ? found : nullptr;
}

bool is_for_device_alone(std::uintptr_t address) {
  if (!is_device_address(reinterpret_cast<const void*>(address))) return false;
  const Allocation* const found = live_allocation(address);
  return found != nullptr && !found->host_accessible();
}

bool is_for_host_alone(std::uintptr_t address) {
  if (address == 0 || is_device_address(reinterpret_cast<const void*>(address))) return false;
  const std::uintptr_t begin = device::number(&__executable_start);
  if (address - begin < device::number(&_end) - begin) {
    return device::owner_of_variable(address) == device::Owner::kHost;
  }
  // Else registered by cudaHostRegister. A range in reverse begins at its end.
  return live_allocation(address) == nullptr && live_allocation(address - 1) == nullptr;
}

void report_pointer(const void* pc, const std::string& message) {
  set_sticky_error(cudaErrorIllegalAddress);
  const SourcePlace where = device::place_in_host_code(pc);
  report({FindingKind::kHostPointer, where.file, where.line, "", message});
}

}  // namespace

void require_device_pointer(const volatile void* pointer, const char* algorithm) {
  const internal::DeviceLock lock;
  const device::Untraced untraced;
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  if (device::checks_made == Checks::kNone || !is_for_host_alone(address)) return;
  report_pointer(__builtin_return_address(0),
                 device::host_memory_for_device_text(algorithm, address));
}

void require_host_pointer(const volatile void* pointer, const char* algorithm) {
  const internal::DeviceLock lock;
  const device::Untraced untraced;
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  if (device::checks_made == Checks::kNone || !is_for_device_alone(address)) return;
  report_pointer(__builtin_return_address(0),
                 device::device_memory_for_host_text(algorithm, *live_allocation(address)));
}

}  // namespace simt
