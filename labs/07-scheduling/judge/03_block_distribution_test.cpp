// SPDX-License-Identifier: MIT
// Rung 03: how a grid's blocks are assigned to the SMs, and when the last one ends.
#include <algorithm>

#include "fixture.h"
#include "reference_distribution.h"

namespace lab_judge {
namespace {

struct Work {
  int num_blocks;
  Device device;
};

std::string text(const Work& grid) {
  return std::to_string(grid.num_blocks) + " blocks, " + std::to_string(grid.device.num_sms) +
         " SMs with room for " + std::to_string(grid.device.blocks_per_sm) + " each: ";
}

// "[3 1 4]", for a few; nothing for many.
std::string list_text(const std::vector<int>& items) {
  if (items.size() > 12) return {};
  std::string text = "[";
  for (const int item : items) text += (text.size() > 1 ? " " : "") + std::to_string(item);
  return text + "]";
}

class Distributing : public HostFixture {
 protected:
  void expect_waves(const std::vector<Work>& grids) {
    begin_case();
    std::vector<lab::Waves> results;
    const auto encode = [&](const Work& grid, const judge::OnHost<lab::Waves>& h_result) {
      return judge::encode_call<decltype(lab::waves)>("waves", grid.num_blocks, grid.device.num_sms,
                                                      grid.device.blocks_per_sm, h_result);
    };
    if (const auto failure = run_all<lab::Waves>(grids, encode, results)) return fail(*failure);
    for (std::size_t i = 0; i < grids.size(); ++i) {
      const Work& grid = grids[i];
      const std::string difference = compare(waves(grid.num_blocks, grid.device), results[i]);
      if (difference.empty()) continue;
      return fail({judge::kind::kWrongResult, "waves, " + text(grid) + difference,
                   explain(grid.num_blocks, grid.device, results[i])});
    }
  }

  // Durations from 1 to `longest`.
  std::vector<int> some_durations(int num_blocks, int longest) {
    std::vector<int> durations(num_blocks);
    for (int& duration : durations) duration = some(1, longest);
    return durations;
  }

  std::optional<Failure> distribute_on(const std::vector<int>& durations, const Device& device) {
    begin_case();
    const auto h_durations = input("h_durations", durations);
    const auto h_start = output<int>("h_start", durations.size());
    const auto h_sm = output<int>("h_sm", durations.size());
    const auto h_end = output<int>("the result", 1);
    auto failure = call<decltype(lab::distribute)>(
        "distribute", on_host(h_durations), static_cast<int>(durations.size()), device.num_sms,
        device.blocks_per_sm, on_host(h_start), on_host(h_sm), on_host(h_end));
    if (!failure) {
      failure =
          compare(durations, device, {h_end.download()[0], h_start.download(), h_sm.download()});
    }
    if (failure) {
      tell_case(*failure, "distribute, " + text({static_cast<int>(durations.size()), device}));
    }
    return failure;
  }

  void expect_distribution(const std::vector<int>& durations, const Device& device) {
    if (const auto failure = distribute_on(durations, device)) fail(*failure);
  }

  // Random blocks on random devices, the fewest blocks that fail.
  void expect_for_blocks(const std::vector<int>& counts, int longest) {
    expect_for_sizes(counts, [&](int num_blocks) {
      return distribute_on(some_durations(num_blocks, longest), {some(1, 12), some(1, 4)});
    });
  }

 private:
  static std::string compare(const lab::Waves& expected, const lab::Waves& got) {
    const std::pair<const char*, int lab::Waves::*> fields[] = {
        {"num_resident", &lab::Waves::num_resident},
        {"most_on_an_sm", &lab::Waves::most_on_an_sm},
        {"least_on_an_sm", &lab::Waves::least_on_an_sm},
        {"num_waves", &lab::Waves::num_waves},
        {"last_wave", &lab::Waves::last_wave}};
    for (const auto& [name, field] : fields) {
      if (expected.*field != got.*field) {
        return std::string(name) + ": " + expected_got(expected.*field, got.*field);
      }
    }
    if (is_near(got.efficiency, expected.efficiency)) return {};
    return "efficiency: " + expected_got(expected.efficiency, got.efficiency);
  }

