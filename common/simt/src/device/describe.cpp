// SPDX-License-Identifier: MIT
#include "describe.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <map>
#include <utility>
#include <vector>

#include "grid.h"
#include "running.h"
#include "simt/finding.h"
#include "source_line.h"

namespace simt::device {
namespace {

// Threads by what they wait for and where: (verb, line) -> thread ids, in order.
using WaitingThreads = std::map<std::pair<std::string, std::string>, std::vector<int>>;

std::string coordinates(uint3 i, dim3 dim) {
  if (dim.y == 1 && dim.z == 1) return std::to_string(i.x);
  return "(" + std::to_string(i.x) + "," + std::to_string(i.y) + "," + std::to_string(i.z) + ")";
}

std::string mask_name(std::uint32_t mask) {
  char text[16];
  std::snprintf(text, sizeof text, "0x%08x", mask);
  return text;
}

// "thread 7", "threads 0-31", "threads 0-3, 5 and 20 more"; ids are sorted.
std::string thread_ranges(const std::vector<int>& ids) {
  constexpr int kMaxRanges = 4;
  std::string text = ids.size() == 1 ? "thread " : "threads ";
  int num_ranges = 0;
  for (std::size_t first = 0; first < ids.size();) {
    if (++num_ranges > kMaxRanges)
      return text + " and " + std::to_string(ids.size() - first) + " more";
    std::size_t last = first;
    while (last + 1 < ids.size() && ids[last + 1] == ids[last] + 1) ++last;
    if (first > 0) text += ", ";
    text += std::to_string(ids[first]);
    if (last > first) text += "-" + std::to_string(ids[last]);
    first = last + 1;
  }
  return text;
}

// What the lane waits for, as the verb of "thread 3 ..."; null if it can run.
std::string waiting_verb(const Warp& warp, int lane_id) {
  const std::uint32_t bit = 1u << lane_id;
  if (warp.at_barrier & bit) return "wait at the block's barrier";
  if (warp.at_grid_barrier & bit) return "wait at the grid's barrier";
  if (warp.yielded & bit) return "poll memory";
  const Lane& lane = warp.lanes[lane_id];
  const std::string operation =
      lane.operation == WarpOperation::kSync ? "__syncwarp" : "a warp operation";
  return "wait in " + operation + " for the lanes of mask " + mask_name(lane.mask);
}

template <class Visit>  // visit(warp, lane_id) for each live lane, in order of thread ids
void for_each_live(const Block& block, Visit visit) {
  std::vector<const Warp*> warps;
  for (const Warp& warp : block.warps) warps.push_back(&warp);
  std::sort(warps.begin(), warps.end(), [](auto* a, auto* b) { return a->id < b->id; });
  for (const Warp* warp : warps) {
    for (std::uint32_t live = warp->live; live != 0; live &= live - 1) {
      visit(*warp, std::countr_zero(live));
    }
  }
}

// "threads 0-3 wait ... in line 12, thread 4 waits ...", in order of the first thread of each
// group.
std::string join(const WaitingThreads& groups) {
  std::vector<std::pair<int, std::string>> parts;
  for (const auto& [where, ids] : groups) {
    std::string verb = where.first;
    if (ids.size() == 1) verb.insert(verb.find(' '), "s");
    parts.emplace_back(ids.front(), thread_ranges(ids) + " " + verb + " in " + where.second);
  }
  std::sort(parts.begin(), parts.end());
  std::string text;
  for (const auto& [first, part] : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

void report_here(const char* kind, const void* pc, std::string message) {
  const SourceLine& where = source_line(pc);
  report({kind, where.file, where.line, running.grid->site().kernel, std::move(message)});
}

}  // namespace

std::string block_name(const Block& block) {
  return "block " + coordinates(block.index, running.grid->config().grid);
}

std::string running_thread_name() {
  return "thread " + coordinates(running.lane().index, running.grid->config().block) + " of " +
         block_name(*running.block);
}

const void* first_waiting_pc(const Block& block) {
  const void* pc = nullptr;
  for_each_live(block, [&](const Warp& warp, int lane_id) {
    if (pc == nullptr) pc = warp.lanes[lane_id].pc;
  });
  return pc;
}

std::string describe_waiting(const Block& block) {
  const std::string& file = source_line(first_waiting_pc(block)).file;
  WaitingThreads groups;
  for_each_live(block, [&](const Warp& warp, int lane_id) {
    const std::string line = line_name(warp.lanes[lane_id].pc, file);
    groups[{waiting_verb(warp, lane_id), line}].push_back(warp.thread_id(lane_id));
  });
  return join(groups);
}

bool has_mask_mismatch(const Block& block) {
  bool mismatch = false;
  for_each_live(block, [&](const Warp& warp, int lane_id) {
    if (!(warp.in_operation >> lane_id & 1)) return;
    const Lane& lane = warp.lanes[lane_id];
    for (std::uint32_t rest = lane.mask & warp.in_operation; rest != 0; rest &= rest - 1) {
      const Lane& other = warp.lanes[std::countr_zero(rest)];
      mismatch = mismatch || other.mask != lane.mask || other.operation != lane.operation;
    }
  });
  return mismatch;
}

void report_mixed_barrier(const Block& block) {
  const Untraced untraced;
  const SourceLine& where = source_line(block.barrier_pc);
  WaitingThreads groups;
  for_each_live(block, [&](const Warp& warp, int lane_id) {
    const std::string line = line_name(warp.lanes[lane_id].pc, where.file);
    groups[{"wait at the barrier", line}].push_back(warp.thread_id(lane_id));
  });
  report_here("barrier_divergence", block.barrier_pc,
              "in " + block_name(block) + " " + join(groups) +
                  "; all threads of a block must reach the same __syncthreads()");
}

void report_lane_outside_mask(std::uint32_t mask) {
  const Untraced untraced;
  report_here("barrier_divergence", running.lane().pc,
              running_thread_name() + ", lane " + std::to_string(running.lane_id) +
                  " of its warp, calls a warp operation with mask " + mask_name(mask) +
                  ", which does not include it");
}

void report_missing_source() {
  const Untraced untraced;
  const Lane& lane = running.lane();
  report_here("barrier_divergence", lane.pc,
              running_thread_name() + ", lane " + std::to_string(running.lane_id) +
                  " of its warp, reads the value of lane " + std::to_string(lane.source_lane) +
                  ", which mask " + mask_name(lane.mask) +
                  " names but which never came here: it has left the kernel, or the block has no "
                  "such thread. The value is undefined");
}

}  // namespace simt::device
