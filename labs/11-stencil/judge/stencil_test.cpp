// SPDX-License-Identifier: MIT
// All rungs. Their functions differ in dimensions and weights, and the tests in shapes.
#include <algorithm>
#include <vector>

#include "fixture.h"

namespace lab_judge {
namespace {

class Stencil : public StencilFixture {
 protected:
  // Lengths as shapes of the rung: lines, or pictures and volumes of that width. The others are
  // small, and differ from each other and from call to call.
  std::vector<Shape> of_widths(const std::vector<int>& widths) {
    std::vector<Shape> shapes;
    for (const int width : widths) {
      Shape shape{width};
      if (num_dimensions(function()) > 1) shape.height = 1 + static_cast<int>(next_seed() % 13);
      if (num_dimensions(function()) > 2) shape.depth = 1 + static_cast<int>(next_seed() % 5);
      shapes.push_back(shape);
    }
    return shapes;
  }
};

TEST_F(Stencil, FollowsTheWorkedExample) {
  // The handout's line has the weights 1 2 1 in the middle of zeros. As a picture or a volume it
  // has one row, and weights of other rows have nothing to multiply.
  const std::vector<float> h_in = {3, 1, 4, 1, 5, 9, 2, 6};
  const std::vector<float> line = {0, 0, 0, 1, 2, 1, 0, 0, 0};
  const std::vector<float> only_centre = {0, 0, 0, 0, 1, 0, 0, 0, 0};
  std::vector<float> picture =
      judge::random_integers(next_seed(), std::size_t{lab::kTaps} * lab::kTaps, 7);
  std::ranges::copy(line, picture.begin() + lab::kRadius * lab::kTaps);
  const Weights weights = function() == Function::kLine        ? Weights{line}
                          : function() == Function::kPicture   ? Weights{picture}
                          : function() == Function::kSeparable ? Weights{line, only_centre}
                                                               : Weights{{2, 1}};
  const std::vector<float> expected = num_steps(function()) == 1
                                          ? std::vector<float>{7, 9, 10, 11, 20, 25, 19, 14}
                                          : std::vector<float>{23, 35, 40, 52, 76, 89, 77, 47};
  if (const auto failure = attempt_with({8}, h_in, weights, expected)) return fail(*failure);
  // Another one, which a program cannot know in advance.
  if (const auto failure = attempt({8})) fail(*failure);
}

TEST_F(Stencil, WorksForFewPoints) {
  expect_for_shapes(of_widths({1, 2, 3, 4, 5, 8, 9, 10, 17, 31, 32, 33}));
}

TEST_F(Stencil, WorksAcrossTiles) {
  // Around the usual sizes of a block or a tile, and primes, which no tile divides.
  const int extra = static_cast<int>(next_seed() % 30);
  switch (num_dimensions(function())) {
    case 1:
      return expect_for_shapes({{63},
                                {127},
                                {128},
                                {129},
                                {255},
                                {256},
                                {257},
                                {513},
                                {1021},
                                {1024},
                                {1025},
                                {4096},
                                {10007 + extra}});
    case 2:
      return expect_for_shapes({{31, 33},
                                {32, 32},
                                {33, 31},
                                {64, 65},
                                {65, 64},
                                {101, 53},
                                {53, 101},
                                {128, 17},
                                {17, 128},
                                {129, 130},
                                {170 + extra, 67}});
    default:
      return expect_for_shapes({{28, 29, 3},
                                {29, 28, 4},
                                {31, 32, 5},
                                {33, 31, 6},
                                {64, 9, 7},
                                {65, 8, 9},
                                {17, 33, 34},
                                {9, 57, 33},
                                {132, 15, 4},
                                {256, 29, 3},
                                {30 + extra, 37, 11}});
  }
}

TEST_F(Stencil, WorksForLongAndThinShapes) {
  const int length = (judge::kOnGpu ? 5000 : 700) + static_cast<int>(next_seed() % 300);
  switch (num_dimensions(function())) {
    case 1:
      return expect_for_shapes({{length}, {20 * length}});
    case 2:
      return expect_for_shapes({{length, 1}, {1, length}, {length, 2}, {3, length}});
    default:
      // The greatest height is more than a grid may have blocks in its second dimension.
      return expect_for_shapes(
          {{length, 1, 1}, {1, length, 1}, {1, 1, length}, {2, 3, length}, {1, 1 << 16, 1}});
  }
}

TEST_F(Stencil, WorksForManyPoints) {
  const int extra = static_cast<int>(next_seed() % 37);
  const int dimensions = num_dimensions(function());
  const auto choose = [](const Shape& on_gpu, const Shape& on_cpu) {
    return judge::kOnGpu ? on_gpu : on_cpu;
  };
  expect_for_shapes({dimensions == 1 ? choose({10000000 + extra}, {250000 + extra})
                     : dimensions == 2
                         ? choose({1500 + extra, 900 - extra}, {230 + extra, 270 - extra})
                         : choose({200 + extra, 150, 70 + extra}, {70 + extra, 50, 70})});
}

TEST_F(Stencil, AcceptsNoPoints) {
  // Some points, so that an empty function cannot pass; then none.
  if (const auto failure = attempt(of_widths({33}).front())) return fail(*failure);
  std::vector<Shape> shapes = {{0}};
  if (num_dimensions(function()) > 1) shapes = {{0, 0}, {0, 7}, {7, 0}};
  if (num_dimensions(function()) > 2) shapes = {{0, 0, 0}, {0, 5, 5}, {5, 0, 5}, {5, 5, 0}};
  for (const Shape& shape : shapes) {
    if (const auto failure = attempt(shape)) return fail(*failure);
  }
}

TEST_F(Stencil, WorksOnEveryCall) {
  // With other weights each time.
  std::vector<Shape> shapes = {{700}, {20}, {0}, {1300}, {700}};
  if (num_dimensions(function()) > 1) shapes = {{70, 40}, {5, 9}, {0, 3}, {33, 90}, {70, 40}};
  if (num_dimensions(function()) > 2) shapes = {{40, 33, 7}, {5, 3, 2}, {3, 3, 0}, {66, 9, 9}};
  if (const auto failure = attempt_in_a_row(shapes)) fail(*failure);
}

TEST_F(Stencil, DependsOnNoOrderOfExecution) {
  expect_in_any_order(8, [&](int round) {
    const int extra = static_cast<int>(next_seed() % 20);
    const int width = (round % 2 == 0 ? 40 : 130) + extra;
    if (num_dimensions(function()) == 1) return attempt({10 * width});
    if (num_dimensions(function()) == 2) return attempt({width, 60 - extra});
    return attempt({width, 37 - extra, 9});
  });
}

}  // namespace
}  // namespace lab_judge
