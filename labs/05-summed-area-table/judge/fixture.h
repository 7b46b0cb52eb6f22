// SPDX-License-Identifier: MIT
// The fixture of this lab's tests: pictures of every shape, and the smallest one that fails.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "fixture/fixture.h"
#include "fixture/test_data.h"
#include "reference.h"
#include "summed_area_table.cuh"

namespace lab_judge {

using judge::Failure;

// Whole numbers in [-limit, limit].
std::vector<int> random_picture(Shape shape, std::uint64_t seed, int limit);

// "[[1 2][3 4]]" for a picture of a few pixels, nothing for a larger one.
template <class T>
std::string grid_text(Shape shape, const std::vector<T>& pixels);

class PictureFixture : public judge::Fixture {
 protected:
  // Exactly the contract's scratch.
  void give_scratch(Shape shape) {
    set_scratch_bytes(4 * shape.num_pixels() + 16 * (std::size_t{0} + shape.width + shape.height) +
                      (std::size_t{64} << 10));
  }

  // One case of a test; returns what is wrong, or nothing.
  using ShapeAttempt = std::function<std::optional<Failure>(Shape)>;

  // Tries the shapes in the order given. At the first failure, looks for a smaller shape that fails
  // too, and fails the test with what it found there. Under a checker (Options::quick) large shapes
  // are left out.
  void expect_for_shapes(const std::vector<Shape>& shapes, const ShapeAttempt& attempt);
};

}  // namespace lab_judge
