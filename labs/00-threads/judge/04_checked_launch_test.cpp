// SPDX-License-Identifier: MIT
// Rung 04: launches that work, and launches that are refused.
#include <algorithm>

#include "fixture.h"
#include "fixture/fixture.h"
#include "fixture/options.h"
#include "fixture/test_data.h"

namespace lab_judge {
namespace {

using judge::Buffer;
using judge::Failure;

struct Fill {
  int num_items;
  int num_blocks;
  int threads_per_block;
  int shared_bytes = 0;
  const char* error = nullptr;  // null: the launch works
};

std::string text(const Fill& fill) {
  std::string text =
      counted(fill.num_blocks, "block") + " of " + counted(fill.threads_per_block, "thread");
  if (fill.shared_bytes > 0) {
    text += " with " + counted(fill.shared_bytes, "byte") + " of shared memory";
  }
  return text +
         (fill.error == nullptr ? ", which works" : std::string(", which gives ") + fill.error);
}

// The first since CUDA 13, the second before.
constexpr const char* kBadShape = "cudaErrorInvalidValue or cudaErrorInvalidConfiguration";
constexpr const char* kBadSize = "cudaErrorInvalidValue";

class CheckedLaunch : public judge::Fixture {
 protected:
  // Makes the calls one after the other, in the same process.
  std::optional<Failure> fill(const std::vector<Fill>& fills) {
    begin_case();
    std::vector<int> firsts;
    std::vector<Buffer<int>> d_outs;
    std::vector<wire::Call> calls;
    std::vector<judge::LaunchShape> launches;
    std::string list;
    for (const Fill& fill : fills) {
      // A checker reports every CUDA error that it sees, even one that the test provokes.
      if (fill.error != nullptr && judge::options().quick) continue;
      firsts.push_back(static_cast<int>(next_seed() % 100000));
      d_outs.push_back(output<int>("d_out_" + std::to_string(d_outs.size()), fill.num_items));
      auto call = judge::encode_call<decltype(lab::checked_fill)>(
          "checked_fill", firsts.back(), fill.num_items, fill.num_blocks, fill.threads_per_block,
          fill.shared_bytes, d_outs.back());
      if (fill.error != nullptr) call = judge::must_throw(fill.error, std::move(call));
      if (fill.error == nullptr) launches.push_back({fill.num_blocks, fill.threads_per_block});
      calls.push_back(std::move(call));
      list += "\n  " + std::to_string(calls.size()) + ". " + text(fill);
    }
    prescribe(launches);
    auto failure = run(calls);
    for (std::size_t i = 0; i < calls.size() && !failure; ++i) {
      failure = compare("call " + std::to_string(i + 1), !calls[i].error.empty(), firsts[i],
                        d_outs[i].download());
    }
    if (failure) tell_case(*failure, "", "\nThe calls were:" + list);
    return failure;
  }

  void expect(const std::vector<Fill>& fills) {
    if (const auto failure = fill(fills)) fail(*failure);
  }

 private:
  static std::optional<Failure> compare(const std::string& what, bool has_failed, int first,
                                        const std::vector<int>& h_out) {
    for (std::size_t i = 0; i < h_out.size(); ++i) {
      const std::string item = what + ": d_out[" + std::to_string(i) + "]";
      const bool unwritten = judge::is_poison(h_out[i]);
      if (has_failed && !unwritten) {
        return Failure{judge::kind::kWrongResult,
                       item + " was written, although the launch cannot work"};
      }
      if (has_failed || h_out[i] == first + static_cast<int>(i)) continue;
      if (unwritten) return Failure{judge::kind::kOutputUnwritten, item + " was never written"};
      return Failure{judge::kind::kWrongResult, item + " should be " +
                                                    std::to_string(first + static_cast<int>(i)) +
                                                    ", but is " + std::to_string(h_out[i])};
    }
    return std::nullopt;
  }
};

TEST_F(CheckedLaunch, WorksWhenTheLaunchDoes) {
  expect({{100, 1, 32},
          {2024, 4, 128},
          {3000, 1, 1024},
          {1, 7, 33, 1024},
          {500, 2, 64, 49152},
          {5000, 8, 256}});
}

TEST_F(CheckedLaunch, ReportsTooManyThreads) {
  expect({{100, 1, 2048, 0, kBadShape}, {100, 1, 1024}, {100, 9, 1025, 0, kBadShape}, {60, 2, 32}});
}

TEST_F(CheckedLaunch, ReportsAnEmptyLaunch) {
  expect({{100, 0, 128, 0, kBadShape}, {100, 1, 128}, {100, 4, 0, 0, kBadShape}, {2024, 4, 128}});
}

TEST_F(CheckedLaunch, ReportsTooMuchSharedMemory) {
  expect({{100, 1, 128, 1 << 20, kBadSize}, {100, 1, 128}});
}

TEST_F(CheckedLaunch, ReportsOneAfterTheOther) {
  expect({{100, 1, 128, 1 << 20, kBadSize},
          {100, 0, 128, 0, kBadShape},
          {100, 1, 2048, 0, kBadShape},
          {100, 1, 128, 1 << 20, kBadSize},
          {100, 3, 17}});
}

}  // namespace
}  // namespace lab_judge
