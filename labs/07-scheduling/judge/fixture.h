// SPDX-License-Identifier: MIT
// The fixture of rungs 01 to 04: functions on the host, called many times in one batch.
#pragma once

#include <string>
#include <vector>

#include "fixture/fixture.h"
#include "scheduling.cuh"

namespace lab_judge {

using judge::Buffer;
using judge::Failure;
using judge::on_host;

// Puts the case before the message, except where the function is not written yet.
void tell_case(Failure& failure, const std::string& before);

// "expected 3, got 5"
template <class T>
std::string expected_got(const T& expected, const T& got) {
  return "expected " + std::to_string(expected) + ", got " + std::to_string(got);
}

// The reals of the contract: to 1e-9; a NaN never matches.
inline bool is_near(double got, double expected) {
  const double off = got - expected;
  return off <= 1e-9 && off >= -1e-9;
}

class HostFixture : public judge::Fixture {
 protected:
  // An integer from `low` to `high`.
  int some(int low, int high) {
    return low + static_cast<int>(next_seed() % (static_cast<std::uint64_t>(high) - low + 1));
  }

  // Calls a function that returns a value once for each item of `cases`, in one batch. encode(item,
  // h_result) makes the call. `results` receives the returned values.
  template <class Result, class Case, class Encode>
  std::optional<Failure> run_all(const std::vector<Case>& cases, const Encode& encode,
                                 std::vector<Result>& results) {
    std::vector<Buffer<Result>> buffers;
    std::vector<wire::Call> calls;
    for (const Case& item : cases) {
      buffers.push_back(output<Result>("the result", 1));
      calls.push_back(encode(item, on_host(buffers.back())));
    }
    if (auto failure = run(std::move(calls))) return failure;
    results.clear();
    for (const auto& buffer : buffers) results.push_back(buffer.download()[0]);
    return std::nullopt;
  }
};

}  // namespace lab_judge
