// SPDX-License-Identifier: MIT
// What one run of a judge holds from its first test to its last.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "arena.h"
#include "options.h"
#include "search.h"
#include "submission.h"
#include "test_data.h"

namespace judge {

class Session {
 public:
  explicit Session(const Options& options);

  Arena& arena() { return arena_; }
  Submission& student() { return student_; }
  // The seeds of the running test.
  SeedSequence& seeds() { return seeds_; }
  void begin_test(std::string_view name) { seeds_ = SeedSequence(seed_, name); }

  // After a timeout or a TODO the tests that follow would only repeat it: they fail at once with
  // the same cause.
  const std::optional<Failure>& given_up() const { return given_up_; }
  void give_up(const Failure& failure) { given_up_ = failure; }

  Search& search() { return search_; }

 private:
  Arena arena_;
  Submission student_;
  std::uint64_t seed_;
  SeedSequence seeds_;
  std::optional<Failure> given_up_;
  Search search_;
};

// The running session; made by run().
Session& session();

}  // namespace judge
