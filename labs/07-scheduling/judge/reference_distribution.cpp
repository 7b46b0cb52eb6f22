// SPDX-License-Identifier: MIT
#include "reference_distribution.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <utility>

#include "reference.h"

namespace lab_judge {
namespace {

// How blocks are assigned. The defaults are the right rules; each mistake changes one.
struct PlacementRules {
  enum class Choice { kFewest, kFewestLast, kFirstWithRoom, kInTurn, kFixed, kJustFreed };
  Choice choice = Choice::kFewest;
  bool waits_for_wave = false;     // all blocks of a wave end before the next wave starts
  bool leaves_one_by_one = false;  // of several that end in a cycle, one leaves; the next block
                                   // starts before the others have left
  bool leaves_a_cycle_late = false;
  bool ends_with_last_block = false;  // the end is that of the block that started last
  bool ends_with_last_start = false;
};

int pick(const PlacementRules& rules, const std::vector<int>& resident, int limit, int block,
         int freed) {
  const int num_sms = static_cast<int>(resident.size());
  const auto has_room = [&](int sm) { return resident[sm] < limit; };
  switch (rules.choice) {
    case PlacementRules::Choice::kFewest:
      break;
    case PlacementRules::Choice::kFewestLast: {
      const auto last = std::ranges::min_element(resident.rbegin(), resident.rend());
      return num_sms - 1 - static_cast<int>(last - resident.rbegin());
    }
    case PlacementRules::Choice::kFirstWithRoom:
      for (int sm = 0; sm < num_sms; ++sm) {
        if (has_room(sm)) return sm;
      }
      break;
    case PlacementRules::Choice::kInTurn:  // the next in turn that has room
      for (int step = 0; step < num_sms; ++step) {
        const int sm = (block + step) % num_sms;
        if (has_room(sm)) return sm;
      }
      break;
    case PlacementRules::Choice::kFixed:
      return block % num_sms;
    case PlacementRules::Choice::kJustFreed:
      if (freed >= 0 && has_room(freed)) return freed;
      break;
  }
  return static_cast<int>(std::ranges::min_element(resident) - resident.begin());
}

Distribution distribute_by(const PlacementRules& rules, const std::vector<int>& durations,
                           const Device& device) {
  std::multiset<std::pair<int, int>> running;  // end, SM
  std::vector<int> resident(device.num_sms, 0);
  Distribution result;
  int now = 0;
  int freed = -1;
  const auto leave = [&] {
    freed = running.begin()->second;
    --resident[freed];
    running.erase(running.begin());
  };
  const auto is_full = [&](int block) {
    const bool waits_for_sm = rules.choice == PlacementRules::Choice::kFixed;
    return waits_for_sm ? resident[block % device.num_sms] >= device.blocks_per_sm
                        : std::ranges::min(resident) >= device.blocks_per_sm;
  };
  for (int block = 0; block < static_cast<int>(durations.size()); ++block) {
    while (is_full(block)) {
      now = running.begin()->first + (rules.leaves_a_cycle_late ? 1 : 0);
      if (rules.waits_for_wave) {
        while (running.size() > 1) leave();
        now = running.begin()->first;
      }
      leave();
      while (!rules.leaves_one_by_one && !running.empty() && running.begin()->first <= now) leave();
    }
    const int sm = pick(rules, resident, device.blocks_per_sm, block, freed);
    ++resident[sm];
    const int end = now + durations[block];
    running.emplace(end, sm);
    result.starts.push_back(now);
    result.sms.push_back(sm);
    result.end = rules.ends_with_last_block ? end : std::max(result.end, end);
    if (rules.ends_with_last_start) result.end = now;
  }
  return result;
}

}  // namespace

lab::Waves waves(int num_blocks, const Device& device) {
  const std::int64_t places = std::int64_t{device.num_sms} * device.blocks_per_sm;
  const auto resident = std::min<std::int64_t>(num_blocks, places);
  const std::int64_t num_waves = divide_up(num_blocks, places);
  return {.num_resident = static_cast<int>(resident),
          .most_on_an_sm = static_cast<int>(divide_up(resident, device.num_sms)),
          .least_on_an_sm = static_cast<int>(resident / device.num_sms),
          .num_waves = static_cast<int>(num_waves),
          .last_wave = static_cast<int>(num_blocks - (num_waves - 1) * places),
          .efficiency = static_cast<double>(num_blocks) / static_cast<double>(num_waves * places)};
}

std::string explain(int num_blocks, const Device& device, const lab::Waves& got) {
  const lab::Waves right = waves(num_blocks, device);
  const int places = device.num_sms * device.blocks_per_sm;
  if (right.num_resident != got.num_resident) {
    if (got.num_resident == places) {
      return "all places count as used, even if there are fewer blocks";
    }
    if (got.num_resident == std::min(num_blocks, device.num_sms)) {
      return "an SM runs one block at a time";
    }
    return {};
  }
  if (right.most_on_an_sm != got.most_on_an_sm || right.least_on_an_sm != got.least_on_an_sm) {
    if (got.most_on_an_sm == right.num_resident / device.num_sms) {
      return "most_on_an_sm is rounded down";
    }
    if (got.most_on_an_sm == std::min(num_blocks, device.blocks_per_sm)) {
      return "one SM is filled up after the other: blocks are spread evenly";
    }
    if (got.least_on_an_sm == right.most_on_an_sm) return "every SM has equally many blocks";
    return {};
  }
  if (right.num_waves != got.num_waves) {
    if (got.num_waves == num_blocks / places) return "a last wave that is not full is not counted";
    if (got.num_waves == num_blocks / places + 1) {
      return "one more wave is counted, even if the last one is full";
    }
    return {};
  }
  if (right.last_wave != got.last_wave) {
    return got.last_wave == num_blocks % places ? "a full last wave has 0 blocks" : "";
  }
  if (std::abs(got.efficiency - static_cast<double>(right.last_wave) / places) < 1e-9) {
    return "efficiency covers only the last wave: it must be the share over all rounds";
  }
  const auto rounded_down = num_blocks / (right.num_waves * places);
  if (got.efficiency == static_cast<double>(rounded_down)) {
    return "efficiency is the quotient of two integers, which rounds it down";
  }
  return {};
}

Distribution distribute(const std::vector<int>& durations, const Device& device) {
  return distribute_by({}, durations, device);
}

std::string explain(const std::vector<int>& durations, const Device& device,
                    const Distribution& got) {
  const std::pair<PlacementRules, const char*> mistakes[] = {
      {{.waits_for_wave = true},
       "a new wave starts only when all blocks of the one before have ended: a place is free as "
       "soon as its own block ends"},
      {{.choice = PlacementRules::Choice::kFixed},
       "block b waits for SM b % num_sms, even while others have room"},
      {{.choice = PlacementRules::Choice::kInTurn},
       "blocks go to SMs in turn: the one with the fewest resident blocks is next"},
      {{.choice = PlacementRules::Choice::kFirstWithRoom},
       "a block goes to the first SM that has room, not to the one with the fewest blocks"},
      {{.choice = PlacementRules::Choice::kFewestLast},
       "of several SMs with the fewest blocks the last is taken, not the first"},
      {{.choice = PlacementRules::Choice::kJustFreed},
       "a block goes to the SM where one has just ended, not to the one with the fewest blocks"},
      {{.leaves_one_by_one = true},
       "of several blocks that end in a cycle, "
       "only one leaves before the next block chooses its SM"},
      {{.leaves_a_cycle_late = true},
       "a block starts one cycle after its place is free: "
       "what ends at cycle t has left by cycle t"},
      {{.ends_with_last_block = true},
       "the grid ends with the block that started last: another one may run longer"},
      {{.ends_with_last_start = true}, "the grid ends when its last block starts"},
  };
  for (const auto& [rules, clause] : mistakes) {
    if (distribute_by(rules, durations, device) == got) return clause;
  }
  if (const Distribution right = distribute(durations, device);
      got.starts == right.starts && got.sms == right.sms) {
    return {};
  }
  if (std::ranges::all_of(got.starts, [](int start) { return start == 0; })) {
    return "all blocks start at once, however few places there are";
  }
  return {};
}

}  // namespace lab_judge
