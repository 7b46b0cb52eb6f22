// SPDX-License-Identifier: MIT
#include "reference_scheduler.h"

#include <algorithm>
#include <functional>

namespace lab_judge {
namespace {

using lab::Policy;

constexpr int kNone = -1;

// How the scheduler works. The defaults are the right rules; each mistake changes one.
struct IssueRules {
  enum class Turn { kAfterLast, kFromZero, kFromLast, kStrict };
  enum class Fallback { kOldest, kSmallestNumber, kYoungest, kReadyLongest, kNextInTurn, kNone };
  Turn turn = Turn::kAfterLast;
  int first_last = kNone;        // the warp that counts as the last to issue before the beginning
  bool idle_moves_turn = false;  // an idle cycle counts as a turn of the next warp
  Fallback fallback = Fallback::kOldest;
  bool stays = true;  // greedy at all
  int more_latency = 0;
  bool latency_after_issue = false;
  bool latency_is_issue = false;
  bool issues_in_one_cycle = false;
  bool ignores_arrival = false;
  bool ready_after = false;      // ready behind the cycle in which the result is there
  bool ends_with_issue = false;  // does not wait for pending results
  bool skips_idle = false;       // idle cycles are left out of the timeline
  bool other_policy = false;
};

class Scheduler {
 public:
  Scheduler(Policy policy, const Program& program, const IssueRules& rules)
      : policy_(policy),
        program_(program),
        rules_(rules),
        issued_(program.warps.size(), 0),
        last_(rules.first_last) {
    if (rules.other_policy) {
      policy_ = policy == Policy::kRoundRobin ? Policy::kGreedyThenOldest : Policy::kRoundRobin;
    }
    for (const lab::Warp& warp : program.warps) {
      ready_at_.push_back(rules.ignores_arrival ? 0 : warp.arrival);
    }
  }

  // Called at the beginning of each cycle in which the scheduler is free.
  using Observer = std::function<void(const Scheduler&)>;

  Timeline run(const Observer& observer = {}) {
    int end = 0;
    while (has_work()) {
      if (observer) observer(*this);
      const int warp = policy_ == Policy::kRoundRobin ? in_turn() : greedy();
      if (warp == kNone) {
        note(lab::kIdle);
        if (rules_.idle_moves_turn) last_ = (last_ + 1) % num_warps();
        continue;
      }
      const lab::Instruction instruction =
          program_.instructions[program_.warps[warp].first_instruction + issued_[warp]++];
      int latency = instruction.latency + rules_.more_latency;
      if (rules_.latency_after_issue) latency += instruction.issue_cycles;
      if (rules_.latency_is_issue) latency = instruction.issue_cycles;
      ready_at_[warp] = cycle_ + latency;
      end = std::max(end, ready_at_[warp]);
      const int issue_cycles = rules_.issues_in_one_cycle ? 1 : instruction.issue_cycles;
      for (int i = 0; i < issue_cycles; ++i) note(warp);
      last_ = warp;
    }
    while (!rules_.ends_with_issue && cycle_ < end) note(lab::kIdle);
    timeline_.num_cycles = cycle_;
    if (rules_.skips_idle) {
      std::erase(timeline_.cycles, lab::kIdle);
      timeline_.num_cycles = static_cast<int>(timeline_.cycles.size());
      timeline_.num_idle = 0;
    }
    return timeline_;
  }

  int cycle() const { return cycle_; }
  int last() const { return last_; }
  bool is_ready(int warp) const {
    return has_left(warp) && ready_at_[warp] + (rules_.ready_after ? 1 : 0) <= cycle_;
  }

 private:
  int num_warps() const { return static_cast<int>(program_.warps.size()); }
  bool has_left(int warp) const { return issued_[warp] < program_.warps[warp].num_instructions; }
  bool has_work() const {
    for (int warp = 0; warp < num_warps(); ++warp) {
      if (has_left(warp)) return true;
    }
    return false;
  }
  void note(int warp) {
    timeline_.cycles.push_back(warp);
    if (warp == lab::kIdle) ++timeline_.num_idle;
    ++cycle_;
  }

