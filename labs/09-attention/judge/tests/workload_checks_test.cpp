// SPDX-License-Identifier: MIT
// The check of timed calls accepts right outputs, and finds rows that are wrong or unwritten.
#include "workload_checks.h"

#include <gtest/gtest.h>

#include <vector>

#include "protocol/arena.h"
#include "reference.h"

namespace lab_judge {
namespace {

constexpr std::uint64_t kSeed = 5;

// Of a call in host memory, as on the cpu backend.
struct Call {
  explicit Call(bool is_causal)
      : problem(random_problem(is_causal ? Kind::kCausal : Kind::kFused, kShape, kSeed)),
        expected(attend(problem)),
        h_out(expected.outputs.begin(), expected.outputs.end()) {}
  Measured<float> measured() {
    return {
        problem.h_q.data(),           problem.h_k.data(), problem.h_v.data(), h_out.data(), kShape,
        problem.kind == Kind::kCausal};
  }

  static constexpr Shape kShape{2, 30, 30};
  Problem problem;
  Expected expected;
  std::vector<float> h_out;
};

TEST(AreOutputsRight, AcceptsRightOutputs) {
  for (const bool is_causal : {false, true}) {
    Call call(is_causal);
    EXPECT_TRUE(are_outputs_right(call.measured(), kSeed));
  }
}

TEST(AreOutputsRight, RefusesErrorsJustAboveTheBound) {
  Call call(false);
  for (std::size_t i = 0; i < call.h_out.size(); ++i) {
    call.h_out[i] = static_cast<float>(call.expected.outputs[i] + 0.98 * call.expected.allowed[i]);
  }
  EXPECT_TRUE(are_outputs_right(call.measured(), kSeed));
  for (std::size_t i = 0; i < call.h_out.size(); i += lab::kHeadSize) {  // one element of each row
    call.h_out[i] = static_cast<float>(call.expected.outputs[i] + 1.02 * call.expected.allowed[i]);
  }
  EXPECT_FALSE(are_outputs_right(call.measured(), kSeed));
}

TEST(AreOutputsRight, RefusesAnUnwrittenElement) {
  Call call(false);
  auto* const bytes = reinterpret_cast<unsigned char*>(&call.h_out.back());
  for (std::size_t i = 0; i < sizeof(float); ++i) bytes[i] = judge::kPoisonByte;
  EXPECT_FALSE(are_outputs_right(call.measured(), kSeed));
}

TEST(AreOutputsRight, RefusesOutputsOfAnotherInput) {
  Call call(true);
  fill(call.measured(), kSeed + 1);
  EXPECT_FALSE(are_outputs_right(call.measured(), kSeed));
}

}  // namespace
}  // namespace lab_judge
