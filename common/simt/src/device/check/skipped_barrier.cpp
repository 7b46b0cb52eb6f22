// SPDX-License-Identifier: MIT
#include "check/skipped_barrier.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "check/block_checks.h"
#include "check/memory_check.h"
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
constexpr std::size_t kMaxEntry = 2;

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

using Position = SkippedBarriers::Position;

bool is_in(const Position& position, std::uint32_t block) {
  return position.function.contains(unpack_pc(block));
}

// The barrier's places: in its own function, and in the kernel, if that is another one.
std::vector<Position> positions_of(const void* barrier_pc, const SkippedBarriers& skips) {
  std::vector<Position> positions{{function_of(barrier_pc), pack_pc(barrier_pc)}};
  const auto entry = std::ranges::find_if_not(
      skips.entry, [](std::uint32_t block) { return is_of_launch(unpack_pc(block)); });
  if (entry == skips.entry.end()) return positions;
  const CodeRange kernel = function_of(unpack_pc(*entry));
  if (kernel.contains(barrier_pc)) return positions;
  const auto is_kernels = [&](std::uint32_t block) { return kernel.contains(unpack_pc(block)); };
  const auto calling = std::find_if(skips.way.rbegin(), skips.way.rend(), is_kernels);
  if (calling != skips.way.rend()) positions.push_back({kernel, *calling + 1});
  return positions;
}

// Adds what the leaver executed behind the barrier after it had been in front of it.
void watch(SkippedBarriers& skips, const Position& position,
           const SkippedBarriers::Leaver& leaver) {
  const auto& path = leaver.path;
  const std::size_t size = path.size() - (leaver.ends_with_access ? 0 : 1);
  bool is_in_front = leaver.begin == nullptr || (position.function.contains(leaver.begin) &&
                                                 pack_pc(leaver.begin) < position.end_of_front);
  for (std::size_t i = 0; i < size && skips.watched.size() < kMaxWatched; ++i) {
    if (!is_in(position, path[i])) continue;
    if (path[i] < position.end_of_front) {
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
  report_at(FindingKind::kBarrierDivergence, skips.barrier_pc, running.launch->site,
            skipped_barrier_text(thread, skips.barrier_pc, unpack_pc(step.block)));
}

}  // namespace

void look_for_skipped_barrier() {
  SkippedBarriers& skips = running.checks->skips;
  std::uint32_t& back = skips.back[static_cast<std::size_t>(running.warp->id)];
  if ((back & running.lane_bit()) != 0) return;
  if (running.steps - running.turn_begin > kPathBlocks) {
    back |= running.lane_bit();  // perhaps
    return;
  }
  for (std::uint64_t step = running.turn_begin + 1; step <= running.steps; ++step) {
    const std::uint32_t block = block_at(step);
    const auto position = std::ranges::find_if(
        skips.positions, [&](const Position& place) { return is_in(place, block); });
    if (position == skips.positions.end()) continue;
    if (block < position->end_of_front) {
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
  if (running.turn_pc != nullptr) return;
  const std::size_t size = std::min(skips.way.size(), kMaxEntry);
  skips.entry.assign(skips.way.begin(), skips.way.begin() + static_cast<std::ptrdiff_t>(size));
}

void watch_leavers(Block& block) {
  SkippedBarriers& skips = block.checks->skips;
  if (skips.leavers.empty()) return;
  const Untraced untraced;
  skips.watched.clear();
  skips.barrier_pc = block.barrier_pc;
  skips.back.assign(block.warps.size(), 0);
  if (skips.is_way_known) {
    skips.positions = positions_of(block.barrier_pc, skips);
    for (const Position& position : skips.positions) {
      for (const SkippedBarriers::Leaver& leaver : skips.leavers) watch(skips, position, leaver);
    }
  }
  skips.leavers.clear();
}

}  // namespace simt::device
