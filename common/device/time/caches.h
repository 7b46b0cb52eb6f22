// SPDX-License-Identifier: MIT
// What becomes of a request past the counters: which sectors a multiprocessor's cache has, how much
// of memory a launch touches, and which word most atomic operations meet at.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace timing {

// A block's share of its multiprocessor's first cache: four ways, the least recently used one goes.
class BlockCache {
 public:
  void start(std::uint64_t size_sectors) {
    tags_.assign(std::bit_floor(std::max<std::uint64_t>(size_sectors, kWays)), 0);
  }
  bool reads(std::uint64_t sector) {  // whether it was there; now it is
    const std::size_t set = (sector & (tags_.size() / kWays - 1)) * kWays;
    const auto begin = tags_.begin() + static_cast<std::ptrdiff_t>(set);
    const auto end = begin + kWays;
    const auto found = std::find(begin, end, sector);
    std::rotate(begin, found == end ? end - 1 : found, found == end ? end : found + 1);
    *begin = sector;
    return found != end;
  }

 private:
  static constexpr std::size_t kWays = 4;
  std::vector<std::uint64_t> tags_;
};

// Numbers, each counted once.
class Distinct {
 public:
  void clear() { words_.clear(); }
  bool add(std::uint64_t number) {  // whether it is new
    std::uint64_t& word = words_[number / 64];
    const std::uint64_t bit = std::uint64_t{1} << (number % 64);
    const bool is_new = (word & bit) == 0;
    word |= bit;
    return is_new;
  }

 private:
  std::unordered_map<std::uint64_t, std::uint64_t> words_;
};

}  // namespace timing
