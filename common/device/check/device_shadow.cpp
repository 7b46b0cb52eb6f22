// SPDX-License-Identifier: MIT
#include "check/device_shadow.h"

#include <algorithm>

namespace check {
namespace {

using memory::kDeviceBase;
using memory::kDeviceRangeBytes;

constexpr std::size_t kNumRecords = skewed(kDeviceRangeBytes / kGranuleBytes) + 1;

// From this size on an allocation and its records get large pages.
constexpr std::uint64_t kLargeBytes = std::uint64_t{1} << 20;

}  // namespace

DeviceShadow::DeviceShadow()
    : records_(kNumRecords * sizeof(Record)),
      digests_(kNumRecords * sizeof(Digest)),
      flags_(ByteFlags::storage_bytes(kDeviceRangeBytes)) {
  shadow_ = {kDeviceBase,
             records_.as<Record>(),
             digests_.as<Digest>(),
             {kDeviceBase, flags_.as<std::uint8_t>()}};
}

template <class Visit>
void DeviceShadow::for_each_granule(std::uint64_t address, std::uint64_t size_bytes,
                                    Visit visit) const {
  if (size_bytes == 0) return;
  const std::uint64_t first = (address - kDeviceBase) / kGranuleBytes;
  const std::uint64_t last = (address + size_bytes - 1 - kDeviceBase) / kGranuleBytes;
  for (std::uint64_t granule = first; granule <= last; ++granule) visit(skewed(granule));
}

// Memory behind the records about [address, address + size_bytes), and a little beyond: flags are
// read eight bytes at a time.
void DeviceShadow::make_room(std::uint64_t address, std::uint64_t size_bytes) {
  const std::uint64_t first = (address - kDeviceBase) / kChunkBytes;
  const std::uint64_t last = (address - kDeviceBase + size_bytes) / kChunkBytes;
  for (std::uint64_t chunk = first; chunk <= last && chunk < has_room_.size(); ++chunk) {
    if (has_room_[chunk]) continue;
    has_room_[chunk] = true;
    const std::size_t begin = skewed(chunk * kChunkBytes / kGranuleBytes);
    const std::size_t end = skewed((chunk + 1) * kChunkBytes / kGranuleBytes) + 1;
    flags_.commit(flags_.as<std::uint8_t>() + chunk * kChunkBytes / 8,
                  ByteFlags::storage_bytes(kChunkBytes));
    records_.commit(shadow_.records + begin, (end - begin) * sizeof(Record));
    digests_.commit(shadow_.digests + begin, (end - begin) * sizeof(Digest));
  }
}

void DeviceShadow::clear_flags(std::uint64_t address, std::uint64_t size_bytes) {
  const std::uint64_t whole = size_bytes / 8 * 8;  // allocations begin at a multiple of 8
  clear_pages(flags_.as<std::uint8_t>() + (address - kDeviceBase) / 8, whole / 8);
  shadow_.written.clear(address + whole, size_bytes - whole);
  for_each_granule(address, size_bytes, [this](std::size_t granule) {
    Digest& digest = shadow_.digests[granule];
    if (digest.is_written) digest.is_written = false;  // a page that is only read takes no memory
  });
}

void DeviceShadow::begin(const memory::Allocation& allocation, bool initialised) {
  if (!memory::is_device(allocation.base)) return;
  make_room(allocation.base, allocation.size_bytes);
  if (allocation.size_bytes >= kLargeBytes) {
    const std::size_t first = shadow_.granule_of(allocation.base);
    const std::size_t last = shadow_.granule_of(allocation.end() - 1);
    expect_use(reinterpret_cast<void*>(allocation.base), allocation.size_bytes);
    expect_use(shadow_.records + first, (last - first) * sizeof(Record));
    expect_use(shadow_.digests + first, (last - first) * sizeof(Digest));
  }
  if (initialised && allocation.kind != memory::Allocation::Kind::kConstant) {
    shadow_.written.set(allocation.base, allocation.size_bytes);
  } else {
    clear_flags(allocation.base, allocation.size_bytes);
  }
}

void DeviceShadow::end(const memory::Allocation& allocation) {
  if (!memory::is_device(allocation.base)) return;
  if (allocation.size_bytes >= kLargeBytes) {
    const std::size_t first = shadow_.granule_of(allocation.base);
    const std::size_t count = shadow_.granule_of(allocation.end() - 1) + 1 - first;
    clear_pages(shadow_.digests + first, count * sizeof(Digest));
    clear_pages(shadow_.records + first, count * sizeof(Record));
    clear_flags(allocation.base, allocation.size_bytes);
    return;
  }
  clear_flags(allocation.base, allocation.size_bytes);
  for_each_granule(allocation.base, allocation.size_bytes, [this](std::size_t granule) {
    Digest& digest = shadow_.digests[granule];
    if (digest.kept == Kept::kNothing) return;
    if (digest.kept == Kept::kRecord) shadow_.records[granule] = {};
    digest = {};
  });
}

void DeviceShadow::set_written(std::uint64_t address, std::uint64_t size_bytes) {
  const memory::Allocation* const found = memory::find(address);
  if (found != nullptr && found->kind == memory::Allocation::Kind::kConstant) return;
  shadow_.written.set(address, size_bytes);
}

void DeviceShadow::copy_written(std::uint64_t to, std::uint64_t from, std::uint64_t size_bytes) {
  const bool was_written = shadow_.written.all(from, size_bytes);
  shadow_.written.copy(to, from, size_bytes);
  if (was_written) return;
  for_each_granule(to, size_bytes,
                   [this](std::size_t granule) { shadow_.digests[granule].is_written = false; });
}

std::optional<Earlier> DeviceShadow::find(std::uint64_t begin, std::uint64_t end,
                                          std::uint32_t first_block, std::uint32_t end_block,
                                          Interest interest) const {
  const auto is_theirs = [&](Stamp stamp) {
    return ordinal_of(stamp) >= first_block && ordinal_of(stamp) < end_block;
  };
  for (std::uint64_t at = begin; at < end; at = at / kWordBytes * kWordBytes + kWordBytes) {
    const std::size_t granule = shadow_.granule_of(at);
    if (shadow_.digests[granule].kept == Kept::kNothing) {
      at = at / kGranuleBytes * kGranuleBytes + kGranuleBytes - kWordBytes;
      continue;
    }
    const Record& record = shadow_.record(granule);
    const std::uint32_t word = Shadow::word_of(at);
    if (is_theirs(record.write[word])) {
      return Earlier{record.write[word], record.write_id[word], true};
    }
    if (interest == Interest::kWrites) continue;
    for (int slot = 0; slot < 2; ++slot) {
      if (is_theirs(record.reads[slot][word])) {
        return Earlier{record.reads[slot][word], record.read_ids[slot][word], false};
      }
    }
  }
  return std::nullopt;
}

void DeviceShadow::forget_all() {
  records_.discard();
  digests_.discard();
}

}  // namespace check
