// SPDX-License-Identifier: MIT
#include "count/merge.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "count/branch.h"
#include "count/request.h"
#include "count/tally.h"
#include "count/trace.h"
#include "run/block.h"
#include "run/launch.h"
#include "run/running.h"
#include "run/untraced.h"

namespace simt::device {
namespace {

constexpr std::uint64_t kNowhere = ~std::uint64_t{0};

// Bytes of the hook's call, which begins a basic block. What lies before is the end of another.
#if defined(__x86_64__)
constexpr std::uint32_t kCallBytes = 5;
#else
constexpr std::uint32_t kCallBytes = 4;
#endif

class Merge {
 public:
  explicit Merge(Warp& warp) : warp_(warp), trace_(*warp.trace) {
    for (int lane = 0; lane < kWarpSize; ++lane) {
      LaneTrace& own = trace_.lanes[lane];
      own.events.push_back({0, 0});  // kEnd
      next_[lane] = own.events.data() + own.next;
      if (next_[lane]->kind() != EventKind::kEnd) lanes_ |= 1u << lane;
    }
    lanes_ |= warp.paused;
  }

  ~Merge() {
    tally().count_passes(trace_.num_passes);
    running.block->num_sectors += num_sectors_;
    std::uint64_t& most = running.launch->most_sectors;
    most = std::max(most, running.block->num_sectors);
    for (int lane = 0; lane < kWarpSize; ++lane) {
      LaneTrace& own = trace_.lanes[lane];
      own.events.pop_back();
      own.next = static_cast<std::size_t>(next_[lane] - own.events.data());
      if (own.next < own.events.size() && own.next < LaneTrace::kMaxEvents) continue;
      own.events.erase(own.events.begin(), own.events.begin() + static_cast<long>(own.next));
      own.next = 0;
    }
  }
  Merge(const Merge&) = delete;
  Merge& operator=(const Merge&) = delete;

  void run() {
    if (trace_.parting != 0) part(trace_.parting, trace_.parting_pc);
    for (;;) {
      std::uint32_t waiting = 0;  // in operations
      std::uint32_t group = 0;
      std::uint64_t first = kNowhere;   // the least order of a step, which the group has
      std::uint64_t second = kNowhere;  // the least of the others
      for (std::uint32_t rest = lanes_; rest != 0; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        const Event& event = *next_[lane];
        if (event.is_step()) {
          if (event.value < first) {
            second = first;
            first = event.value;
            group = 0;
          }
          if (event.value == first) {
            group |= rest & -rest;
          } else {
            second = std::min(second, event.value);
          }
        } else if (event.kind() == EventKind::kOperation) {
          waiting |= rest & -rest;
        } else if (is_open(lane, &event)) {
          return;  // which lane is first is not known yet
        } else {
          lanes_ &= ~(rest & -rest);
        }
      }
      if (waiting != 0 && complete_operations(waiting)) continue;
      if (group == 0) return;
      execute(group, second);
      if (trace_.parting != 0) return;
    }
  }

 private:
  // The event is not known yet: the lane will record it as soon as it may.
  bool is_open(int lane, const Event* event) const {
    return (warp_.paused >> lane & 1) != 0 && event->kind() == EventKind::kEnd;
  }

  // The group executes the basic block that it stands at, and those that follow as long as it stays
  // together and no other lane comes first.
  void execute(std::uint32_t group, std::uint64_t others) {
    for (;;) {
      const Event& step = *next_[std::countr_zero(group)];
      const std::uint32_t pc = step.pc();
      const bool begins_block = step.kind() == EventKind::kStep;
      int num_lanes = 0;
      for (std::uint32_t rest = group; rest != 0; rest &= rest - 1) {
        ++next_[std::countr_zero(rest)];
        ++num_lanes;
      }
      if (begins_block) tally().count_block(pc, num_lanes);
      count_accesses(group);
      const std::uint64_t next = part(group, pc);
      if (next >= others) return;
    }
  }

  // Takes the accesses up to the lanes' next basic blocks.
  void count_accesses(std::uint32_t pending) {
    while (pending != 0) {
      const Event lead = *next_[std::countr_zero(pending)];
      if (lead.kind() != EventKind::kAccess) {
        pending &= pending - 1;
        continue;
      }
      Request request{lead.space(), lead.access(), lead.size_bytes(), lead.pc(), 0, 0, {}};
      for (std::uint32_t rest = pending; rest != 0; rest &= rest - 1) {
        const int lane = std::countr_zero(rest);
        if (next_[lane]->code != lead.code) continue;
        request.addresses[lane] = next_[lane]->value;
        request.lanes |= rest & -rest;
        ++request.num_lanes;
        ++next_[lane];
      }
      if (lead.reads_constant() && has_one_address(request)) continue;
      const int cost = tally().count_request(request);
      const bool polls = lead.polls() && request.space == MemorySpace::kGlobal;
      // How often a warp asks again until a word has changed depends on the order of execution.
      const bool asks_again = polls && !begins_poll(request);
      if (!asks_again) count_passes(passes_of(request));
      if (request.space != MemorySpace::kGlobal) continue;
      num_sectors_ += static_cast<std::uint64_t>(cost);
      if (!polls || asks_again) continue;
      tally().count_most(request.pc, Counter::kPollsMaxPerWarp, ++trace_.num_polls);
    }
  }

