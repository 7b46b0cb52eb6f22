// SPDX-License-Identifier: MIT
// What the tests of all rungs share: one call, compared.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "data.h"
#include "fixture/fixture.h"
#include "fixture/options.h"
#include "reference.h"

namespace lab_judge {

class AttentionFixture : public judge::Fixture {
 protected:
  static Kind kind() { return kind_of(judge::options().rung); }

  // Calls the function once, and returns what is wrong with the outputs.
  std::optional<judge::Failure> attempt(const Problem& problem);
  std::optional<judge::Failure> attempt(const Shape& shape, float shift = 0);

  void expect_for_shapes(const std::vector<Shape>& shapes, float shift = 0);

  // Rung 03 has as many queries as keys.
  static Shape shape(int num_heads, int num_queries, int num_keys);

  struct Prepared {
    wire::Call call;
    std::function<std::vector<float>()> download_outputs;
  };
  Prepared prepare(const Problem& problem, const std::string& suffix = "");
};

}  // namespace lab_judge