  static std::optional<Failure> compare(const std::vector<int>& durations, const Device& device,
                                        const Distribution& got) {
    const Distribution right = distribute(durations, device);
    if (got == right) return std::nullopt;
    Failure failure{judge::kind::kWrongResult, "", explain(durations, device, got)};
    if (const std::string list = list_text(durations); !list.empty()) {
      failure.message = "durations " + list + ": ";
    }
    for (std::size_t i = 0; i < durations.size(); ++i) {
      const std::string block = "block " + std::to_string(i);
      if (judge::is_poison(got.starts[i]) || judge::is_poison(got.sms[i])) {
        failure.kind = judge::kind::kOutputUnwritten;
        failure.message += block + " has no " + (judge::is_poison(got.starts[i]) ? "start" : "SM");
        return failure;
      }
      if (got.starts[i] == right.starts[i] && got.sms[i] == right.sms[i]) continue;
      failure.message += block + " should start in cycle " + std::to_string(right.starts[i]) +
                         " on SM " + std::to_string(right.sms[i]) + ", but starts in cycle " +
                         std::to_string(got.starts[i]) + " on SM " + std::to_string(got.sms[i]) +
                         " (the first wrong block)";
      return failure;
    }
    failure.message += "the end: " + expected_got(right.end, got.end);
    return failure;
  }
};

// 100 blocks of 64 threads on 16 SMs: by threads alone, 12 blocks fit on an SM, so all run at once,
// 6 or 7 per SM. A real G80 takes 8 blocks per SM; with 200 blocks the two results differ.
TEST_F(Distributing, MakesTheHandoutsWaves) {
  expect_waves({{100, {16, 12}}, {100, {16, 8}}, {192, {16, 12}}, {200, {16, 12}}, {200, {16, 8}}});
}

TEST_F(Distributing, MakesAnyWaves) {
  std::vector<Work> grids = {{5, {7, 3}}, {1, {132, 32}}, {100000000, {108, 9}}};
  for (int i = 0; i < 80; ++i) {
    const Device device = {some(1, 150), some(1, 32)};
    const int places = device.num_sms * device.blocks_per_sm;
    const int around = std::max(1, places * some(1, 5) + some(-1, 1));
    grids.push_back({i % 2 == 0 ? around : some(1, 6 * places), device});
  }
  expect_waves(grids);
}

// The handout's: four SMs, two blocks each; the ninth block waits for the third.
TEST_F(Distributing, GivesOutTheHandoutsBlocks) {
  expect_distribution({5, 9, 2, 7, 4, 4, 6, 3, 8, 1, 5, 3}, {4, 2});
  if (!HasFailure()) expect_distribution(some_durations(11, 9), {3, 2});
}

TEST_F(Distributing, GivesOutBlocksThatAllEndAtOnce) {
  for (const int num_blocks : {24, 25, 31, 100}) {
    expect_distribution(std::vector<int>(num_blocks, some(2, 9)), {4, 3});
    if (HasFailure()) return;
  }
}

TEST_F(Distributing, GivesOutAnyBlocks) { expect_for_blocks({7, 31, 64, 200, 500}, 20); }

// Often several blocks end in the same cycle, and several SMs have equally many.
TEST_F(Distributing, BreaksTies) { expect_for_blocks({9, 33, 100, 400}, 3); }

// A long one among many short ones.
TEST_F(Distributing, EndsWithTheLongestTail) {
  for (int round = 0; round < 4; ++round) {
    std::vector<int> durations = some_durations(60, 10);
    durations[some(20, 40)] = some(200, 300);
    expect_distribution(durations, {some(3, 6), some(1, 3)});
    if (HasFailure()) return;
  }
}

TEST_F(Distributing, GivesOutManyBlocks) {
  expect_distribution(some_durations(5000 + some(0, 500), 1000), {132, 8});
}

TEST_F(Distributing, GivesOutFewBlocks) {
  // One after the other in the same process, including an empty grid.
  for (const int num_blocks : {3, 1, 2, 0, 5}) {
    expect_distribution(some_durations(num_blocks, 9), {num_blocks == 3 ? 1 : 4, 1});
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace lab_judge
