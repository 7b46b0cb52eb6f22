// SPDX-License-Identifier: MIT
// Which accesses come before which, whatever the schedule: by barriers, by __syncwarp, and by
// fences before and atomics after. In doubt, a pair counts as ordered: never reports an ordered
// pair as unordered.
//
// Each block has a clock that ticks at everything that may order. A fence releases what its threads
// have done, or know of by barriers and __syncwarp, and a fence for the device also what they have
// acquired from others' fences for the block; an atomic or volatile read acquires whatever any
// thread has released by then. (A device orders less: only if the read sees what was written after
// the fence. NVIDIA's own programs omit the reader's fence, so none is required.)
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "check/block_state.h"
#include "check/stamp.h"

namespace check {

struct Reader {  // a thread that asks
  const BlockOrder* block;
  std::uint32_t thread;  // in the block
};

class Order {
 public:
  // The blocks of all launches are numbered in stamps, and numbers may run out.
  std::uint32_t next_ordinal() const { return next_ordinal_; }
  bool are_ordinals_scarce() const { return next_ordinal_ > kMaxOrdinal / 2; }
  void restart_ordinals() { next_ordinal_ = 1; }  // when no access is remembered

  // first_concurrent: the first block of launches on other streams that may overlap this one; else
  // next_ordinal().
  void begin_launch(std::uint32_t first_concurrent);
  void start_block(BlockOrder& block, std::size_t num_warps);

  // All live threads of the block meet.
  void block_meets(BlockOrder& block);
  // Lanes of each warp meet at a barrier of a part of the block.
  void threads_meet(BlockOrder& block, std::span<const std::uint32_t> lanes_by_warp,
                    const void* barrier);
  // The same in two steps: lanes come to it, and others go on with what they have brought.
  void bring(BlockOrder& block, std::uint32_t warp, std::uint32_t lanes, const void* barrier);
  void take(BlockOrder& block, std::uint32_t warp, std::uint32_t lanes, const void* barrier);
  void lanes_meet(BlockOrder& block, std::uint32_t warp, std::uint32_t lanes, std::uint32_t live);
  // The whole grid meets: first this, then each block.
  void grid_meets();
  void grid_meets(BlockOrder& block);
  void cluster_meets(std::span<BlockOrder* const> blocks);

  void release(BlockOrder& block, std::uint32_t warp, std::uint32_t lanes, bool for_device);
  // The lanes know of what was released until then.
  void acquire(BlockOrder& block, std::uint32_t warp, std::uint32_t lanes,
               std::uint64_t until) const;
  std::uint64_t now() const { return time_; }

  // Whether the access `earlier` of this launch happens before what the thread does now. They are
  // by different threads.
  bool is_ordered(Stamp earlier, const Reader& now) const;
  // Whether it happens before the last of the block's threads ends.
  bool is_ordered_before_end(Stamp earlier, const BlockOrder& block) const;

  // Whether any thread of the stamp's block has executed a fence.
  bool has_fences(Stamp stamp) const { return releases_.contains(ordinal_of(stamp)); }
  // Whether anything but barriers of whole blocks has ordered accesses of this launch.
  bool has_partial_orders() const { return num_releases_ != 0 || has_partial_barriers_; }

  // The least stamp of this launch after its last grid barrier; and of that or of launches that may
  // overlap it.
  Stamp first_current() const { return first_current_; }
  Stamp first_to_compare() const { return first_to_compare_; }

 private:
  // Fences of a warp's lanes: they cover the accesses of these threads before `tick`, of their
  // warp's lanes before warp_tick, or for each lane before the tick in `known`, of their block
  // before barrier_tick, or for each warp before the tick in `ticks`.
  struct Release {
    std::uint32_t warp = 0;
    std::uint32_t lanes = 0;
    bool for_device = false;
    std::uint32_t tick = 0;
    std::uint32_t warp_tick = 0;
    std::uint32_t barrier_tick = 0;
    std::uint64_t time = 0;
    std::uint64_t horizon = 0;               // what was released until then, the threads knew of
    std::unique_ptr<const LaneTicks> known;  // what they learned from parts of their warp, or null
    std::vector<std::uint32_t> ticks;        // and at barriers of parts of the block, or empty

    bool covers(Stamp access) const;
  };

  static void tick(BlockOrder& block);
  void take_ordinal(BlockOrder& block);
  void add_release(BlockOrder& block, std::uint32_t warp, std::uint32_t lanes, bool for_device,
                   std::uint64_t horizon);
  void add_knowledge(BlockOrder& block, std::uint32_t warp, std::uint32_t lanes,
                     const void* barrier);
  bool is_full() const;

  std::unordered_map<std::uint32_t, std::vector<Release>> releases_;  // by the block's ordinal
  std::size_t num_releases_ = 0;
  bool has_partial_barriers_ = false;
  std::uint64_t time_ = 0;  // of the last release
  std::uint32_t next_ordinal_ = 1;
  Stamp first_current_ = Stamp{1} << kOrdinalShift;
  Stamp first_to_compare_ = Stamp{1} << kOrdinalShift;
};

}  // namespace check
