// SPDX-License-Identifier: MIT
// Rung 02: how many warps it takes to hide a latency, and how busy they keep the machine.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <sstream>

#include "fixture.h"
#include "reference.h"

namespace lab_judge {
namespace {

// A mistake and what it would return for a case.
template <class Case, class Value>
struct WrongFormula {
  const char* clause;
  std::function<Value(const Case&)> value;
};

// A clause that completes "It looks as if ...", or nothing.
template <class Case, class Value, class Same>
std::string explain(const std::vector<WrongFormula<Case, Value>>& mistakes,
                    const std::vector<Case>& cases, const std::vector<Value>& results,
                    const Same& same) {
  for (const auto& [clause, value] : mistakes) {
    bool fits = true;
    for (std::size_t i = 0; i < cases.size() && fits; ++i) fits = same(results[i], value(cases[i]));
    if (fits) return clause;
  }
  return {};
}

// An SM and its warps; num_warps only for utilization().
struct Wait {
  int num_lanes;
  int num_independent;
  int latency_cycles;
  int num_warps = 0;
};

std::int64_t busy(const Wait& wait) {
  return divide_up(lab::kWarpSize, wait.num_lanes) * wait.num_independent;
}

std::string text(const Wait& wait) {
  return std::to_string(wait.num_lanes) + " lanes, " + std::to_string(wait.num_independent) +
         " independent instructions, a latency of " + std::to_string(wait.latency_cycles) +
         " cycles";
}

struct Traffic {
  int gigabytes_per_second;
  int latency_ns;
  int num_sms;
  int bytes_per_load;
  int loads_per_thread;
};

std::int64_t bytes_under_way(const Traffic& traffic) {
  return std::int64_t{traffic.gigabytes_per_second} * traffic.latency_ns;
}
std::int64_t bytes_per_warp(const Traffic& traffic) {
  return std::int64_t{lab::kWarpSize} * traffic.bytes_per_load * traffic.loads_per_thread;
}

std::string text(const Traffic& traffic) {
  return std::to_string(traffic.gigabytes_per_second) + " GB/s, " +
         std::to_string(traffic.latency_ns) + " ns, " + std::to_string(traffic.num_sms) + " SMs, " +
         std::to_string(traffic.loads_per_thread) + " loads of " +
         std::to_string(traffic.bytes_per_load) + " bytes per thread";
}

const std::vector<WrongFormula<Wait, int>> kCoverMistakes = {
    {"the warps are rounded down: the last piece of the latency has no warp to fill it",
     [](const Wait& wait) { return static_cast<int>(wait.latency_cycles / busy(wait)); }},
    {"each instruction takes one cycle: it takes a warp of 32 threads 32 / num_lanes",
     [](const Wait& wait) {
       return static_cast<int>(divide_up(wait.latency_cycles, wait.num_independent));
     }},
    {"32 / num_lanes is rounded down: the last lanes of a warp take a cycle too",
     [](const Wait& wait) {
       const int cycles = lab::kWarpSize / wait.num_lanes * wait.num_independent;
       return static_cast<int>(divide_up(wait.latency_cycles, cycles));
     }},
    {"a warp has one instruction, not num_independent, before it has to wait",
     [](const Wait& wait) {
       return static_cast<int>(
           divide_up(wait.latency_cycles, divide_up(lab::kWarpSize, wait.num_lanes)));
     }},
    {"one more warp is added, even if the latency is filled exactly",
     [](const Wait& wait) { return static_cast<int>(wait.latency_cycles / busy(wait) + 1); }},
    {"the waiting warp is counted too: count only the warps that issue meanwhile",
     [](const Wait& wait) {
       return static_cast<int>(divide_up(wait.latency_cycles, busy(wait)) + 1);
     }},
};

const std::vector<WrongFormula<Traffic, int>> kFillMistakes = {
    {"the warps are rounded down",
     [](const Traffic& traffic) {
       return static_cast<int>(bytes_under_way(traffic) /
                               (traffic.num_sms * bytes_per_warp(traffic)));
     }},
    {"bytes are divided among the SMs and rounded down, before they are divided among warps",
     [](const Traffic& traffic) {
       return static_cast<int>(
           divide_up(bytes_under_way(traffic) / traffic.num_sms, bytes_per_warp(traffic)));
     }},
    {"a warp has one load in flight, not one for each of its 32 threads",
     [](const Traffic& traffic) {
       return static_cast<int>(divide_up(
           bytes_under_way(traffic), traffic.num_sms * bytes_per_warp(traffic) / lab::kWarpSize));
     }},
    {"loads_per_thread is not counted",
     [](const Traffic& traffic) {
       return static_cast<int>(
           divide_up(bytes_under_way(traffic),
                     traffic.num_sms * bytes_per_warp(traffic) / traffic.loads_per_thread));
     }},
    {"the warps are those of all SMs together, not of each",
     [](const Traffic& traffic) {
       return static_cast<int>(divide_up(bytes_under_way(traffic), bytes_per_warp(traffic)));
     }},
    {"bandwidth times latency overflows an int",
     [](const Traffic& traffic) {
       const auto wrapped = static_cast<std::int32_t>(bytes_under_way(traffic));
       const auto unit = static_cast<std::int32_t>(traffic.num_sms * bytes_per_warp(traffic));
       const auto sum = static_cast<std::int32_t>(std::int64_t{wrapped} + unit - 1);
       return unit == 0 ? 0 : sum / unit;
     }},
};

double share(double num_warps, double busy_cycles, double round_cycles) {
  return round_cycles > 0 ? num_warps * busy_cycles / round_cycles : 1.0;
}

const std::vector<WrongFormula<Wait, double>> kShareMistakes = {
    {"a share of more than 1 is possible: with enough warps there is nothing left to fill",
     [](const Wait& wait) {
       return share(wait.num_warps, busy(wait), busy(wait) + wait.latency_cycles);
     }},
    {"only the latency counts as a warp's round: a warp first issues, then waits",
     [](const Wait& wait) {
       return std::min(1.0, share(wait.num_warps, busy(wait), wait.latency_cycles));
     }},
    {"the quotient is computed with integers, which rounds it down",
     [](const Wait& wait) {
       const auto rounded_down = wait.num_warps * busy(wait) / (busy(wait) + wait.latency_cycles);
       return std::min(1.0, static_cast<double>(rounded_down));
     }},
    {"num_warps is not counted",
     [](const Wait& wait) { return share(1, busy(wait), busy(wait) + wait.latency_cycles); }},
    {"each instruction takes one cycle: it takes a warp of 32 threads 32 / num_lanes",
     [](const Wait& wait) {
       return std::min(1.0, share(wait.num_warps, wait.num_independent,
                                  wait.num_independent + wait.latency_cycles));
     }},
};

class LatencyHiding : public HostFixture {
 protected:
  void expect_cover(const std::vector<Wait>& waits) {
    const auto encode = [&](const Wait& wait, const judge::OnHost<int>& h_result) {
      return judge::encode_call<decltype(lab::warps_to_cover)>(
          "warps_to_cover", wait.num_lanes, wait.num_independent, wait.latency_cycles, h_result);
    };
    const auto warps = [](const Wait& wait) {
      return static_cast<int>(divide_up(wait.latency_cycles, busy(wait)));
    };
    const auto words = [](const Wait& wait) { return "warps_to_cover, " + text(wait); };
    expect<int>(waits, encode, warps, words, kCoverMistakes, std::equal_to<>());
  }

