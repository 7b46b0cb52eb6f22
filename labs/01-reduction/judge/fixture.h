// SPDX-License-Identifier: MIT
// The tests' common part: calls one reduction, compares its result and explains a wrong one.
#pragma once

#include <bit>
#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "diagnosis.h"
#include "fixture/fixture.h"
#include "fixture/test_data.h"
#include "judge.h"
#include "reduction.cuh"
#include "reference.h"

namespace lab_judge {

using judge::Buffer;
using judge::Failure;
using judge::number;

// The value read behind the end of a buffer: four poison bytes.
inline const float kPoison = std::bit_cast<float>(0x01010101U * judge::kPoisonByte);

// Items [begin, end).
inline Items part(Items items, std::size_t begin, std::size_t end) {
  return items.subspan(begin, end - begin);
}

inline bool is_close(double got, double expected, double tolerance) {
  if (std::isnan(expected)) return std::isnan(got);
  return got == expected || std::abs(got - expected) <= tolerance;
}

// One float-valued reduction, as a test needs it.
struct Expectation {
  double value;
  double tolerance = 0;
};

class ReductionFixture : public judge::Fixture {
 protected:
  // The contract promises at least num_items / 4 bytes plus 64 KiB; the judge gives exactly that.
  void give_scratch(int num_items) { set_scratch_bytes(num_items / 4 + (std::size_t{64} << 10)); }

  static std::string what(const char* function, int num_items) {
    return std::string(function) + " of " + judge::counted(num_items, "item");
  }

  static std::optional<Failure> compare(const std::string& what, float got, Expectation expected,
                                        const std::vector<std::string>& patterns = {}) {
    if (is_close(got, expected.value, expected.tolerance)) return std::nullopt;
    if (judge::is_poison(got))
      return Failure{judge::kind::kOutputUnwritten, "d_out[0] was never written"};
    std::string message =
        what + ": expected d_out[0] = " + number(expected.value) + ", got " + number(got);
    if (expected.tolerance > 0) message += " (allowed error " + number(expected.tolerance) + ")";
    Failure failure{judge::kind::kWrongResult, message};
    for (const std::string& pattern : patterns) failure.add_pattern(pattern);
    return failure;
  }

  // Calls a reduction of one array and returns what is wrong with its result.
  std::optional<Failure> reduce(const char* function, const std::vector<float>& h_in,
                                Expectation expected, const WrongReduction* clues = nullptr) {
    const int num_items = static_cast<int>(h_in.size());
    begin_case();
    give_scratch(num_items);
    const auto d_in = input("d_in", h_in);
    const auto d_out = output<float>("d_out", 1);
    if (auto failure = call<decltype(lab::reduce_sum)>(function, d_in, num_items, d_out)) {
      return failure;
    }
    const float got = d_out.download()[0];
    std::vector<std::string> patterns;
    if (clues != nullptr) {
      WrongReduction wrong = *clues;
      wrong.num_items = h_in.size();
      wrong.got = got;
      wrong.expected = expected.value;
      wrong.past_the_end = kPoison;
      wrong.reads_past_the_end = judge::kOnGpu || has_found(judge::kind::kOutOfBounds);
      patterns = explain(wrong);
    }
    auto failure = compare(what(function, num_items), got, expected, patterns);
    constexpr int kItemsOfSeveralBlocks = 2048;  // of fewer, one block may write the result
    if (failure && judge::is_poison(got) && num_items > kItemsOfSeveralBlocks) {
      failure->pattern =
          "nothing adds the sums of the blocks: that takes one more launch, or a block that knows "
          "that it is the last";
    }
    return failure;
  }

  // Random whole numbers: their sum is exact in any order, so results must be equal.
  std::optional<Failure> sum_of_integers(int num_items) {
    const auto h_in = judge::random_integers(next_seed(), num_items, 1000);
    WrongReduction clues;
    clues.over = [&](std::size_t begin, std::size_t end) { return sum(part(h_in, begin, end)); };
    clues.combine = std::plus<double>();
    return reduce("reduce_sum", h_in, {sum(h_in)}, &clues);
  }
};

}  // namespace lab_judge
