// SPDX-License-Identifier: MIT
#include "run/host_variables.h"

#include <algorithm>

namespace run {

bool HostVariables::overlaps(std::uint64_t begin, std::uint64_t size_bytes) const {
  return std::ranges::any_of(all_, [&](const HostVariable& one) {
    return begin < one.host + one.size_bytes && one.host < begin + size_bytes;
  });
}

void HostVariables::translate(Access& access) const {
  bool is_changed = false;
  for_each_lane(access.lanes, [&](int lane) {
    std::uint64_t& address = access.address[static_cast<std::size_t>(lane)];
    if (memory::is_device(address)) return;
    for (const HostVariable& one : all_) {
      if (address - one.host >= one.size_bytes) continue;
      address = one.device + (address - one.host);
      is_changed = true;
      return;
    }
  });
  if (is_changed) classify(access);
}

}  // namespace run
