// SPDX-License-Identifier: MIT
// All rungs: the product.
#include "matmul.cuh"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "fixture/fixture.h"
#include "fixture/test_data.h"
#include "judge.h"
#include "reference.h"

namespace lab_judge {
namespace {

using judge::Buffer;
using judge::Failure;

constexpr float kNotANumber = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

class Matmul : public judge::Fixture {
 protected:
  void SetUp() override {
    Fixture::SetUp();
    set_scratch_bytes(std::size_t{64} << 10);  // exactly the contract's
  }

  // Calls matmul once and returns what is wrong with its result.
  std::optional<Failure> multiply(const Factors& factors, const Expected& expected) {
    const auto [num_rows, num_cols, depth] = factors.shape;
    begin_case();
    const auto d_a = input("d_a", factors.h_a);
    const auto d_b = input("d_b", factors.h_b);
    const auto d_c = output<float>("d_c", std::size_t{1} * num_rows * num_cols);
    if (auto failure =
            call<decltype(lab::matmul)>("matmul", d_a, d_b, num_rows, num_cols, depth, d_c)) {
      if (!is_fatal()) failure->message = text(factors.shape) + ": " + failure->message;
      return failure;
    }
    return compare(factors, expected, d_c.download());
  }

  std::optional<Failure> multiply_integers(const Shape& shape) {
    const Factors factors = random_integers(shape, next_seed());
    return multiply(factors, exact_product(factors));
  }

