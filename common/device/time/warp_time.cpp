// SPDX-License-Identifier: MIT
#include "time/warp_time.h"

#include <algorithm>
#include <utility>

namespace timing {

void WarpTime::go_on(Work& work) {
  if (region_ == nullptr || next_piece_ == region_->pieces.size()) return;
  const BlockCost::Piece& piece = region_->pieces[next_piece_++];
  now_ += piece.path;
  lead_ += piece.lead;
  work.add(piece.slots);
  work.add_wavefronts(piece.wavefronts);
  if (next_piece_ < region_->pieces.size()) return;
  for (const BlockCost::Late& late : region_->late) {
    pending_.push_back({late.row, now_ + late.after, late.instruction});
  }
}

void WarpTime::finish(Work& work) {
  while (region_ != nullptr && next_piece_ < region_->pieces.size()) go_on(work);
}

WarpTime::Wait WarpTime::execute(const BlockCost& block, Work& work) {
  finish(work);  // lanes that have parted may leave a region before its end
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
  std::erase_if(pending_, [&](const Pending& pending) { return !(end < pending.ready); });
  now_ += end - alone;
  if (wait.instruction != nullptr) lead_.end(wait.path, 0);
  region_ = &block;
  next_piece_ = 0;
  go_on(work);
  return wait;
}

Path WarpTime::wait_until(const Path& path) {
  const Path before = now_;
  now_ = longer(now_, path);
  return now_ - before;
}

void WarpTime::commit_copies(Work& work) {
  copies_.push_back(now_ + Path{0, std::exchange(has_copies_, false) ? 1 : 0});
  go_on(work);
}

void WarpTime::wait_for_copies(std::uint32_t num_left, Work& work) {
  while (copies_.size() > num_left) {
    wait_until(copies_.front());
    copies_.pop_front();
  }
  go_on(work);
}

}  // namespace timing
