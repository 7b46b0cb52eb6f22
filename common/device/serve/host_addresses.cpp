// SPDX-License-Identifier: MIT
// Memory of the device that the host has at addresses of its own: __managed__ variables, and what
// it has registered.
#include <algorithm>

#include "memory/book.h"
#include "memory/page.h"
#include "serve/cuda_errors.h"
#include "serve/device.h"

namespace serve {
namespace {

constexpr std::size_t kMaxHostVariables = 1000;  // each access of a kernel looks through them

// Neither the device's memory nor a window of kernels.
bool is_plausible(const run::HostVariable& one) {
  constexpr std::uint64_t kEndOfAddresses = std::uint64_t{1} << 47;  // that a host can have
  return one.host != 0 && one.size_bytes < kEndOfAddresses &&
         one.host < kEndOfAddresses - one.size_bytes &&
         (one.host + one.size_bytes < memory::kParamBase ||
          one.host >= memory::kDeviceBase + memory::kDeviceRangeBytes);
}

bool overlap(const run::HostVariable& one, const run::HostVariable& other) {
  return one.host < other.host + other.size_bytes && other.host < one.host + one.size_bytes;
}

}  // namespace

int Device::handle(const ShareVariable& command, Nothing&, Call&) {
  const memory::Allocation* const found = memory::find(command.device);
  if (!managed_variables_.contains(command.device) || found == nullptr ||
      found->base != command.device) {
    return kInvalidSymbol;
  }
  // Up to the last page's end, so that an access behind the variable is recognised as such.
  const run::HostVariable shared{command.host, command.device,
                                 memory::round_up(found->size_bytes, memory::kManagedAlignment)};
  const bool is_there = std::ranges::any_of(
      host_variables_, [&](const run::HostVariable& other) { return overlap(shared, other); });
  if (!is_plausible(shared) || host_variables_.size() == kMaxHostVariables || is_there) {
    return kInvalidValue;
  }
  host_variables_.push_back(shared);
  return kSuccess;
}

// Whole pages, for the same reason. Pieces of memory may share a page, but no byte.
int Device::handle(const Register& command, Register::Result& result, Call& call) {
  run::HostVariable pages{memory::page_below(command.host), 0, 0};
  if (!is_plausible({pages.host, 0, command.size_bytes + 2 * memory::page_bytes()}) ||
      command.size_bytes == 0) {
    return kInvalidValue;
  }
  pages.size_bytes = memory::page_above(command.host + command.size_bytes) - pages.host;
  std::uint64_t wanted = 0;
  for (const run::HostVariable& other : host_variables_) {
    if (!overlap(pages, other)) continue;
    const std::uint64_t there = other.device + (command.host - other.host);
    if (managed_variables_.contains(other.device) || (wanted != 0 && wanted != there)) {
      return call.explain(
          kNotSupported,
          "cudaHostRegister (the memory shares its first and its last page with "
          "other memory that is registered: align it to pages, or register it first)");
    }
    wanted = there;
  }
  if (host_variables_.size() == kMaxHostVariables) return kMemoryAllocation;
  result.address =
      memory::register_host(command.host, command.size_bytes, wanted, host_place(command.at));
  if (result.address == 0) return call.explain(kMemoryAllocation, "cudaHostRegister");
  pages.device = memory::page_below(result.address);
  host_variables_.push_back(pages);
  note_pinned(command.at, command.size_bytes);
  return kSuccess;
}

int Device::handle(const Unregister& command, Nothing&, Call&) {
  if (waiting_ != nullptr) return kNotReady;
  streams().host_waits_for_all();
  const memory::Allocation* const found = memory::find(command.address);
  if (found == nullptr || found->base != command.address) return kHostMemoryNotRegistered;
  const std::uint64_t device = memory::page_below(found->base);
  const std::uint64_t size_bytes = memory::page_above(found->end()) - device;
  const std::uint64_t pinned_bytes = found->size_bytes;
  if (!memory::unregister_host(command.address, host_place(command.at))) {
    return kHostMemoryNotRegistered;
  }
  const auto which = std::ranges::find_if(host_variables_, [&](const run::HostVariable& one) {
    return one.device == device && one.size_bytes == size_bytes;
  });
  host_variables_.erase(which);  // it was there, as its memory was
  pinned_bytes_ -= std::min(pinned_bytes_, pinned_bytes);
  return kSuccess;
}

}  // namespace serve
