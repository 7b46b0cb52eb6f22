// SPDX-License-Identifier: MIT
// What the tests of all formats share: one product, called and compared, and the tests themselves.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "data.h"
#include "fixture/fixture.h"
#include "reference.h"

namespace lab_judge {

class ProductFixture : public judge::Fixture {
 protected:
  explicit ProductFixture(Format format) : format_(format) {}

  // Calls the format's function once and returns what is wrong with its result.
  std::optional<judge::Failure> multiply(const Factors& factors, const Expected& expected);
  std::optional<judge::Failure> multiply_integers(const Shape& shape);
  std::optional<judge::Failure> multiply_reals(const Shape& shape);

  using Attempt = std::function<std::optional<judge::Failure>(const Shape&)>;
  void expect_for_shapes(const std::vector<Shape>& shapes, const Attempt& attempt);

  // Tests that each format has.
  void multiplies_whole_tiles();
  void multiplies_partial_tiles();
  void multiplies_any_shape();
  void gives_zero_for_depth_zero();
  void writes_nothing_without_rows_or_columns();
  void stays_within_the_error_bound();
  void works_on_every_call();
  void depends_on_no_order_of_execution();

  const Format format_;
  std::uint32_t num_multiprocessors_ = 0;  // of the emulated device; 0: as many as always

 private:
  struct Prepared {
    wire::Call call;
    judge::Buffer<float> d_c;
  };
  // Buffers for the factors, whose names end in `suffix`, and the call that multiplies them.
  Prepared prepare(const Factors& factors, const std::string& suffix = "");
};

}  // namespace lab_judge
