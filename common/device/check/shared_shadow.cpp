// SPDX-License-Identifier: MIT
#include "check/shared_shadow.h"

#include <algorithm>
#include <cstring>

#include "memory/page.h"

namespace check {
namespace {

std::size_t num_records(std::uint32_t size_bytes) {
  return skewed((size_bytes + kGranuleBytes - 1) / kGranuleBytes) + 1;
}

}  // namespace

void SharedShadow::make_room(std::uint32_t size_bytes) {
  if (size_bytes <= capacity_bytes_) return;
  capacity_bytes_ = std::max(size_bytes, 2 * capacity_bytes_);
  const std::size_t records = num_records(capacity_bytes_);
  room_ = std::make_unique<Reserved>(
      records * (sizeof(Record) + sizeof(Digest)) + ByteFlags::storage_bytes(capacity_bytes_),
      Reserved::Use::kWritable);
  auto* const digests = reinterpret_cast<Digest*>(room_->as<Record>() + records);
  auto* const flags = reinterpret_cast<std::uint8_t*>(digests + records);
  shadow_ = {0, room_->as<Record>(), digests, {0, flags}};
}

void SharedShadow::reset(std::uint32_t size_bytes, bool forgets) {
  make_room(size_bytes);
  size_bytes_ = size_bytes;
  if (size_bytes == 0) return;
  const std::size_t records = num_records(size_bytes);
  std::memset(static_cast<void*>(shadow_.digests), 0, records * sizeof(Digest));
  const auto flags = shadow_.written.storage_of(0, memory::round_up(size_bytes, kGranuleBytes));
  std::memset(flags.data(), 0, flags.size());
  // The rest of the last granule is no room of the block, and must not keep it from being known.
  shadow_.written.set(size_bytes, (kGranuleBytes - size_bytes % kGranuleBytes) % kGranuleBytes);
  if (forgets) std::memset(static_cast<void*>(shadow_.records), 0, records * sizeof(Record));
}

void SharedShadow::clear_written(std::uint64_t offset, std::uint64_t size_bytes) {
  shadow_.written.clear(offset, size_bytes);
  for (std::uint64_t at = offset; at < offset + size_bytes;
       at = at / kGranuleBytes * kGranuleBytes + kGranuleBytes) {
    shadow_.digest_of(at).is_written = false;
  }
}

}  // namespace check
