// SPDX-License-Identifier: MIT
#include "report/waiting_text.h"

#include <algorithm>
#include <map>
#include <utility>

#include "program/source_line.h"

namespace simt::device {
namespace {

// Threads by what they wait for and where: (verb, line) -> thread ids, in order.
using WaitingGroups = std::map<std::pair<std::string, std::string>, std::vector<int>>;

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
    case WaitsFor::kMemory:
      return "poll memory";
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

std::string name_of(const Caller& caller) {
  return thread_name(caller.thread) + ", lane " + std::to_string(caller.lane) + " of its warp,";
}

}  // namespace

std::string waiting_text(const std::vector<WaitingThread>& threads) {
  if (threads.empty()) return {};
  const std::string& file = source_line(threads.front().pc).file;
  WaitingGroups groups;
  for (const WaitingThread& thread : threads) {
    groups[{verb_of(thread), line_name(thread.pc, file)}].push_back(thread.id);
  }
  return join(groups);
}

std::string skipped_operation_text(const WaitingThread& caller,
                                   const std::vector<WaitingThread>& missing) {
  std::vector<int> ids;
  for (const WaitingThread& thread : missing) ids.push_back(thread.id);
  const std::string& file = source_line(caller.pc).file;
  return "; the mask in " + line_name(caller.pc, file) + " names " + thread_ranges(ids) +
         ", which " + (ids.size() == 1 ? "does" : "do") +
         " not come there. Call the warp operation outside of the branch or loop, or let its mask "
         "name only the lanes that take part";
}

std::string mixed_barrier_text(const std::string& block, const void* pc,
                               const std::vector<WaitingThread>& threads) {
  const std::string& file = source_line(pc).file;
  WaitingGroups groups;
  for (const WaitingThread& thread : threads) {
    groups[{"wait at the barrier", line_name(thread.pc, file)}].push_back(thread.id);
  }
  const char* const different = groups.size() == 1 ? ", by different calls" : "";
  return "in " + block + " " + join(groups) + different +
         "; all threads of a block must reach the same __syncthreads(). The result is undefined: a "
         "GPU may go on, or hang";
}

std::string skipped_barrier_text(const ThreadId& thread, const void* barrier_pc,
                                 const void* behind_pc) {
  const std::string& file = source_line(barrier_pc).file;
  return thread_name(thread) + " went past this barrier to " + line_name(behind_pc, file) +
         " and left the kernel, while other threads of its block waited here. All threads that go "
         "on must reach a __syncthreads(), so it must not lie in a branch that only some of them "
         "take, or in a loop that some leave earlier. The result is undefined: a GPU may go on, or hang";
}

std::string outside_mask_text(const Caller& caller) {
  return name_of(caller) + " calls a warp operation with mask " + mask_name(caller.mask) +
         ", which does not include it";
}

std::string different_masks_text(const Caller& caller, int other_lane, std::uint32_t other_mask) {
  return name_of(caller) + " calls a warp operation with mask " + mask_name(caller.mask) +
         ", and lane " + std::to_string(other_lane) + ", which that mask names, with mask " +
         mask_name(other_mask) + "; all lanes of a mask must give the same mask";
}

std::string missing_source_text(const Caller& caller, int source_lane) {
  return name_of(caller) + " reads the value of lane " + std::to_string(source_lane) +
         ", which mask " + mask_name(caller.mask) +
         " names but which never came here: it has left the kernel, or the block has no such "
         "thread. The value is undefined";
}

}  // namespace simt::device
