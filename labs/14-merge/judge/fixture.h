// SPDX-License-Identifier: MIT
// The fixture of this lab's tests: calls the rung's function and compares its result bit by bit.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "data.h"
#include "diagnosis.h"
#include "fixture/fixture.h"
#include "judge.h"

namespace lab_judge {

using judge::Buffer;
using judge::Failure;

constexpr std::size_t scratch_bytes(std::size_t num_items) {  // exactly the contract's
  return 9 * num_items + (std::size_t{64} << 10);
}

class ItemsFixture : public judge::Fixture {
 protected:
  static Function function() { return function_of(judge::options().rung); }

  // Calls in a row on buffers of their own; returns what is wrong with the first wrong result.
  std::optional<Failure> attempt(const std::vector<Problem>& problems);

 private:
  std::optional<Failure> check(const Problem& problem, const Buffer<lab::Fraction>& d_out) const;
};

}  // namespace lab_judge
