// SPDX-License-Identifier: MIT
// Collects what a model of time needs to know of launches: a monitor. docs/time.md has the model.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "code/program.h"
#include "run/monitor.h"
#include "run/warp.h"
#include "time/caches.h"
#include "time/costs.h"

namespace timing {

enum class Feature : std::uint8_t {
#define DEVICE_FEATURE(constant, name) constant,
#include "time/features.inc"
};
inline constexpr std::size_t kNumFeatures = std::size_t(Feature::kLongestLoads) + 1;
const char* name_of(Feature feature);

// Launches of one kernel that differ only in their arguments.
struct Shape {
  std::string kernel;
  run::Dim grid, block;
  std::uint64_t shared_bytes = 0;  // of a block, static and dynamic
  std::array<std::uint64_t, kNumFeatures> features = {};

  std::uint64_t& operator[](Feature feature) { return features[std::size_t(feature)]; }
};

class Watcher final : public run::Monitor {
 public:
  void set_watching(bool on) { is_watching_ = on; }
  bool is_watching() const { return is_watching_; }
  std::vector<Shape> take();  // since the last call, in order of their first launch

  bool wants_blocks() const override { return true; }
  void launch_begins(run::Launch& launch) override;
  void launch_ends(run::Launch& launch) override;
  void block_starts(run::Block& block) override;
  void block_ends(run::Block& block) override;
  void access(run::Warp& warp, run::Access& access) override;
  void block_meets(run::Block& block, const code::Instruction& instruction) override;
  void multiplies(run::Warp& warp, const code::Instruction& instruction,
                  std::uint64_t multiply_adds) override;
  void copies_committed(run::Warp& warp, std::uint32_t lanes) override;
  void copies_waited(run::Warp& warp, std::uint32_t lanes, std::uint32_t num_left) override;
  void enters_block(run::Warp& warp, const code::Block& block, std::uint32_t lanes) override;

 private:
  struct WarpState {
    Path path;                 // of what it has executed
    bool has_pending = false;  // loads whose results no block has used yet
    std::deque<Path> copies;   // that it has committed and not waited for: where they began
  };
  struct BlockState {
    bool is_resident = false;
    BlockCache cache;
    std::vector<WarpState> warps;
  };

  void count_sectors(BlockState& block, const run::Access& access);
  void end_block(BlockState& block);
  const BlockCost& cost(const code::Function& function, const code::Block& block);

  bool is_watching_ = false;
  std::vector<Shape> shapes_;
  std::unordered_map<const code::Block*, BlockCost> costs_;

  // Of the launch.
  Shape* shape_ = nullptr;  // null: it is not watched
  std::vector<BlockState> states_;
  std::uint64_t cache_sectors_ = 0;
  Distinct read_, written_;
  std::unordered_map<std::uint64_t, std::uint64_t> atomics_;  // by word
  Path longest_;
};

}  // namespace timing
