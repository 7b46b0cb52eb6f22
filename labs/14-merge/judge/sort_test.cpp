// SPDX-License-Identifier: MIT
// Rungs 04 and 05, which sort tiles and whole arrays.
#include <vector>

#include "fixture.h"

namespace lab_judge {
namespace {

constexpr lab::Order kOrders[] = {lab::Order::kByValue, lab::Order::kLargestDenominatorFirst};

class Sort : public ItemsFixture {
 protected:
  Problem items(int num_items, lab::Order order, const Spread& spread) {
    return make_sort(function(), next_seed(), num_items, order, spread);
  }
  std::optional<Failure> attempt_one(const Problem& problem) { return attempt({problem}); }
  lab::Order any_order() { return kOrders[next_seed() % 2]; }
};

TEST_F(Sort, FollowsTheWorkedExample) {
  const Items h_in = {{2, 3}, {2, 4}, {1, 3}, {1, 2}, {4, 5}, {3, 6}, {1, 1}, {2, 6}};
  for (const lab::Order order : kOrders) {
    if (const auto failure = attempt_one({function(), order, h_in})) return fail(*failure);
    // Another one, which a program cannot know in advance.
    if (const auto failure = attempt_one(items(8, order, kFewValues))) return fail(*failure);
  }
}

TEST_F(Sort, SortsFewItems) {
  expect_for_sizes({1, 2, 3, 8, 9, 10, 17, 31, 32, 33, 64, 100, 127, 129, 255, 257},
                   [&](int n) { return attempt_one(items(n, any_order(), kFewValues)); });
}

TEST_F(Sort, SortsAcrossTiles) {
  const int extra = static_cast<int>(next_seed() % 500);
  expect_for_sizes(
      {1000, 1025, 2047, 4097, 4351, 4352, 4353, 8704, 8705, 13000 + extra, 18000 + extra},
      [&](int n) { return attempt_one(items(n, any_order(), kFewValues)); });
}

TEST_F(Sort, WorksForEverySpread) {
  for (const Spread& spread : kSpreads) {
    for (const lab::Order order : kOrders) {
      expect_for_sizes({70, 5000 + static_cast<int>(next_seed() % 1000)},
                       [&](int n) { return attempt_one(items(n, order, spread)); });
      if (HasFailure()) return;
    }
  }
}

TEST_F(Sort, SortsManyItems) {
  const int most = (judge::kOnGpu ? 1 << 22 : 1 << 16) + static_cast<int>(next_seed() % 997);
  expect_for_sizes({most}, [&](int n) { return attempt_one(items(n, kOrders[0], kSpreads[2])); });
}

TEST_F(Sort, SortsNoItems) {
  // Some items, so that an empty function cannot pass; then none.
  for (const int num_items : {33, 0}) {
    if (const auto failure = attempt_one(items(num_items, any_order(), kFewValues))) {
      return fail(*failure);
    }
  }
}

TEST_F(Sort, WorksOnEveryCall) {
  std::vector<Problem> problems;
  for (const int num_items : {5000, 20, 0, 4353, 5000}) {
    problems.push_back(items(num_items, any_order(), kFewValues));
  }
  if (const auto failure = attempt(problems)) fail(*failure);
}

TEST_F(Sort, DependsOnNoOrderOfExecution) {
  expect_in_any_order(6, [&](int round) {
    const int num_items = round % 2 == 0 ? 700 : 5000;
    return attempt_one(
        items(num_items + static_cast<int>(next_seed() % 500), any_order(), kFewValues));
  });
}

}  // namespace
}  // namespace lab_judge