  void count_passes(int num_passes) { trace_.num_passes += static_cast<std::uint64_t>(num_passes); }

  // Whether the warp asks for other words than in its last poll; if so, remembers them.
  bool begins_poll(const Request& request) {
    const auto polled = [&] { return trace_.polled.begin() + trace_.num_polled; };
    bool is_repeated = true;
    for (std::uint32_t rest = request.lanes; rest != 0; rest &= rest - 1) {
      const std::uintptr_t address = request.addresses[std::countr_zero(rest)];
      is_repeated &= std::find(trace_.polled.begin(), polled(), address) != polled();
    }
    if (is_repeated) return false;  // it waits, perhaps for fewer of the words
    trace_.num_polled = 0;
    for (std::uint32_t rest = request.lanes; rest != 0; rest &= rest - 1) {
      trace_.polled[trace_.num_polled++] = request.addresses[std::countr_zero(rest)];
    }
    return true;
  }

  // The group has executed the basic block at `pc`. Counts a divergent branch if its lanes go to
  // different ones; defers that if not all is known yet. Returns the order of the next step if all
  // are to make the same.
  std::uint64_t part(std::uint32_t group, std::uint32_t pc) {
    trace_.parting = 0;
    if (stays_together(group)) return next_[std::countr_zero(group)]->value;
    Branch branch(pc);
    bool all_go_on = true;
    for (std::uint32_t rest = group; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      const Event* const step = next_[lane];
      const bool goes_on = step->is_step();
      if (is_open(lane, step) || (goes_on && is_open(lane, step + 1))) {
        trace_.parting = group;
        trace_.parting_pc = pc;
        return kNowhere;
      }
      if (goes_on) branch.add_lane(step);
      all_go_on = all_go_on && goes_on;
    }
    if (branch.is_divergent() && !branch.is_predicated()) {
      tally().count_divergence(branch.place(kCallBytes));
    }
    return all_go_on && !branch.has_parted() ? branch.next() : kNowhere;
  }

  bool stays_together(std::uint32_t group) const {
    const Event& first = *next_[std::countr_zero(group)];
    if (!first.is_step()) return false;
    bool same = true;
    for (std::uint32_t rest = group & (group - 1); rest != 0; rest &= rest - 1) {
      const Event& other = *next_[std::countr_zero(rest)];
      same = same && other.code == first.code && other.value == first.value;
    }
    return same;
  }

  // Lets the lanes go on whose operations have all their lanes here. Returns whether there are any.
  bool complete_operations(std::uint32_t waiting) {
    std::array<std::uint32_t, kWarpSize> counted;
    int num_counted = 0;
    bool any = false;
    while (waiting != 0) {
      const Event operation = *next_[std::countr_zero(waiting)];
      const auto group = static_cast<std::uint32_t>(operation.value);
      const bool all_here = (group & ~waiting) == 0 && is_same(operation, group);
      waiting &= ~(all_here ? group : waiting & -waiting);
      if (!all_here) continue;
      any = true;
      for (std::uint32_t rest = group; rest != 0; rest &= rest - 1) ++next_[std::countr_zero(rest)];
      // Parts of one warp that come to the same call together execute one instruction.
      const auto* const end = counted.begin() + num_counted;
      const bool is_new = std::find(counted.cbegin(), end, operation.pc()) == end;
      if (!is_new || operation.size_bytes() == 0) continue;
      counted[num_counted++] = operation.pc();
      tally().count(operation.pc(), Counter::kWarpOperations, 1);
      count_passes(1);
    }
    return any;
  }

  bool is_same(const Event& operation, std::uint32_t group) const {
    for (std::uint32_t rest = group; rest != 0; rest &= rest - 1) {
      if (next_[std::countr_zero(rest)]->value != operation.value) return false;
    }
    return true;
  }

  Warp& warp_;
  WarpTrace& trace_;
  std::uint32_t lanes_ = 0;  // that may have more
  std::array<const Event*, kWarpSize> next_;
  std::uint64_t num_sectors_ = 0;  // of global memory that its requests moved
};

}  // namespace

void merge_traces(Warp& warp) {
  const Untraced untraced;
  Merge(warp).run();
  for (std::uint32_t rest = warp.paused; rest != 0; rest &= rest - 1) {
    const LaneTrace& trace = warp.trace->lanes[std::countr_zero(rest)];
    if (trace.events.size() - trace.next > LaneTrace::kMaxEvents / 2) continue;
    warp.paused &= ~(rest & -rest);
    warp.ready |= rest & -rest;
  }
}

}  // namespace simt::device