  void expect_fill(const std::vector<Traffic>& traffics) {
    const auto encode = [&](const Traffic& traffic, const judge::OnHost<int>& h_result) {
      return judge::encode_call<decltype(lab::warps_to_fill_memory)>(
          "warps_to_fill_memory", traffic.gigabytes_per_second, traffic.latency_ns, traffic.num_sms,
          traffic.bytes_per_load, traffic.loads_per_thread, h_result);
    };
    const auto warps = [](const Traffic& traffic) {
      return static_cast<int>(
          divide_up(bytes_under_way(traffic), traffic.num_sms * bytes_per_warp(traffic)));
    };
    const auto words = [](const Traffic& traffic) {
      return "warps_to_fill_memory, " + text(traffic);
    };
    expect<int>(traffics, encode, warps, words, kFillMistakes, std::equal_to<>());
  }

  void expect_share(const std::vector<Wait>& waits) {
    const auto encode = [&](const Wait& wait, const judge::OnHost<double>& h_result) {
      return judge::encode_call<decltype(lab::utilization)>(
          "utilization", wait.num_lanes, wait.num_independent, wait.latency_cycles, wait.num_warps,
          h_result);
    };
    const auto value = [](const Wait& wait) {
      return std::min(1.0, share(wait.num_warps, busy(wait), busy(wait) + wait.latency_cycles));
    };
    const auto words = [](const Wait& wait) {
      return "utilization, " + text(wait) + ", " + judge::counted(wait.num_warps, "warp");
    };
    expect<double>(waits, encode, value, words, kShareMistakes, is_near);
  }

