// SPDX-License-Identifier: MIT
#include "check/skipped_barrier.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "check/block_checks.h"
#include "program/address.h"
#include "report/report_at.h"
#include "report/waiting_text.h"
#include "run/block.h"
#include "run/launch.h"
#include "run/path.h"
#include "run/running.h"
#include "run/running_thread.h"
#include "run/untraced.h"

namespace simt::device {
namespace {

// Only the end of a long path is compared.
constexpr std::size_t kMaxLeaversBlocks = 64;
constexpr std::size_t kMaxWay = 256;
constexpr std::size_t kMaxWatched = 256;

// The running lane's last basic blocks since its turn began, and before them the one that it was
// in. This runs whenever a thread ends, and mostly finds a path that is known.
class TurnPath {
 public:
  explicit TurnPath(std::size_t max_size)
      : length_(std::min<std::uint64_t>(running.steps - running.turn_begin, max_size)),
        offset_(running.turn_pc == nullptr ? 0 : 1) {}

  std::size_t size() const { return length_ + offset_; }
  std::uint32_t operator[](std::size_t i) const {
    return i < offset_ ? running.lane->last_block
                       : block_at(running.steps - length_ + 1 + (i - offset_));
  }
  bool operator==(const std::vector<std::uint32_t>& path) const {
    if (path.size() != size()) return false;
    for (std::size_t i = 0; i < path.size(); ++i) {
      if (path[i] != (*this)[i]) return false;
    }
    return true;
  }
  void copy_to(std::vector<std::uint32_t>& path) const {
    path.clear();
    for (std::size_t i = 0; i < size(); ++i) path.push_back((*this)[i]);
  }

 private:
  std::size_t length_;
  std::size_t offset_;
};

// Adds what the leaver executed behind the barrier after it had been in front of it.
void watch(SkippedBarriers& skips, const SkippedBarriers::Leaver& leaver) {
  const std::uint32_t barrier = pack_pc(skips.barrier_pc);
  const auto& path = leaver.path;
  const std::size_t size = path.size() - (leaver.ends_with_access ? 0 : 1);
  bool is_in_front = leaver.begin == nullptr ||
                     (skips.function.contains(leaver.begin) && pack_pc(leaver.begin) < barrier);
  for (std::size_t i = 0; i < size && skips.watched.size() < kMaxWatched; ++i) {
    if (!skips.function.contains(unpack_pc(path[i]))) continue;
    if (path[i] < barrier) {
      is_in_front = is_in_front || i > 0 || !leaver.is_amid_block;
    } else if (is_in_front &&
               std::ranges::count(path, path[i]) > std::ranges::count(skips.way, path[i])) {
      skips.watched.push_back({path[i], leaver.thread});
    }
  }
}

void report_skip(const SkippedBarriers& skips, const SkippedBarriers::Step& step) {
  const Untraced untraced;
  ThreadId thread = running_thread();
  thread.thread = step.thread;
  report_at(FindingKind::kBarrierDivergence, skips.barrier_pc, running.launch->site.kernel,
            skipped_barrier_text(thread, skips.barrier_pc, unpack_pc(step.block)));
}

}  // namespace

void look_for_skipped_barrier() {
  SkippedBarriers& skips = running.checks->skips;
  if (skips.watched.empty()) return;
  std::uint32_t& back = skips.back[static_cast<std::size_t>(running.warp->id)];
  if ((back & running.lane_bit()) != 0) return;
  if (running.steps - running.turn_begin > kPathBlocks) {
    back |= running.lane_bit();  // perhaps
    return;
  }
  const std::uint32_t barrier = pack_pc(skips.barrier_pc);
  for (std::uint64_t step = running.turn_begin + 1; step <= running.steps; ++step) {
    const std::uint32_t block = block_at(step);
    if (!skips.function.contains(unpack_pc(block))) continue;
    if (block < barrier) {
      back |= running.lane_bit();
      return;
    }
    const auto found = std::ranges::find(skips.watched, block, &SkippedBarriers::Step::block);
    if (found == skips.watched.end()) continue;
    report_skip(skips, *found);
    skips.watched.clear();
    return;
  }
}

void note_leaver() {
  if (!running.launch->may_meet_barriers || running.block->live == 1) return;
  auto& leavers = running.checks->skips.leavers;
  const TurnPath path(kMaxLeaversBlocks);
  const void* const begin = running.lane->last_barrier;
  if (path.size() == 0) return;
  // Most threads of a block leave in the same way.
  if (!leavers.empty() && leavers.back().begin == begin && path == leavers.back().path) return;
  const Untraced untraced;
  leavers.push_back({running.lane->index,
                     begin,
                     running.turn_pc != nullptr,
                     {},
                     running.last_access_step == running.steps});
  path.copy_to(leavers.back().path);
}

void note_waiter() {
  SkippedBarriers& skips = running.checks->skips;
  skips.is_way_known = running.turn_pc == running.lane->last_barrier &&
                       running.steps - running.turn_begin <= kMaxWay;
  if (!skips.is_way_known) return;
  const Untraced untraced;
  TurnPath(kMaxWay).copy_to(skips.way);
}

void watch_leavers(Block& block) {
  SkippedBarriers& skips = block.checks->skips;
  if (skips.leavers.empty()) return;
  const Untraced untraced;
  skips.watched.clear();
  skips.barrier_pc = block.barrier_pc;
  skips.function = function_of(block.barrier_pc);
  skips.back.assign(block.warps.size(), 0);
  if (skips.is_way_known) {
    for (const SkippedBarriers::Leaver& leaver : skips.leavers) watch(skips, leaver);
  }
  skips.leavers.clear();
}

}  // namespace simt::device
