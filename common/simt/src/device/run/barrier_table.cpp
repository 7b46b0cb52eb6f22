// SPDX-License-Identifier: MIT
#include "run/barrier_table.h"

#include <bit>

#include "run/untraced.h"

namespace simt::device {
namespace {

std::size_t place_of(int number) { return static_cast<std::size_t>(number + kNumTileBarriers); }

}  // namespace

int NamedBarrier::num_arrived() const {
  int count = 0;
  for (const std::uint32_t of_warp : lanes) count += std::popcount(of_warp);
  return count;
}

NamedBarrier& BarrierTable::operator[](int number) {
  if (all_.empty()) {
    const Untraced untraced;  // what it allocates is not the kernel's
    all_.resize(kNumTileBarriers + kNumPtxBarriers);
  }
  return all_[place_of(number)];
}

const NamedBarrier& BarrierTable::operator[](int number) const {
  static const NamedBarrier unused;
  return all_.empty() ? unused : all_[place_of(number)];
}

}  // namespace simt::device
