// SPDX-License-Identifier: MIT
#include "check/skipped_barrier.h"

#include <algorithm>

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

// Of a long path the end decides.
constexpr std::size_t kMaxLeaversBlocks = 64;
constexpr std::size_t kMaxWay = 256;
constexpr std::size_t kMaxWatched = 256;

// The running lane's basic blocks since its turn began, the one that it was in included: the last
// `max_size` of them.
std::vector<std::uint32_t> path_of_turn(std::size_t max_size) {
  std::vector<std::uint32_t> path;
  if (running.turn_pc != nullptr) path.push_back(running.lane->last_block);
  const std::uint64_t length =
      std::min<std::uint64_t>(running.steps - running.turn_begin, max_size);
  for (std::uint64_t i = length; i > 0; --i) path.push_back(block_at(running.steps - i + 1));
  return path;
}

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
  const Untraced untraced;
  auto& leavers = running.checks->skips.leavers;
  SkippedBarriers::Leaver leaver = {running.lane->index, running.lane->last_barrier,
                                    running.turn_pc != nullptr, path_of_turn(kMaxLeaversBlocks),
                                    running.last_access_step == running.steps};
  // Most threads of a block leave in the same way.
  const bool is_known = !leavers.empty() && leavers.back().path == leaver.path &&
                        leavers.back().begin == leaver.begin;
  if (!is_known && !leaver.path.empty()) leavers.push_back(std::move(leaver));
}

void note_waiter() {
  const Untraced untraced;
  SkippedBarriers& skips = running.checks->skips;
  skips.is_way_known = running.turn_pc == running.lane->last_barrier &&
                       running.steps - running.turn_begin <= kMaxWay;
  skips.way = path_of_turn(skips.is_way_known ? kMaxWay : 0);
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
