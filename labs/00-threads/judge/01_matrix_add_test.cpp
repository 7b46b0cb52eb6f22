// SPDX-License-Identifier: MIT
// Rung 01: every element of the sum, for matrices of any shape.
#include <algorithm>

#include "fixture.h"
#include "fixture/fixture.h"
#include "fixture/options.h"
#include "fixture/test_data.h"

namespace lab_judge {
namespace {

using judge::Failure;

constexpr int kBlock = 16;  // the contract's, in both directions

struct MatrixShape {
  int width;
  int height;
};

// Names the mistake that one wrong element looks like, from the two matrices.
std::string explain_value(float got, float a, float b) {
  if (got == a) return "the element of a is copied, and b is not added";
  if (got == b) return "the element of b is copied, and a is not added";
  if (got == a - b || got == b - a) return "the elements are subtracted";
  if (got == a * b) return "the elements are multiplied";
  return {};
}

class MatrixAdd : public judge::Fixture {
 protected:
  std::optional<Failure> add(MatrixShape shape) {
    const auto [width, height] = shape;
    const auto num_items = static_cast<std::size_t>(width) * height;
    const auto h_a = judge::random_integers(next_seed(), num_items, 100000);
    const auto h_b = judge::random_integers(next_seed(), num_items, 100000);
    begin_case();
    const auto d_a = input("d_a", h_a);
    const auto d_b = input("d_b", h_b);
    const auto d_sum = output<float>("d_sum", num_items);
    auto failure = call<decltype(lab::matrix_add)>("matrix_add", d_a, d_b, width, height, d_sum);
    if (!failure) failure = compare(shape, h_a, h_b, d_sum.download());
    if (judge::kOnGpu && failure &&
        failure->message.find("cudaErrorInvalid") != std::string::npos) {
      failure->pattern =
          "the grid has 0 blocks in one direction, or a block has more than 1024 threads; see what "
          "your divisions and your block's width times its height give for this shape";
    }
    if (failure)
      tell_case(*failure, counted(height, "row") + " of " + counted(width, "column") + ": ");
    return failure;
  }

  // Stops at the first shape that fails: list simple ones first.
  void expect_for_shapes(const std::vector<MatrixShape>& shapes) {
    for (const MatrixShape& shape : shapes) {
      if (const auto failure = add(shape)) return fail(*failure);
    }
  }

 private:
  static std::optional<Failure> compare(MatrixShape shape, const std::vector<float>& h_a,
                                        const std::vector<float>& h_b,
                                        const std::vector<float>& h_sum) {
    const auto wrong = std::ranges::find_if(h_sum, [&, i = std::size_t{0}](float got) mutable {
      const float expected = h_a[i] + h_b[i];
      ++i;
      return got != expected;
    });
    if (wrong == h_sum.end()) return std::nullopt;
    const auto i = static_cast<std::size_t>(wrong - h_sum.begin());
    const int row = static_cast<int>(i / shape.width);
    const int column = static_cast<int>(i % shape.width);
    const std::string thread = "thread (" + std::to_string(column % kBlock) + ", " +
                               std::to_string(row % kBlock) + ") of block (" +
                               std::to_string(column / kBlock) + ", " +
                               std::to_string(row / kBlock) + ")";
    if (judge::is_poison(h_sum[i])) {
      return Failure{
          judge::kind::kOutputUnwritten,
          element_name(row, column) + " of d_sum was never written: that is the work of " + thread,
          explain_unwritten(h_sum, shape.width, shape.height, kBlock, kBlock)};
    }
    return Failure{judge::kind::kWrongResult,
                   element_name(row, column) + " of d_sum should be " + figure(h_a[i]) + " + " +
                       figure(h_b[i]) + " = " + figure(h_a[i] + h_b[i]) + ", but is " +
                       figure(h_sum[i]) + ": that is the work of " + thread,
                   explain_value(h_sum[i], h_a[i], h_b[i])};
  }
};

TEST_F(MatrixAdd, AddsOneBlock) { expect_for_shapes({{16, 16}, {16, 9}, {5, 16}, {1, 1}}); }

TEST_F(MatrixAdd, AddsWholeBlocks) {
  // Square shapes first, then shapes in which each mistake leaves a different pattern.
  expect_for_shapes({{32, 32}, {48, 80}, {80, 48}, {256, 64}, {32, 16}, {16, 32}});
}

TEST_F(MatrixAdd, AddsAnyShape) {
  const int some = 100 + static_cast<int>(next_seed() % 100);
  expect_for_shapes({{33, 33},
                     {31, 65},
                     {65, 31},
                     {17, 16},
                     {16, 17},
                     {1, 100},
                     {100, 1},
                     {3, 1000},
                     {1000, 3},
                     {255, 257},
                     {some, 2 * some + 1}});
}

TEST_F(MatrixAdd, AddsNothingToNothing) { expect_for_shapes({{7, 5}, {0, 5}, {7, 0}, {0, 0}}); }

TEST_F(MatrixAdd, AddsMatricesOfManyItems) {
  const int side = judge::kOnGpu ? 5000 : 500;
  expect_for_shapes(
      {{side + static_cast<int>(next_seed() % 97), side + static_cast<int>(next_seed() % 97)},
       {70003, judge::kOnGpu ? 31 : 3}});
}

TEST_F(MatrixAdd, DependsOnNoOrderOfExecution) {
  expect_in_any_order(4, [&](int) { return add({40 + static_cast<int>(next_seed() % 30), 50}); });
}

}  // namespace
}  // namespace lab_judge
