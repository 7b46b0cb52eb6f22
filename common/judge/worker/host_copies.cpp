// SPDX-License-Identifier: MIT
#include "worker/host_copies.h"

#include <algorithm>
#include <cstring>

namespace worker {

std::byte* HostCopies::make(std::uint64_t offset) {
  const auto data = std::ranges::find(data_, offset, &wire::HostData::offset_bytes);
  if (data == data_.end()) throw BadRequest("no host data for a buffer that begins there");
  Copy& copy = copies_.emplace_back(Copy{&*data, std::vector<std::byte>(data->bytes.size())});
  std::memcpy(copy.bytes.data(), data->bytes.data(), copy.bytes.size());
  return copy.bytes.data() + wire::kGuardBytes;
}

void HostCopies::give_back() {
  for (const Copy& copy : copies_) {
    std::memcpy(copy.of->bytes.data(), copy.bytes.data(), copy.bytes.size());
  }
}

}  // namespace worker
