// SPDX-License-Identifier: MIT
// Rungs 01 to 03.
#include <vector>

#include "fixture.h"

namespace lab_judge {
namespace {

class Merge : public ItemsFixture {
 protected:
  // A random part of the items, often less than half, is d_a.
  Problem part(int num_items, const Spread& spread) {
    const auto num_a = static_cast<int>(next_seed() % (static_cast<unsigned>(num_items) + 1));
    return make_merge(next_seed(), num_a, num_items - num_a, spread);
  }
  std::optional<Failure> attempt_one(const Problem& problem) { return attempt({problem}); }
};

TEST_F(Merge, FollowsTheWorkedExample) {
  const Items h_in = {{1, 3}, {1, 2}, {2, 3}, {4, 5}, {2, 6}, {2, 4}, {3, 6}, {1, 1}};
  if (const auto failure = attempt_one({Function::kMerge, lab::Order::kByValue, h_in, 4})) {
    return fail(*failure);
  }
  // Another one, which a program cannot know in advance.
  if (const auto failure = attempt_one(make_merge(next_seed(), 4, 4, kFewValues))) fail(*failure);
}

TEST_F(Merge, MergesFewItems) {
  expect_for_sizes({1, 2, 3, 5, 8, 9, 17, 31, 32, 33, 64, 100, 127, 129, 255, 257},
                   [&](int num_items) { return attempt_one(part(num_items, kFewValues)); });
}

TEST_F(Merge, MergesAcrossTiles) {
  const int extra = static_cast<int>(next_seed() % 500);
  expect_for_sizes({1000, 1023, 1025, 2047, 4097, 4351, 4352, 4353, 9000 + extra, 20000 + extra},
                   [&](int num_items) { return attempt_one(part(num_items, kFewValues)); });
}

TEST_F(Merge, WorksForEverySpread) {
  for (const Spread& spread : kSpreads) {
    expect_for_sizes({70, 6000 + static_cast<int>(next_seed() % 1000)},
                     [&](int num_items) { return attempt_one(part(num_items, spread)); });
    if (HasFailure()) return;
  }
}

TEST_F(Merge, WorksIfOneInputIsShort) {
  const auto large = [&] { return 3000 + static_cast<int>(next_seed() % 3000); };
  for (const int num_few : {0, 1, 5}) {
    for (const bool is_a : {true, false}) {
      const auto merge = [&](int num_items) {
        const int num_a = is_a ? std::min(num_few, num_items) : std::max(0, num_items - num_few);
        return attempt_one(make_merge(next_seed(), num_a, num_items - num_a, kFewValues));
      };
      expect_for_sizes({40, large()}, merge);
      if (HasFailure()) return;
    }
  }
}

TEST_F(Merge, WorksIfOneInputPrecedesTheOther) {
  // All of one input, or all but a few items, precede the other: tiles have one part only.
  for (const int shift : {-24, 24, -40, 40}) {
    Problem problem = part(8000 + static_cast<int>(next_seed() % 1000), kFewValues);
    for (int i = problem.num_a; i < problem.num_items(); ++i) {
      problem.h_in[i].numerator += shift * problem.h_in[i].denominator;
    }
    if (const auto failure = attempt_one(problem)) return fail(*failure);
  }
}

TEST_F(Merge, MergesManyItems) {
  // So many tiles that one block of rung 03 is not enough to search for them.
  const int many = judge::options().rung == "03_block" ? 257 * lab::kTileItems : 1 << 16;
  const int most = (judge::kOnGpu ? 1 << 22 : many) + static_cast<int>(next_seed() % 997);
  expect_for_sizes({most},
                   [&](int num_items) { return attempt_one(part(num_items, kSpreads[2])); });
}

TEST_F(Merge, MergesNoItems) {
  // Some items, so that an empty function cannot pass; then none.
  for (const int num_each : {16, 0}) {
    const auto failure = attempt_one(make_merge(next_seed(), num_each, num_each, kFewValues));
    if (failure) return fail(*failure);
  }
}

TEST_F(Merge, WorksOnEveryCall) {
  std::vector<Problem> problems;
  for (const int num_items : {5000, 20, 0, 4353, 5000}) {
    problems.push_back(part(num_items, kFewValues));
  }
  if (const auto failure = attempt(problems)) fail(*failure);
}

TEST_F(Merge, DependsOnNoOrderOfExecution) {
  expect_in_any_order(8, [&](int round) {
    const int num_items = round % 2 == 0 ? 700 : 6000;
    return attempt_one(part(num_items + static_cast<int>(next_seed() % 500), kFewValues));
  });
}

}  // namespace
}  // namespace lab_judge
