// SPDX-License-Identifier: MIT
// What the tests of all rungs share: one call, compared, and the tests themselves.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "data.h"
#include "fixture/fixture.h"
#include "reference.h"

namespace lab_judge {

class AttentionFixture : public judge::Fixture {
 protected:
  explicit AttentionFixture(Kind kind) : kind_(kind) {}

  // Calls the function once, and returns what is wrong with the outputs.
  std::optional<judge::Failure> attempt(const Problem& problem);
  std::optional<judge::Failure> attempt(const Shape& shape, float shift = 0);

  // Tries the shapes in the order given. At the first failure, looks for a smaller shape that fails
  // in the same way, one number after the other, and fails the test with what it found there.
  void expect_for_shapes(const std::vector<Shape>& shapes, float shift = 0);

  // Tests that each rung has. Those of rung 03 have as many queries as keys.
  void follows_the_worked_example();
  void attends_within_one_tile();
  void attends_across_tiles();
  void attends_any_shape();
  void keeps_heads_apart();
  void subtracts_the_largest_score();
  void writes_nothing_without_queries();
  void works_on_every_call();
  void depends_on_no_order_of_execution();

  Shape shape(int num_heads, int num_queries, int num_keys) const;

 private:
  struct Prepared {
    wire::Call call;
    std::function<std::vector<float>()> download_outputs;
  };
  Prepared prepare(const Problem& problem, const std::string& suffix = "");

  const Kind kind_;
};

}  // namespace lab_judge