  void expect_for_shapes(const std::vector<Shape>& shapes,
                         const std::function<std::optional<Failure>(const Shape&)>& attempt) {
    Fixture::expect_for_shapes(shapes, {&Shape::depth, &Shape::num_rows, &Shape::num_cols},
                               attempt);
  }
};

std::vector<Shape> squares(std::initializer_list<int> edges) {
  std::vector<Shape> shapes;
  for (const int edge : edges) shapes.push_back({edge, edge, edge});
  return shapes;
}

// The handout's example: 4 x 4 matrices in tiles of 2 x 2.
const Factors kExample = {{4, 4, 4},
                          {2, 6, 7, 5, 3, 1, 4, 6, 8, 9, 0, 1, 2, 7, 7, 4},
                          {1, 6, 2, 1, 3, 9, 8, 4, 5, 6, 3, 9, 1, 0, 7, 2}};
const std::vector<double> kExampleAfterOneTile = {20, 66,  52, 26, 6,  27, 14, 7,
                                                  35, 129, 88, 44, 23, 75, 60, 30};
const std::vector<double> kExampleProduct = {60, 108, 108, 99, 32, 51,  68,  55,
                                             36, 129, 95,  46, 62, 117, 109, 101};

TEST_F(Matmul, FollowsTheWorkedExample) {
  if (const auto failure = multiply(kExample, {kExampleProduct, {}})) return fail(*failure);
  // The first tile along the depth is the product of A's first columns and B's first rows.
  Factors first_tile{{4, 4, 2}, {}, {kExample.h_b.begin(), kExample.h_b.begin() + 8}};
  for (int row = 0; row < 4; ++row) {
    first_tile.h_a.push_back(kExample.h_a[4 * row]);
    first_tile.h_a.push_back(kExample.h_a[4 * row + 1]);
  }
  if (const auto failure = multiply(first_tile, {kExampleAfterOneTile, {}})) return fail(*failure);
  // Rung 02 also shows its sums between the tiles.
  if (judge::options().rung != "02_tiled") return;
  for (int num_tiles = 0; num_tiles <= 2; ++num_tiles) {
    begin_case();
    const auto d_a = input("d_a", kExample.h_a);
    const auto d_b = input("d_b", kExample.h_b);
    const auto d_c = output<float>("d_c", 16);
    auto failure =
        call<decltype(lab::matmul_partial)>("matmul_partial", d_a, d_b, 4, 4, 4, num_tiles, d_c);
    if (!failure) {
      const std::vector<double> sums = num_tiles == 0   ? std::vector<double>(16)
                                       : num_tiles == 1 ? kExampleAfterOneTile
                                                        : kExampleProduct;
      failure = compare(kExample, {sums, {}}, d_c.download());
    }
    if (!failure) continue;
    failure->pattern.clear();  // patterns are of whole products
    failure->message =
        "matmul_partial with num_tiles = " + std::to_string(num_tiles) + ": " + failure->message;
    return fail(*failure);
  }
}

TEST_F(Matmul, MultipliesWholeTiles) {
  std::vector<Shape> shapes = squares({32, 64, 128});
  shapes.insert(shapes.end(), {{128, 256, 8}, {64, 128, 32}, {128, 64, 16}, {256, 512, 24}});
  expect_for_shapes(shapes, [&](const Shape& shape) { return multiply_integers(shape); });
}

TEST_F(Matmul, MultipliesPartialTiles) {
  std::vector<Shape> shapes = squares({127, 65, 63, 33, 31, 17, 16, 15, 9, 8, 7, 3, 2, 1});
  shapes.push_back({129, 129, judge::kOnGpu ? 129 : 17});
  // Only one of the three sizes ends within a tile: of rows, of columns, of the depth.
  shapes.insert(shapes.end(), {{132, 256, 16}, {128, 260, 16}, {128, 256, 12}});
  expect_for_shapes(shapes, [&](const Shape& shape) { return multiply_integers(shape); });
}

TEST_F(Matmul, MultipliesAnyShape) {
  std::vector<Shape> shapes = {{50, 70, 90},  {32, 96, 64},  {96, 64, 32}, {64, 32, 96},
                               {33, 64, 48},  {64, 33, 48},  {64, 64, 33}, {100, 36, 12},
                               {36, 100, 13}, {36, 101, 12}, {1, 300, 5},  {300, 1, 5},
                               {5, 3, 1},     {1, 257, 1},   {257, 1, 1},  {130, 258, 9}};
  // Long in one dimension. A tile costs the device the same, however little of it is filled. But
  // where the blocks of a device share the depth, each of them still needs several steps.
  const int edge = judge::kOnGpu ? 3000 : 1100;
  shapes.insert(shapes.end(), {{1, 1, 1000}, {edge, 2, 3}, {2, edge, 3}});
  for (int i = 0; i < 6; ++i) {
    const auto up_to = [&](int most) { return 1 + static_cast<int>(next_seed() % most); };
    shapes.push_back({up_to(90), up_to(90), up_to(90)});
  }
  expect_for_shapes(shapes, [&](const Shape& shape) { return multiply_integers(shape); });
}

TEST_F(Matmul, MultipliesMatricesOfManyItems) {
  const int more = static_cast<int>(next_seed() % 50);
  std::vector<Shape> shapes = {{140 + more, 260 + more, 40 + more}};
  // Tiles of 128 x 256 for all 16 multiprocessors of the emulated device: without guards, and at
  // the edge with rows of B and C that start on 16 bytes and that do not.
  if (judge::options().rung == "05_warp_tiled") {
    shapes.insert(shapes.end(), {{1024, 512, 8}, {1921 + more, 252, 9}, {1921 + more, 251, 17}});
  }
  if (judge::kOnGpu) {
    shapes = {{1024, 1280, 768}, {1000 + more, 900 + more, 1100 + more}, {200000 + more, 5, 30}};
  }
  expect_for_shapes(shapes, [&](const Shape& shape) { return multiply_integers(shape); });
}

TEST_F(Matmul, GivesZeroForDepthZero) {
  if (const auto failure = multiply_integers({33, 17, 5})) return fail(*failure);
  for (const Shape& shape : {Shape{33, 17, 0}, Shape{1, 1, 0}, Shape{128, 256, 0}}) {
    begin_case();
    const auto d_c = output<float>("d_c", std::size_t{1} * shape.num_rows * shape.num_cols);
    auto failure = call<decltype(lab::matmul)>("matmul", nullptr, nullptr, shape.num_rows,
                                               shape.num_cols, 0, d_c);
    const Factors nothing{shape, {}, {}};
    if (!failure) failure = compare(nothing, exact_product(nothing), d_c.download());
    if (failure) return fail(*failure);
  }
}

TEST_F(Matmul, WritesNothingWithoutRowsOrColumns) {
  if (const auto failure = multiply_integers({20, 40, 10})) return fail(*failure);
  for (const Shape& shape : {Shape{0, 20, 5}, Shape{20, 0, 5}, Shape{0, 0, 0}}) {
    if (const auto failure = multiply_integers(shape)) return fail(*failure);
  }
}

TEST_F(Matmul, StaysWithinTheErrorBound) {
  // Not centred on zero, because cancellation would hide rounding errors. A small depth has a small
  // bound, which reveals what half or TF32 lose.
  const int large_depth = judge::kOnGpu ? 1000 : 300;
  expect_for_shapes(
      {{40, 50, 3}, {60, 40, 16}, {70, 90, 61}, {128, 256, 64}, {20, 30, large_depth}},
      [&](const Shape& shape) {
        const Factors factors = random_reals(shape, next_seed());
        return multiply(factors, rounded_product(factors));
      });
}

TEST_F(Matmul, KeepsNotANumberInItsPlace) {
  for (const float special : {kNotANumber, kInfinity}) {
    Factors factors = random_integers({70, 75, 37}, next_seed());
    const auto [num_rows, num_cols, depth] = factors.shape;
    // In the last column of A and the first row of B: next to the edges of tiles.
    const auto row = next_seed() % num_rows;
    const auto col = next_seed() % num_cols;
    factors.h_a[row * depth + depth - 1] = special;
    factors.h_b[col] = special;
    if (const auto failure = multiply(factors, exact_product(factors))) {
      Failure named = *failure;
      named.message += "\nRow " + std::to_string(row) + " of A and column " + std::to_string(col) +
                       " of B hold " + (std::isnan(special) ? "a NaN" : "an infinity") +
                       "; it affects only that row and that column of C.";
      return fail(named);
    }
  }
}

TEST_F(Matmul, WorksOnEveryCall) {
  begin_case();
  std::vector<Factors> all_factors;
  std::vector<Buffer<float>> d_cs;
  std::vector<wire::Call> calls;
  for (const Shape& shape :
       {Shape{70, 40, 50}, Shape{9, 10, 3}, Shape{33, 65, 17}, Shape{70, 40, 50}}) {
    const auto number = std::to_string(calls.size());
    all_factors.push_back(random_integers(shape, next_seed()));
    const auto d_a = input("d_a_" + number, all_factors.back().h_a);
    const auto d_b = input("d_b_" + number, all_factors.back().h_b);
    d_cs.push_back(
        output<float>("d_c_" + number, std::size_t{1} * shape.num_rows * shape.num_cols));
    calls.push_back(judge::encode_call<decltype(lab::matmul)>(
        "matmul", d_a, d_b, shape.num_rows, shape.num_cols, shape.depth, d_cs.back()));
  }
  const auto failure = run_in_a_row(calls, [&](std::size_t i) {
    return compare(all_factors[i], exact_product(all_factors[i]), d_cs[i].download());
  });
  if (failure) fail(*failure);
}

TEST_F(Matmul, DependsOnNoOrderOfExecution) {
  expect_in_any_order(6, [&](int) {
    const auto edge = [&] { return 20 + static_cast<int>(next_seed() % 60); };
    return multiply_integers({edge(), edge(), edge()});
  });
}

}  // namespace
}  // namespace lab_judge
