// SPDX-License-Identifier: MIT
// A path's length in two parts, because the latency of memory depends on the device.
#pragma once

#include <cstdint>

namespace timing {

// Cycles on the multiprocessor, and loads from global memory that wait for each other.
struct Path {
  std::int64_t cycles = 0;
  std::int64_t loads = 0;

  static constexpr std::int64_t kNominalLoadCycles = 600;  // to compare paths
  constexpr std::int64_t length() const { return cycles + kNominalLoadCycles * loads; }

  constexpr Path& operator+=(const Path& more) {
    cycles += more.cycles;
    loads += more.loads;
    return *this;
  }
  constexpr Path& operator-=(const Path& less) {
    cycles -= less.cycles;
    loads -= less.loads;
    return *this;
  }
  friend constexpr Path operator+(Path a, const Path& b) { return a += b; }
  friend constexpr Path operator-(Path a, const Path& b) { return a -= b; }
  friend constexpr Path operator*(std::int64_t times, const Path& path) {
    return {times * path.cycles, times * path.loads};
  }
  friend constexpr bool operator==(const Path&, const Path&) = default;
  friend constexpr bool operator<(const Path& a, const Path& b) { return a.length() < b.length(); }
};

constexpr const Path& longer(const Path& a, const Path& b) { return a < b ? b : a; }

}  // namespace timing