  int in_turn() const {
    int before = last_;
    if (rules_.turn == IssueRules::Turn::kFromZero) before = kNone;
    if (rules_.turn == IssueRules::Turn::kFromLast && last_ != kNone) before = last_ - 1;
    for (int step = 1; step <= num_warps(); ++step) {
      const int warp = (before + step) % num_warps();
      if (is_ready(warp)) return warp;
      if (rules_.turn == IssueRules::Turn::kStrict && has_left(warp)) return kNone;
    }
    return kNone;
  }

  int greedy() const {
    if (rules_.stays && last_ != kNone) {
      if (is_ready(last_)) return last_;
      if (rules_.fallback == IssueRules::Fallback::kNone && has_left(last_)) return kNone;
    }
    if (rules_.fallback == IssueRules::Fallback::kNextInTurn) return in_turn();
    int best = kNone;
    for (int warp = 0; warp < num_warps(); ++warp) {
      if (is_ready(warp) && (best == kNone || is_better(warp, best))) best = warp;
    }
    return best;
  }
  bool is_better(int warp, int than) const {
    const int mine = program_.warps[warp].arrival;
    const int others = program_.warps[than].arrival;
    if (rules_.fallback == IssueRules::Fallback::kSmallestNumber) return false;
    if (rules_.fallback == IssueRules::Fallback::kReadyLongest) {
      return ready_at_[warp] < ready_at_[than];
    }
    return rules_.fallback == IssueRules::Fallback::kYoungest ? mine >= others : mine < others;
  }

