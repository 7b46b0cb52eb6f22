// SPDX-License-Identifier: MIT
// The fixture of this lab's tests: calls the rung's function on a shape and compares its result.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "data.h"
#include "diagnosis.h"
#include "fixture/fixture.h"
#include "fixture/test_data.h"
#include "judge.h"
#include "reference.h"
#include "stencil.cuh"

namespace lab_judge {

using judge::Buffer;
using judge::Failure;

inline std::size_t scratch_bytes(const Shape& shape) {  // exactly the contract's
  return sizeof(float) * shape.num_points() + (std::size_t{64} << 10);
}

class StencilFixture : public judge::Fixture {
 protected:
  static Function function() { return function_of(judge::options().rung); }

  // One call on random points; returns what is wrong with its result. Rounds the width of a volume
  // up to a multiple of 4.
  std::optional<Failure> attempt(const Shape& shape) { return attempt_in_a_row({shape}); }

  std::optional<Failure> attempt_in_a_row(const std::vector<Shape>& shapes);

  // One call with given values, and the result that it must have.
  std::optional<Failure> attempt_with(const Shape& shape, const std::vector<float>& h_in,
                                      const Weights& weights, const std::vector<float>& expected);

  // Tries the shapes in the order given. At the first failure, looks for a smaller shape that fails
  // in the same way, and fails the test with what it found there.
  void expect_for_shapes(const std::vector<Shape>& shapes);

 private:
  // One call and the data to check it.
  struct Case {
    Shape shape;
    Weights weights;
    std::vector<float> h_in;
    std::vector<float> expected;
    Buffer<float> d_out = {};
    wire::Call call = {};
  };

  void prepare(Case& made, const std::string& suffix);
  static std::optional<Failure> check(const Case& made);
};

}  // namespace lab_judge
