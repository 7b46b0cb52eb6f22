// SPDX-License-Identifier: MIT
// Rung 05: how many warps diverge in a tree, and curves without divergence.
#include <algorithm>
#include <array>

#include "fixture/fixture.h"
#include "fixture/test_data.h"
#include "workload.h"

namespace lab_judge {
namespace {

using judge::Buffer;
using judge::Failure;
using lab::Curve;
using lab::kNumKinds;
using lab::kNumTerms;
using lab::kWarpSize;
using lab::Sample;
using lab::Tree;

// ---- counting

using Counts = std::vector<int>;

std::string text(const Counts& counts) {
  std::string text;
  for (const int count : counts) text += (text.empty() ? "" : " ") + std::to_string(count);
  return text;
}

// One number per step, from the active and the present threads of each warp.
// `halved`: each contiguous step has half of its threads.
template <class OfWarp>
Counts count_steps(int num_threads, Tree tree, OfWarp of_warp, int halved = 1) {
  Counts counts;
  int longest = 1;
  while (2 * longest <= num_threads) longest *= 2;
  for (int step = 1; step <= longest; step *= 2) {
    int count = 0;
    for (int warp = 0; warp * kWarpSize < num_threads; ++warp) {
      const int first = warp * kWarpSize;
      const int size = std::min(kWarpSize, num_threads - first);
      int num_active = 0;
      for (int t = first; t < first + size; ++t) {
        num_active += tree == Tree::kInterleaved ? t % step == 0 : t < longest / step / halved;
      }
      count += of_warp(num_active, size);
    }
    counts.push_back(count);
  }
  return counts;
}

int diverges(int num_active, int size) { return num_active > 0 && num_active < size; }

// What was returned for blocks of several sizes.
struct CountAnswer {
  int num_threads;
  Counts counts;
};

// A clause that completes "It looks as if ...", from all answers for a tree; or nothing.
std::string explain_counts(Tree tree, const std::vector<CountAnswer>& answers) {
  const auto fits = [&](auto of_warp, Tree of_tree) {
    return std::ranges::all_of(answers, [&](const CountAnswer& answer) {
      return answer.counts == count_steps(answer.num_threads, of_tree, of_warp);
    });
  };
  if (fits([](int num_active, int) { return num_active > 0; }, tree)) {
    return "every warp with an active thread is counted; "
           "one whose threads are all active does not diverge";
  }
  if (fits([](int num_active, int size) { return num_active < size; }, tree)) {
    return "every warp with an idle thread is counted; "
           "one whose threads are all idle does not diverge";
  }
  if (fits([](int num_active, int) { return num_active > 0 && num_active < kWarpSize; }, tree)) {
    return "the missing threads of the last warp are counted as idle";
  }
  if (fits([](int num_active, int size) { return size == kWarpSize && diverges(num_active, size); },
           tree)) {
    return "the last warp is left out when it has fewer than 32 threads";
  }
  if (fits([](int num_active, int) { return num_active; }, tree)) {
    return "active threads are counted, not warps";
  }
  if (tree == Tree::kContiguous && std::ranges::all_of(answers, [&](const CountAnswer& answer) {
        return answer.counts == count_steps(answer.num_threads, tree, diverges, 2);
      })) {
    return "each stride is half of what it should be: the first step has the longest stride that "
           "is at most num_threads";
  }
  if (fits(diverges, tree == Tree::kInterleaved ? Tree::kContiguous : Tree::kInterleaved)) {
    return "the two trees are mixed up";
  }
  const bool is_reversed = std::ranges::all_of(answers, [&](const CountAnswer& answer) {
    Counts reversed = count_steps(answer.num_threads, tree, diverges);
    std::ranges::reverse(reversed);
    return answer.counts == reversed;
  });
  return is_reversed ? "the steps are counted in the reverse order" : "";
}

// ---- curves

struct Curves {
  std::vector<Sample> samples;
  std::vector<float> coefficients;  // (kNumKinds, kNumTerms)

