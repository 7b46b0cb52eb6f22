// SPDX-License-Identifier: MIT
#include "worker/host_copies.h"

#include <algorithm>

#include "worker/device.h"

namespace worker {

std::byte* HostCopies::make(std::uint64_t offset) {
  const auto region = std::ranges::find(regions_, offset, &wire::Region::offset_bytes);
  if (region == regions_.end()) throw BadRequest("no buffer begins there");
  Copy& copy = copies_.emplace_back(
      Copy{d_arena_ + offset - wire::kGuardBytes,
           std::vector<std::byte>(region->size_bytes + 2 * wire::kGuardBytes)});
  read_arena(copy.d_begin, copy.h_bytes.data(), copy.h_bytes.size());
  return copy.h_bytes.data() + wire::kGuardBytes;
}

void HostCopies::give_back() {
  for (const Copy& copy : copies_) {
    write_arena(copy.d_begin, copy.h_bytes.data(), copy.h_bytes.size());
  }
}

}  // namespace worker
