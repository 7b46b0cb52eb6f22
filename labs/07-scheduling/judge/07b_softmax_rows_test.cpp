// SPDX-License-Identifier: MIT
// Rung 07b: how a grid handles rows. softmax_test.cpp has the tests of their softmax.
#include "fixture/fixture.h"
#include "scheduling.cuh"

namespace lab_judge {
namespace {

using judge::Failure;
using lab::kWarpSize;
using lab::RowPlan;

RowPlan expected_plan(int num_rows, int row_length, dim3 block) {
  const int width = static_cast<int>(block.x);
  const int height = static_cast<int>(block.y);
  const auto ceil_div = [](int a, int b) { return a / b + (a % b != 0); };
  bool needs_barrier = false;
  for (int t = 0; t < width * height; ++t) {
    const int first = t / width * width;  // of the threads that share the row of t
    needs_barrier = needs_barrier || first / kWarpSize != t / kWarpSize;
  }
  return {ceil_div(num_rows, height), ceil_div(width * height, kWarpSize),
          ceil_div(row_length, width), row_length % 4 == 0, needs_barrier};
}

class PlanRows : public judge::Fixture {
 protected:
  std::optional<Failure> plan(int num_rows, int row_length, dim3 block) {
    begin_case();
    const auto h_plan = output<RowPlan>("h_plan", 1);
    if (auto failure = call<decltype(lab::plan_rows)>("plan_rows", num_rows, row_length, block,
                                                      judge::on_host(h_plan))) {
      return failure;
    }
    const RowPlan got = h_plan.download()[0];
    const RowPlan expected = expected_plan(num_rows, row_length, block);
    const std::string what = judge::counted(num_rows, "row") + " of " + std::to_string(row_length) +
                             ", blocks of dim3(" + std::to_string(block.x) + ", " +
                             std::to_string(block.y) + "): ";
    const auto differs = [&](const char* name, int should_be, int is) -> std::optional<Failure> {
      if (should_be == is) return std::nullopt;
      return Failure{judge::kind::kWrongResult, what + name + " should be " +
                                                    std::to_string(should_be) + ", but is " +
                                                    std::to_string(is)};
    };
    const auto differs_if = [&](const char* name, bool should_be, bool is) {
      auto failure = differs(name, should_be ? 1 : 0, is ? 1 : 0);
      if (failure) {
        failure->message = what + name + " should be " + (should_be ? "true" : "false") +
                           ", but is " + (is ? "true" : "false");
      }
      return failure;
    };
    for (const auto& wrong :
         {differs("num_blocks", expected.num_blocks, got.num_blocks),
          differs("warps_per_block", expected.warps_per_block, got.warps_per_block),
          differs("items_per_thread", expected.items_per_thread, got.items_per_thread),
          differs_if("may_use_float4", expected.may_use_float4, got.may_use_float4),
          differs_if("needs_barrier", expected.needs_barrier, got.needs_barrier)}) {
      if (wrong) return wrong;
    }
    return std::nullopt;
  }

  int some(int most) { return static_cast<int>(next_seed() % (most + 1)); }
};

// The handout's case study, in both ways.
TEST_F(PlanRows, HandlesTheCaseStudy) {
  for (const dim3 block : {dim3(256), dim3(32, 4)}) {
    if (const auto failure = plan(32768, 256, block)) return fail(*failure);
  }
}

TEST_F(PlanRows, HandlesAnyRows) {
  for (const dim3 block : {dim3(32, 4), dim3(1024), dim3(32, 32), dim3(64, 2), dim3(16, 8),
                           dim3(8, 3), dim3(24, 4), dim3(10, 3), dim3(1, 256), dim3(48, 1),
                           dim3(20, 1), dim3(33, 5), dim3(1 + some(63), 1 + some(15))}) {
    for (const int num_rows : {1, 3, 4, 5, 32768, 1 + some(100000)}) {
      for (const int row_length : {1, 31, 32, 33, 1000, 1002, 1 + some(4000)}) {
        if (const auto failure = plan(num_rows, row_length, block)) return fail(*failure);
      }
    }
  }
}

}  // namespace
}  // namespace lab_judge
