// SPDX-License-Identifier: MIT
#include "time/warp_time.h"

#include <algorithm>

namespace timing {

WarpTime::Wait WarpTime::execute(const BlockCost& block) {
  Wait wait;
  const Path alone = now_ + block.path;
  Path end = alone;
  std::erase_if(pending_, [&](const Pending& pending) {
    const auto use = std::ranges::lower_bound(block.uses, pending.row, {}, &BlockCost::Use::row);
    if (use == block.uses.end() || use->row != pending.row) {
      return std::ranges::binary_search(block.overwrites, pending.row);
    }
    const Path late = pending.ready + use->rest;
    if (end < late) {
      end = late;
      wait = {pending.instruction, end - alone};
    }
    return true;
  });
  now_ = end;
  std::erase_if(pending_, [&](const Pending& pending) { return !(now_ < pending.ready); });
  for (const BlockCost::Late& late : block.late) {
    pending_.push_back({late.row, now_ + late.after, late.instruction});
  }
  return wait;
}

Path WarpTime::wait_until(const Path& path) {
  const Path before = now_;
  now_ = longer(now_, path);
  return now_ - before;
}

void WarpTime::wait_for_copies(std::uint32_t num_left) {
  while (copies_.size() > num_left) {
    wait_until(copies_.front());
    copies_.pop_front();
  }
}

}  // namespace timing