 private:
  template <class Value, class Case, class Encode, class Expected, class Words, class Same>
  void expect(const std::vector<Case>& cases, const Encode& encode, const Expected& expected,
              const Words& words, const std::vector<WrongFormula<Case, Value>>& mistakes,
              const Same& same) {
    begin_case();
    std::vector<Value> results;
    if (const auto failure = run_all<Value>(cases, encode, results)) return fail(*failure);
    for (std::size_t i = 0; i < cases.size(); ++i) {
      const Value right = expected(cases[i]);
      if (same(results[i], right)) continue;
      std::ostringstream message;
      message.precision(12);
      message << words(cases[i]) << ": expected " << right << ", got " << results[i];
      return fail({judge::kind::kWrongResult, message.str(),
                   explain<Case, Value>(mistakes, cases, results, same)});
    }
  }
};

// 8 lanes and 4 multiply-adds cover 16 cycles, so 200 cycles take 13 warps.
TEST_F(LatencyHiding, CoversTheHandoutsLatency) {
  expect_cover({{8, 4, 200}, {8, 4, 208}, {8, 4, 209}, {8, 1, 200}, {32, 4, 400}, {12, 3, 100}});
}

TEST_F(LatencyHiding, CoversAnyLatency) {
  std::vector<Wait> waits = {{8, 4, 0}, {8, 4, 1}, {8, 4, 16}, {8, 4, 17}, {1, 1, 1}, {32, 1, 1}};
  for (int i = 0; i < 80; ++i) {
    waits.push_back({some(1, 32), some(1, 1 << some(0, 9)), some(1, 10 << some(0, 16))});
  }
  expect_cover(waits);
}

TEST_F(LatencyHiding, FillsTheHandoutsMemory) {
  expect_fill({{4800, 700, 132, 4, 1}, {4800, 700, 132, 16, 4}, {86, 450, 16, 4, 1}});
}

TEST_F(LatencyHiding, FillsAnyMemory) {
  std::vector<Traffic> traffics = {{1, 1, 1, 1, 1}, {32, 32, 32, 1, 1}, {33, 32, 32, 1, 1}};
  for (int i = 0; i < 80; ++i) {
    traffics.push_back(
        {some(1, 5000), some(100, 1500), some(1, 200), 1 << some(0, 4), some(1, 16)});
  }
  expect_fill(traffics);
}

TEST_F(LatencyHiding, FillsAMemoryOfLargeNumbers) {
  std::vector<Traffic> traffics = {{100000, 100000, 10000, 16, 64}, {100000, 100000, 100, 1, 1}};
  for (int i = 0; i < 20; ++i) {
    traffics.push_back(
        {some(50000, 100000), some(50000, 100000), some(100, 10000), 16, some(8, 64)});
  }
  expect_fill(traffics);
}

// 13 warps cover 200 cycles; it takes a fourteenth to keep the SM busy all the time, as each of
// them issues too. A single warp with enough work between its waits hides the latency as well as
// many.
TEST_F(LatencyHiding, SharesTheHandoutsTime) {
  expect_share({{8, 4, 200, 1},
                {8, 4, 200, 13},
                {8, 4, 200, 14},
                {8, 4, 200, 24},
                {8, 1, 200, 24},
                {8, 50, 200, 2}});
}

TEST_F(LatencyHiding, SharesAnyTime) {
  std::vector<Wait> waits = {{8, 4, 200, 7}, {8, 4, 0, 1}, {8, 4, 0, 0}, {1, 1, 1000000, 1}};
  for (int i = 0; i < 80; ++i) {
    waits.push_back({some(1, 32), some(1, 40), some(0, 1000), some(0, 1 << some(0, 6))});
  }
  expect_share(waits);
}

}  // namespace
}  // namespace lab_judge
