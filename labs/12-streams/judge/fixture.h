// SPDX-License-Identifier: MIT
// What the tests share: calls of functions that take words in host memory and give words back.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "data.h"
#include "diagnosis.h"
#include "fixture/fixture.h"
#include "reference.h"
#include "streams.cuh"

namespace lab_judge {

using judge::Buffer;
using judge::Failure;

// Few, since the emulator executes each of them.
constexpr int kNumRounds = 3;

// A call with arrays in host memory: the words to compare, and what mistakes would give.
struct HostCase {
  Words h_in;
  Words expected;
  std::vector<Mistake> mistakes;
  Buffer<std::uint32_t> h_out;
  std::string what;
  wire::Call call;
};

class HostFixture : public judge::Fixture {
 protected:
  void SetUp() override {
    expect_kernels_for_host_data();
    Fixture::SetUp();
  }

  // The case of one call; its buffers' names end in `suffix`.
  virtual HostCase make_case(int num_items, int chunk_items, const std::string& suffix) = 0;
  // What the contract gives.
  virtual std::size_t scratch_bytes(int num_items, int chunk_items) const = 0;

  std::optional<Failure> attempt(int num_items, int chunk_items) {
    begin_case();
    set_scratch_bytes(scratch_bytes(num_items, chunk_items));
    const HostCase made = make_case(num_items, chunk_items, "");
    if (auto failure = run({made.call})) return failure;
    return check(made);
  }

  void expect_chunks_of(int chunk_items, const std::vector<int>& sizes) {
    expect_for_sizes(sizes, [&](int num_items) { return attempt(num_items, chunk_items); });
  }

  std::optional<Failure> attempt_in_a_row(const std::vector<std::pair<int, int>>& sizes) {
    begin_case();
    std::size_t most = 0;
    std::vector<HostCase> cases;
    std::vector<wire::Call> calls;
    for (const auto& [num_items, chunk_items] : sizes) {
      most = std::max(most, scratch_bytes(num_items, chunk_items));
      cases.push_back(make_case(num_items, chunk_items, "_" + std::to_string(cases.size() + 1)));
      calls.push_back(cases.back().call);
    }
    set_scratch_bytes(most);
    return run_in_a_row(calls, [&](std::size_t i) { return check(cases[i]); });
  }

  static std::optional<Failure> check(const HostCase& made) {
    auto failure = compare("h_out", made.h_out.download(), made.expected, made.mistakes);
    if (failure) failure->message = made.what + ": " + failure->message;
    return failure;
  }

  // A case of random words, without its call.
  HostCase case_of(int num_items, int chunk_items, const std::string& suffix,
                   const std::function<Words(const Words&)>& right);
};

}  // namespace lab_judge