  Curve curve(std::size_t i) const { return of(samples[i].x, samples[i].kind); }
  Curve of(float x, int kind) const {
    return curve_by_powers(x, [&](int j) { return coefficients[kind * kNumTerms + j]; });
  }
  Curve reversed(float x, int kind) const {
    return curve_by_powers(x, [&](int j) { return coefficients[(kind + 1) * kNumTerms - 1 - j]; });
  }
};

bool equal(const Curve& a, const Curve& b) { return a.value == b.value && a.slope == b.slope; }

std::string text(const Curve& curve) {
  return "{" + std::to_string(curve.value) + ", " + std::to_string(curve.slope) + "}";
}

std::string explain_curves(const Curves& curves, const std::vector<Curve>& got) {
  const auto fits = [&](auto mistake) {
    for (std::size_t i = 0; i < got.size(); ++i) {
      if (!equal(got[i], mistake(i)) && !equal(got[i], curves.curve(i))) return false;
    }
    return true;
  };
  const auto& samples = curves.samples;
  if (fits([](std::size_t) { return Curve{0, 0}; })) return "these curves are zeros";
  if (fits([&](std::size_t i) { return Curve{curves.curve(i).slope, curves.curve(i).value}; })) {
    return "value and slope have changed places";
  }
  if (fits([&](std::size_t i) { return curves.reversed(samples[i].x, samples[i].kind); })) {
    return "the terms are taken in the reverse order: the first belongs to x^0";
  }
  if (fits([&](std::size_t i) { return Curve{curves.curve(i).value, curves.curve(i).value}; })) {
    return "the slope is the value once more";
  }
  for (int kind = 0; kind < kNumKinds; ++kind) {
    if (fits([&](std::size_t i) { return curves.of(samples[i].x, kind); })) {
      return "all samples are treated as the same kind";
    }
  }
  if (fits([&](std::size_t i) {  // one kind for the warp: its first lane's
        return curves.of(samples[i].x, samples[i / kWarpSize * kWarpSize].kind);
      })) {
    return "a whole warp takes the kind of its first sample";
  }
  return {};
}

// ---- the tests

class Divergence : public judge::Fixture {
 protected:
  // All sizes are tried, so that a mistake is named only if it explains all answers.
  void expect_counts(Tree tree, const Counts& of_1024) {
    ASSERT_EQ(count_steps(1024, tree, diverges), of_1024);  // the handout's
    std::vector<int> sizes = {1024, 1,  2,   3,   31,  32,  33,   48,  63,
                              64,   65, 100, 256, 257, 512, 1000, 1023};
    for (int i = 0; i < 40; ++i) sizes.push_back(1 + static_cast<int>(next_seed() % 1024));
    std::vector<CountAnswer> answers;
    std::optional<Failure> first;
    for (const int num_threads : sizes) {
      const Counts expected = count_steps(num_threads, tree, diverges);
      begin_case();
      const auto h_warps = output<int>("h_warps", expected.size());
      if (const auto failure = call<decltype(lab::divergent_warps)>(
              "divergent_warps", num_threads, tree, judge::on_host(h_warps))) {
        return fail(first.value_or(*failure));
      }
      answers.push_back({num_threads, h_warps.download()});
      if (!first && answers.back().counts != expected) {
        first = describe(tree, answers.back(), expected);
      }
    }
    if (!first) return;
    if (first->kind == judge::kind::kWrongResult) first->pattern = explain_counts(tree, answers);
    fail(*first);
  }

  static Failure describe(Tree tree, const CountAnswer& answer, const Counts& expected) {
    const std::string what = "num_threads = " + std::to_string(answer.num_threads) + ", " +
                             (tree == Tree::kInterleaved ? "t % stride == 0" : "t < stride");
    const auto num_unwritten =
        std::ranges::count_if(answer.counts, [](int item) { return judge::is_poison(item); });
    if (num_unwritten > 0) {
      const std::size_t num_steps = expected.size();
      return {judge::kind::kOutputUnwritten,
              what + ": " + std::to_string(num_steps) + " steps, with strides from 1 to " +
                  std::to_string(1 << (num_steps - 1)) + ", but " +
                  std::to_string(num_steps - num_unwritten) + " were written"};
    }
    return {judge::kind::kWrongResult,
            what + ": expected " + text(expected) + " divergent warps, got " + text(answer.counts)};
  }

