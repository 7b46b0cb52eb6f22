// SPDX-License-Identifier: MIT
// The order in which lanes, warps and blocks run.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace run {

// Bits of a seed that choose how blocks take turns; see docs/checkers.md, other orders.
inline constexpr std::uint64_t kTurnAtEveryBarrier = 2;
inline constexpr std::uint64_t kSuccessorsFirst = 4;
inline constexpr std::uint64_t kHoldPublications = 8;
inline constexpr std::uint64_t kBusyDevice = 16;

// Blocks of code that a launch enters before it is asked whether anything has changed.
inline constexpr std::uint64_t kDefaultStepLimit = 2'000'000;

// A permutation of 0 ... size-1 that needs no memory: i -> (start + i * stride) mod size, where
// stride and size have no common factor. Seed 0 gives the identity.
class Permutation {
 public:
  explicit Permutation(std::uint64_t size = 1, std::uint64_t seed = 0);

  static Permutation reversed(std::uint64_t size);

  std::uint64_t operator()(std::uint64_t i) const;
  bool is_identity() const { return start_ == 0 && stride_ == 1; }

 private:
  std::uint64_t size_;
  std::uint64_t start_ = 0;
  std::uint64_t stride_ = 1;
};

// The order of a warp's lanes: a table, as it is asked at every switch from one lane to another.
class LaneOrder {
 public:
  explicit LaneOrder(const Permutation& lanes = Permutation(32))
      : is_identity_(lanes.is_identity()) {
    for (std::size_t i = 0; i < lanes_.size(); ++i) lanes_[i] = static_cast<std::uint8_t>(lanes(i));
  }

  // The lane of `ready` (a mask, not 0) that runs first.
  int first(std::uint32_t ready) const {
    if (is_identity_) return std::countr_zero(ready);
    std::size_t i = 0;
    while ((ready >> lanes_[i] & 1) == 0) ++i;
    return lanes_[i];
  }

 private:
  std::array<std::uint8_t, 32> lanes_;
  bool is_identity_;
};

// At which of its barriers a block's turn ends, so that others run in between.
enum class Turns { kAtHalf, kAtEvery, kAtFirst, kAtSecond };

// One launch's order of everything.
struct Schedule {
  Permutation blocks{1};
  Permutation warps{1};
  LaneOrder lanes{Permutation(32)};
  std::uint64_t interruptions = 0;  // a seed; 0: none
  Turns turns = Turns::kAtHalf;
  bool holds_publications = false;
  bool is_device_busy = false;

  // The orders for a grid of so many blocks of so many warps.
  static Schedule for_grid(std::uint64_t seed, std::uint64_t num_blocks, int warps_per_block);

  // Whether the launch's n-th block barrier, its block's n_in_block-th, ends the turn of its block;
  // both from 0. In the natural order a block runs on, and never meets another that is half done.
  bool interrupts(std::uint64_t n, std::uint64_t n_in_block) const;

  // Whether of blocks whose turns ended the youngest go on first.
  bool is_youngest_first() const { return turns == Turns::kAtFirst || turns == Turns::kAtSecond; }
};

}  // namespace run
