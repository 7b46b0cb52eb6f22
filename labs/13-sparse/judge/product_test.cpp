// SPDX-License-Identifier: MIT
// Rungs 01 to 03: a sparse matrix times a vector.
#include "fixture.h"

namespace lab_judge {
namespace {

class Product : public ProductFixture {};

TEST_F(Product, FollowsTheWorkedExample) {
  const Matrix matrix = {5, {0, 2, 2, 5, 6}, {0, 3, 1, 2, 4, 0}, {2, 1, 3, 1, 2, 4}};
  if (auto failure = attempt_with(matrix, {1, 2, 3, 4, 5})) {
    confirm_pattern(*failure, 4, 100, [&](int num_rows) {
      return attempt({num_rows, 100, 16 * num_rows}, kAlike);
    });
    return fail(*failure);
  }
  // Another one of that shape, which a program cannot know in advance.
  if (const auto failure = attempt({4, 5, 6}, kAlike)) fail(*failure);
}

TEST_F(Product, WorksForFewRows) {
  expect_for_sizes({1, 2, 3, 7, 8, 9, 31, 32, 33, 63, 64, 65},
                   [&](int num_rows) { return attempt_square(num_rows, kAlike); });
}

TEST_F(Product, WorksAcrossBlocks) {
  const int large = 3000 + static_cast<int>(next_seed() % 500);
  expect_for_sizes({127, 128, 129, 255, 256, 257, 511, 513, 1025, large},
                   [&](int num_rows) { return attempt_square(num_rows, kAlike); });
}

TEST_F(Product, WorksForRowsOfEveryLength) {
  for (const int mean : {1, 2, 3, 4, 5, 8, 9, 16, 17, 31, 32, 33, 64, 100}) {
    const int num_rows = 200 + static_cast<int>(next_seed() % 100);
    if (const auto failure = attempt({num_rows, 1000, num_rows * mean}, kAlike)) {
      return fail(*failure);
    }
  }
}

TEST_F(Product, WorksForEverySpread) {
  for (const Spread& spread : kSpreads) {
    expect_for_sizes({33, 300, 1500 + static_cast<int>(next_seed() % 500)},
                     [&](int num_rows) { return attempt_square(num_rows, spread); });
    if (HasFailure()) return;
  }
}

TEST_F(Product, WorksForOneLongRow) {
  const int length = (judge::kOnGpu ? 1 << 22 : 30000) + static_cast<int>(next_seed() % 1000);
  for (const auto& [num_rows, num_columns] :
       {std::pair{1, 500}, {1, 100000}, {7, 500}, {5000, 500}}) {
    const auto failure = attempt({num_rows, num_columns, length}, kOneRow);
    if (failure) return fail(*failure);
  }
}

TEST_F(Product, WorksWithoutNonzeros) {
  // Some nonzeros, so that zeros cannot pass; then none; then no columns or no rows.
  for (const Shape& shape :
       {Shape{100, 100, 900}, {600, 100, 0}, {600, 0, 0}, {1, 1, 0}, {0, 5, 0}, {0, 0, 0}}) {
    if (const auto failure = attempt(shape, kAlike)) return fail(*failure);
  }
}

TEST_F(Product, RoundsNoMoreThanTheContractAllows) {
  for (const Spread& spread : kSpreads) {
    const int num_rows = 700 + static_cast<int>(next_seed() % 100);
    const auto failure = attempt({num_rows, 2000, 12 * num_rows}, spread, Numbers::kReal);
    if (failure) return fail(*failure);
  }
}

TEST_F(Product, WorksOnEveryCall) {
  const auto failure = attempt_in_a_row(
      {{900, 900, 9000}, {40, 7, 200}, {20, 20, 0}, {0, 0, 0}, {9, 3000, 20000}, {900, 900, 9000}});
  if (failure) fail(*failure);
}

TEST_F(Product, DependsOnNoOrderOfExecution) {
  expect_in_any_order(8, [&](int round) {
    const int num_rows = (round < 4 ? 100 : 900) + static_cast<int>(next_seed() % 100);
    return attempt({num_rows, num_rows, 15 * num_rows}, kSpreads[round % kSpreads.size()]);
  });
}

}  // namespace
}  // namespace lab_judge