  Policy policy_;
  const Program& program_;
  IssueRules rules_;
  std::vector<int> issued_;  // instructions of each warp
  std::vector<int> ready_at_;
  int last_;
  int cycle_ = 0;
  Timeline timeline_;
};

struct WrongScheduler {
  IssueRules rules;
  const char* clause;
};

const WrongScheduler kRoundRobinOnly[] = {
    {{.turn = IssueRules::Turn::kFromZero},
     "every search begins at warp 0: it begins behind the warp that issued last"},
    {{.turn = IssueRules::Turn::kFromLast},
     "the search begins at the warp that issued last: that warp must come last"},
    {{.turn = IssueRules::Turn::kStrict},
     "the scheduler waits for the next warp in turn, even while others are ready"},
    {{.first_last = 0}, "warp 1 comes first: in the beginning it is warp 0's turn"},
    {{.idle_moves_turn = true},
     "an idle cycle counts as a turn: the warp that issued last remains the last"},
};

const WrongScheduler kGreedyOnly[] = {
    {{.fallback = IssueRules::Fallback::kNone},
     "the scheduler waits for its warp until that is done: it falls back to the oldest ready warp"},
    {{.fallback = IssueRules::Fallback::kNextInTurn},
     "where its warp is not ready the next one in turn follows, not the oldest"},
    {{.fallback = IssueRules::Fallback::kSmallestNumber},
     "the oldest warp is taken for the one with the smallest number, "
     "not for the one that arrived first"},
    {{.fallback = IssueRules::Fallback::kReadyLongest},
     "the oldest warp is taken for the one that has been ready the longest, "
     "not for the one with the smallest arrival"},
    {{.fallback = IssueRules::Fallback::kYoungest},
     "the youngest ready warp follows, not the oldest (or the last of several of the same age)"},
    {{.stays = false},
     "the oldest ready warp always issues: greedy means to stay with the warp that issued last"},
};

const WrongScheduler kBoth[] = {
    {{.other_policy = true}, "the two policies are interchanged"},
    {{.more_latency = 1},
     "a warp is ready one cycle late: issued in cycle c, the result is there in cycle c + latency"},
    {{.more_latency = -1},
     "a warp is ready one cycle early: "
     "issued in cycle c, the result is there in cycle c + latency"},
    {{.ready_after = true},
     "a warp is ready one cycle after its result, or its arrival: it is ready in that very cycle"},
    {{.latency_after_issue = true},
     "latency is counted from the end of the issue: it begins with its first cycle"},
    {{.latency_is_issue = true}, "no warp waits for a result: latency is not counted"},
    {{.issues_in_one_cycle = true}, "each instruction is issued in one cycle, not in issue_cycles"},
    {{.ignores_arrival = true}, "warps issue before they have arrived"},
    {{.ends_with_issue = true},
     "all ends with the last issue: the pending results must be waited for"},
    {{.skips_idle = true}, "idle cycles are left out: they are cycles too, of kIdle"},
};

}  // namespace

void Program::add(int arrival, const std::vector<lab::Instruction>& of_warp) {
  warps.push_back(
      {arrival, static_cast<int>(instructions.size()), static_cast<int>(of_warp.size())});
  instructions.insert(instructions.end(), of_warp.begin(), of_warp.end());
}

Timeline schedule(Policy policy, const Program& program) {
  return Scheduler(policy, program, {}).run();
}

int room_for(const Program& program) {
  int room = 64;
  for (const lab::Warp& warp : program.warps) room = std::max(room, warp.arrival);
  // One after the other, and every latency counted from the end of its issue.
  for (const lab::Instruction& each : program.instructions) {
    room += each.latency + each.issue_cycles + 1;
  }
  return room;
}

std::string explain(Policy policy, const Program& program, const Timeline& got) {
  const auto find = [&](const auto& hypotheses) -> std::string {
    for (const auto& [rules, clause] : hypotheses) {
      // A mistake that leaves out idle cycles may count them or not.
      const Timeline made = Scheduler(policy, program, rules).run();
      if (made.cycles == got.cycles && (rules.skips_idle || made == got)) return clause;
    }
    return {};
  };
  std::string clause = policy == Policy::kRoundRobin ? find(kRoundRobinOnly) : find(kGreedyOnly);
  if (clause.empty()) clause = find(kBoth);
  if (!clause.empty()) return clause;
  const Timeline right = schedule(policy, program);
  if (got.cycles != right.cycles) return {};
  const auto last = std::ranges::find_if(right.cycles.rbegin(), right.cycles.rend(),
                                         [](int warp) { return warp != lab::kIdle; });
  const int tail = static_cast<int>(last - right.cycles.rbegin());
  if (tail > 0 && got.num_cycles == right.num_cycles && got.num_idle == right.num_idle - tail) {
    return "the cycles behind the last issue are not counted as idle";
  }
  if (tail > 0 && got.num_cycles == right.num_cycles - tail) {
    return "num_cycles ends with the last issue: the pending results must be waited for";
  }
  return {};
}

std::string situation(Policy policy, const Program& program, int cycle) {
  constexpr std::size_t kMostNamed = 8;
  std::string words;
  int last_issue = 0;  // the last cycle in which a warp could issue
  Scheduler(policy, program, {}).run([&](const Scheduler& scheduler) {
    last_issue = scheduler.cycle();
    if (scheduler.cycle() != cycle) return;
    std::vector<int> ready;
    for (int warp = 0; warp < static_cast<int>(program.warps.size()); ++warp) {
      if (scheduler.is_ready(warp)) ready.push_back(warp);
    }
    words = ready.empty() ? "no warp is ready" : ready.size() == 1 ? "ready: warp" : "ready: warps";
    for (std::size_t i = 0; i < std::min(ready.size(), kMostNamed); ++i) {
      words += (i == 0 ? " " : ", ") + std::to_string(ready[i]);
    }
    if (ready.size() > kMostNamed) {
      words += " and " + std::to_string(ready.size() - kMostNamed) + " more";
    }
    words += scheduler.last() == kNone
                 ? "; no warp has issued yet"
                 : "; the last to issue was warp " + std::to_string(scheduler.last());
  });
  if (!words.empty()) return words;
  return schedule(policy, program).cycles[cycle] == lab::kIdle && cycle > last_issue
             ? "all is issued, and results are still pending"
             : "an instruction still occupies the scheduler";
}

}  // namespace lab_judge
