// SPDX-License-Identifier: MIT
// What a model of time needs to know of launches.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "run/warp.h"
#include "time/path.h"

namespace timing {

enum class Feature : std::uint8_t {
#define DEVICE_FEATURE(constant, name) constant,
#include "time/features.inc"
  kEnd
};
inline constexpr std::size_t kNumFeatures = std::size_t(Feature::kEnd);

constexpr const char* name_of(Feature feature) {
  constexpr const char* kNames[] = {
#define DEVICE_FEATURE(constant, name) name,
#include "time/features.inc"
  };
  return kNames[std::size_t(feature)];
}

class Features {
 public:
  std::uint64_t operator[](Feature feature) const { return values_[std::size_t(feature)]; }
  std::uint64_t& operator[](Feature feature) { return values_[std::size_t(feature)]; }

 private:
  std::array<std::uint64_t, kNumFeatures> values_ = {};
};

// What a source line costs the warps that execute it.
struct LineCost {
  std::string file;        // without folders; empty if unknown
  std::uint32_t line = 0;  // 0 if unknown
  std::uint64_t issued = 0;
  Path path;  // that it adds to the time of warps: its own slots, and waits for its results
};

// Launches of one kernel that differ only in their arguments. Copies and fills have an empty grid.
struct Shape {
  std::string kernel;
  run::Dim grid, block;
  std::uint64_t shared_bytes = 0;  // of a block, static and dynamic
  Features features;
  std::vector<LineCost> lines;  // by file and line
};

}  // namespace timing
