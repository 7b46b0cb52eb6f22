// SPDX-License-Identifier: MIT
#include "run/schedule.h"

#include <numeric>

namespace run {
namespace {

// Mixes a counter into well spread bits (the finaliser of SplitMix64, Steele et al. 2014).
std::uint64_t mix(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  return x ^ (x >> 31);
}

Turns turns_of(std::uint64_t seed) {
  const bool at_every = (seed & kTurnAtEveryBarrier) != 0;
  if ((seed & kSuccessorsFirst) != 0) {
    return at_every ? Turns::kAtSecond : Turns::kAtFirst;
  }
  return at_every ? Turns::kAtEvery : Turns::kAtHalf;
}

}  // namespace

Permutation::Permutation(std::uint64_t size, std::uint64_t seed) : size_(size) {
  if (seed == 0 || size < 2) return;
  start_ = mix(seed) % size;
  stride_ = 1 + mix(seed + 1) % (size - 1);
  while (std::gcd(stride_, size) != 1) stride_ = stride_ % (size - 1) + 1;
}

Permutation Permutation::reversed(std::uint64_t size) {
  Permutation permutation(size);
  if (size < 2) return permutation;
  permutation.start_ = permutation.stride_ = size - 1;
  return permutation;
}

std::uint64_t Permutation::operator()(std::uint64_t i) const {
  constexpr std::uint64_t kNarrow = std::uint64_t{1} << 32;  // of which no product overflows
  if (size_ <= kNarrow) return (start_ + i * stride_) % size_;
  __extension__ using Wide = unsigned __int128;  // grids have up to 2^63 blocks
  return static_cast<std::uint64_t>((start_ + Wide{i} * stride_) % size_);
}

Schedule Schedule::for_grid(std::uint64_t seed, std::uint64_t num_blocks, int warps_per_block) {
  const std::uint64_t order = seed & ~kHoldPublications;
  const auto level_seed = [order](std::uint64_t level) {
    return order == 0 ? 0 : mix(order * 3 + level);
  };
  const bool backwards = (seed & kSuccessorsFirst) != 0;
  return {backwards ? Permutation::reversed(num_blocks) : Permutation(num_blocks, level_seed(0)),
          Permutation(static_cast<std::uint64_t>(warps_per_block), level_seed(1)),
          LaneOrder(Permutation(32, level_seed(2))),
          level_seed(3),
          turns_of(seed),
          (seed & kHoldPublications) != 0,
          (seed & kBusyDevice) != 0};
}

bool Schedule::interrupts(std::uint64_t n, std::uint64_t n_in_block) const {
  if (interruptions == 0) return false;
  switch (turns) {
    case Turns::kAtHalf:
      return (mix(interruptions + n) & 1) != 0;
    case Turns::kAtEvery:
      return true;
    case Turns::kAtFirst:
      return n_in_block == 0;
    case Turns::kAtSecond:
      return n_in_block == 1;
  }
  return false;
}

}  // namespace run
