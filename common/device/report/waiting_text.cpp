// SPDX-License-Identifier: MIT
#include "report/waiting_text.h"

#include <algorithm>
#include <map>
#include <utility>

namespace report {
namespace {

// Threads by what they wait for and where: (verb, line) -> thread ids, in order.
using WaitingGroups = std::map<std::pair<std::string, std::string>, std::vector<std::uint32_t>>;

std::string phase_text(const ObjectWait& object) {
  std::string text = std::to_string(object.arrived) + " of " + std::to_string(object.expected) +
                     (object.expected == 1 ? " arrival" : " arrivals");
  if (object.missing_bytes > 0) {
    text += ", and " + bytes(static_cast<std::uint64_t>(object.missing_bytes)) +
            " of bulk copies are missing";
  }
  if (object.missing_bytes < 0) {
    text += ", and bulk copies have brought " +
            bytes(static_cast<std::uint64_t>(-object.missing_bytes)) +
            " more than expect_tx announced";
  }
  return text;
}

// As the verb of "threads 3-5 ...".
std::string verb_of(const WaitingThread& thread) {
  switch (thread.what) {
    case WaitsFor::kBlockBarrier:
      return "wait at the block's barrier";
    case WaitsFor::kNamedBarrier: {
      const auto& [number, arrived, expected] = thread.barrier;
      const std::string what =
          number >= 0 ? "at barrier " + std::to_string(number) : "in the sync() of their tile";
      return "wait " + what + " (" + std::to_string(arrived) + " of " + std::to_string(expected) +
             " threads are there)";
    }
    case WaitsFor::kGridBarrier:
      return "wait at the grid's barrier";
    case WaitsFor::kClusterBarrier:
      return "wait at the cluster's barrier";
    case WaitsFor::kWarpgroup:
      return "wait in wgmma.wait_group for the other warps of their warpgroup";
    case WaitsFor::kMemory:
      return "poll memory";
    case WaitsFor::kBarrierObject:
      return "wait at the mbarrier " + thread.object.name + " for its phase of parity " +
             std::to_string(thread.object.parity) + " to end (" + phase_text(thread.object) + ")";
    case WaitsFor::kSyncwarp:
      return "wait in __syncwarp for the lanes of mask " + mask_name(thread.mask);
    case WaitsFor::kWarpOperation:
      break;
  }
  return "wait in a warp operation for the lanes of mask " + mask_name(thread.mask);
}

// "threads 0-3 wait ... in line 12, thread 4 waits ...", in order of the first thread of each
// group.
std::string join(const WaitingGroups& groups) {
  std::vector<std::pair<std::uint32_t, std::string>> parts;
  for (const auto& [where, ids] : groups) {
    std::string verb = where.first;
    if (ids.size() == 1) verb.insert(verb.find(' '), "s");
    parts.emplace_back(ids.front(), thread_ranges(ids) + " " + verb + " in " + where.second);
  }
  std::ranges::sort(parts);
  std::string text;
  for (const auto& [first, part] : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

std::string name_of(const Caller& caller) {
  return thread_name(caller.thread) + ", lane " + std::to_string(caller.lane) + " of its warp,";
}

const char* have(std::uint64_t count) { return count == 1 ? " has " : " have "; }

}  // namespace

std::string waiting_text(const std::vector<WaitingThread>& threads) {
  if (threads.empty()) return {};
  const std::string& file = threads.front().place.file;
  WaitingGroups groups;
  for (const WaitingThread& thread : threads) {
    groups[{verb_of(thread), line_name(thread.place, file)}].push_back(thread.id);
  }
  return join(groups);
}

std::string skipped_operation_text(const WaitingThread& caller,
                                   const std::vector<WaitingThread>& missing) {
  std::vector<std::uint32_t> ids;
  for (const WaitingThread& thread : missing) ids.push_back(thread.id);
  return "; the mask in " + line_name(caller.place, caller.place.file) + " names " +
         thread_ranges(ids) + ", which " + (ids.size() == 1 ? "does" : "do") +
         " not come there. Call the warp operation outside of the branch or loop, or let its mask "
         "name only the lanes that take part";
}

std::string progress_text(const Progress& progress) {
  std::string text;
  if (progress.num_resident > 1) {
    const std::uint64_t others = progress.num_resident - 1;
    text += "; " + blocks(others, "more ") + (others == 1 ? " is" : " are") + " under way";
  }
  if (progress.num_ended > 0) {
    text += "; " + blocks(progress.num_ended) + have(progress.num_ended) + "ended";
  }
  if (progress.num_not_started > 0) {
    text += "; " + blocks(progress.num_not_started) + have(progress.num_not_started) +
            "not started, because the device holds " + std::to_string(progress.max_resident) +
            " at a time";
    if (progress.is_beside_others) text += " next to other programs";
  }
  return text;
}

std::string deadlock_text(const std::string& block, const std::vector<WaitingThread>& threads,
                          bool mismatch) {
  const bool all_poll = std::ranges::all_of(
      threads, [](const WaitingThread& thread) { return thread.what == WaitsFor::kMemory; });
  return (mismatch ? "warp operations that do not match in " : "deadlock in ") + block + ": " +
         waiting_text(threads) +
         (all_poll ? "; if this loop waits for no other thread, does it ever end?" : "");
}

std::string endless_loop_text(const std::string& thread) {
  return thread +
         " is in an endless loop that does not touch memory: does its condition ever become false? A "
         "loop that waits for another thread must read a volatile or an atomic variable";
}

std::string too_long_text(const std::string& thread, std::uint64_t seconds) {
  return thread + " is here after " + std::to_string(seconds) +
         " s of processor time, which is too long: does this loop ever end?";
}

std::string long_turn_text(const std::string& thread, std::uint64_t seconds) {
  return thread + " has run for " + std::to_string(seconds) +
         " s here, without a barrier and without an end: does this loop ever end?";
}

std::string mixed_barrier_text(const std::string& block, const Place& place,
                               const std::vector<WaitingThread>& threads) {
  WaitingGroups groups;
  for (const WaitingThread& thread : threads) {
    groups[{"wait at the barrier", line_name(thread.place, place.file)}].push_back(thread.id);
  }
  const char* const different = groups.size() == 1 ? ", by different calls" : "";
  return "in " + block + " " + join(groups) + different +
         "; all threads of a block must reach the same __syncthreads(). The result is undefined: a "
         "GPU may go on, or hang";
}

std::string skipped_barrier_text(const ThreadId& thread, const Place& barrier,
                                 const Place& behind) {
  return thread_name(thread) + " went past this barrier to " + line_name(behind, barrier.file) +
         " and left the kernel, while other threads of its block waited here. All threads that go "
         "on must reach a __syncthreads(), so it must not lie in a branch that only some of them "
         "take, or in a loop that some leave earlier. The result is undefined: a GPU may go on, or "
         "hang";
}

std::string not_cooperative_text(const std::string& thread) {
  return thread +
         " waits for the whole grid, which only a launch by cudaLaunchCooperativeKernel allows; "
         "<<<>>> does not make all blocks resident at once";
}

std::string outside_mask_text(const Caller& caller) {
  return name_of(caller) + " calls a warp operation with mask " + mask_name(caller.mask) +
         ", which does not include it. The mask is the first argument, and names the lanes that "
         "take part (0xffffffff: all 32)";
}

std::string different_masks_text(const Caller& caller, std::uint32_t other_lane,
                                 std::uint32_t other_mask) {
  return name_of(caller) + " calls a warp operation with mask " + mask_name(caller.mask) +
         ", and lane " + std::to_string(other_lane) + ", which that mask names, with mask " +
         mask_name(other_mask) + "; all lanes of a mask must give the same mask";
}

std::string shuffle_width_text(const Caller& caller, std::uint32_t width) {
  return name_of(caller) + " shuffles with the width " + std::to_string(width) +
         ", and the width has to be 1, 2, 4, 8, 16 or 32. The values are undefined";
}

std::string missing_source_text(const Caller& caller, std::uint32_t source_lane) {
  return name_of(caller) + " reads the value of lane " + std::to_string(source_lane) +
         ", which mask " + mask_name(caller.mask) +
         " names but which never came here: it took another branch, it has left the kernel, or the "
         "block has no such thread. The value is undefined";
}

}  // namespace report
