// SPDX-License-Identifier: MIT
#include "protocol/arena.h"

#include <algorithm>
#include <stdexcept>

namespace judge {
namespace {

constexpr std::size_t kAlignment = 256;  // bytes, as every contract promises

// Distances are given in words: an item may contain bytes equal to the poison.
constexpr std::ptrdiff_t kWordBytes = 4;

std::size_t round_up(std::size_t size) { return (size + kAlignment - 1) / kAlignment * kAlignment; }

}  // namespace

void Arena::reset(std::size_t spacing_bytes) {
  used_bytes_ = 0;
  spacing_bytes_ = round_up(spacing_bytes);
  regions_.clear();
}

std::size_t Arena::allocate(const std::string& name, std::size_t size_bytes) {
  const std::size_t offset = used_bytes_ + kGuardBytes;
  const std::size_t end = offset + round_up(size_bytes) + kGuardBytes;
  if (end > memory_.size_bytes()) throw std::runtime_error("the judge's arena is used up");
  memory_.fill(used_bytes_, kPoisonByte, end - used_bytes_);
  used_bytes_ = end + spacing_bytes_;  // no page of it is touched
  regions_.push_back({name, offset, size_bytes, 0});
  return offset;
}

void Arena::mark_initialized(std::size_t offset) {
  for (wire::Region& region : regions_) {
    if (region.offset_bytes == offset) region.initialized = 1;
  }
}

std::size_t Arena::data_bytes() const {
  std::size_t bytes = 0;
  for (const wire::Region& region : regions_) bytes += region.size_bytes;
  return bytes;
}

std::optional<std::string> Arena::find_trespass() const {
  // The zone after a buffer includes the padding to the next aligned address.
  for (const wire::Region& region : regions_) {
    const std::size_t end = region.offset_bytes + region.size_bytes;
    std::vector<unsigned char> zone(round_up(region.size_bytes) - region.size_bytes + kGuardBytes);
    memory_.read(end, zone.data(), zone.size());
    const auto past = std::ranges::find_if(zone, [](auto byte) { return byte != kPoisonByte; });
    if (past != zone.end()) {
      const auto distance = (past - zone.begin()) / kWordBytes * kWordBytes;
      const std::string where = distance == 0 ? "right" : std::to_string(distance) + " bytes";
      return "wrote " + where + " past the end of " + region.name + " (" +
             std::to_string(region.size_bytes) + " bytes)";
    }
    zone.resize(kGuardBytes);
    memory_.read(region.offset_bytes - kGuardBytes, zone.data(), zone.size());
    const auto before = std::ranges::find_if(zone, [](auto byte) { return byte != kPoisonByte; });
    if (before != zone.end()) {
      const auto distance = (zone.end() - before + kWordBytes - 1) / kWordBytes * kWordBytes;
      return "wrote " + std::to_string(distance) + " bytes before the start of " + region.name;
    }
  }
  return std::nullopt;
}

}  // namespace judge