  Curves random_curves(int num_samples) {
    Curves curves;
    const std::uint64_t seed = next_seed();
    for (int i = 0; i < num_samples; ++i) {
      curves.samples.push_back(random_sample(seed, i));
    }
    curves.coefficients =
        judge::random_integers(next_seed(), kNumKinds * kNumTerms, kCoefficientLimit);
    return curves;
  }

  struct Case {
    Curves curves;
    Buffer<Curve> d_curves;
    wire::Call call;
  };
  Case make_case(int num_samples, const std::string& number = {}) {
    Case made{random_curves(num_samples), {}, {}};
    const auto d_samples = input("d_samples" + number, made.curves.samples);
    const auto d_coefficients = input("d_coefficients" + number, made.curves.coefficients);
    made.d_curves = output<Curve>("d_curves" + number, num_samples);
    made.call = judge::encode_call<decltype(lab::evaluate_curves)>(
        "evaluate_curves", d_samples, num_samples, d_coefficients, made.d_curves);
    return made;
  }

  static std::optional<Failure> compare(const Case& made) {
    const std::vector<Curve> got = made.d_curves.download();
    for (std::size_t i = 0; i < got.size(); ++i) {
      const Curve expected = made.curves.curve(i);
      if (equal(got[i], expected)) continue;
      const std::string what =
          "d_curves[" + std::to_string(i) + "] of " + std::to_string(got.size());
      if (judge::is_poison(got[i].value) || judge::is_poison(got[i].slope)) {
        return Failure{judge::kind::kOutputUnwritten, what + " was not written as a whole"};
      }
      const Sample& sample = made.curves.samples[i];
      return Failure{judge::kind::kWrongResult,
                     what + " (kind " + std::to_string(sample.kind) +
                         " at x = " + std::to_string(static_cast<int>(sample.x)) + "): expected " +
                         text(expected) + ", got " + text(got[i]),
                     explain_curves(made.curves, got)};
    }
    return std::nullopt;
  }

  std::optional<Failure> evaluate(int num_samples) {
    begin_case();
    const Case made = make_case(num_samples);
    if (auto failure = run({made.call})) return failure;
    return compare(made);
  }
};

TEST_F(Divergence, IsCountedInAnInterleavedTree) {
  expect_counts(Tree::kInterleaved, {0, 32, 32, 32, 32, 32, 16, 8, 4, 2, 1});
}

TEST_F(Divergence, IsCountedInAContiguousTree) {
  expect_counts(Tree::kContiguous, {0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1});
}

TEST_F(Divergence, LeavesCurvesAsTheyAre) {
  const int large = (judge::kOnGpu ? 1 << 20 : 20000) + static_cast<int>(next_seed() % 1000);
  expect_for_sizes({1, 2, 31, 32, 33, 127, 128, 129, 255, 256, 257, 1000, 1023, 1025, 4096, large},
                   [&](int num_samples) { return evaluate(num_samples); });
}

TEST_F(Divergence, WorksOnEveryCall) {
  begin_case();
  std::vector<Case> cases;
  std::vector<wire::Call> calls;
  for (const int num_samples : {700, 0, 40, 1025}) {
    cases.push_back(make_case(num_samples, "_" + std::to_string(cases.size())));
    calls.push_back(cases.back().call);
  }
  if (const auto failure = run(calls)) return fail(*failure);
  for (const Case& made : cases) {
    if (const auto failure = compare(made)) return fail(*failure);
  }
}

TEST_F(Divergence, DependsOnNoOrderOfExecution) {
  for (int round = 0; round < 4; ++round) {
    set_schedule(next_seed() | 1);
    expect_for_sizes({500 + static_cast<int>(next_seed() % 1000)},
                     [&](int num_samples) { return evaluate(num_samples); });
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace lab_judge
