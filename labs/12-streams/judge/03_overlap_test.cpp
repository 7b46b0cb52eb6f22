// SPDX-License-Identifier: MIT
// Rung 03: chunks in several streams, between the caller's work in its own stream.
#include "fixture.h"

namespace lab_judge {
namespace {

class Overlap : public HostFixture {
 protected:
  HostCase make_case(int num_items, int chunk_items, const std::string& suffix) override {
    HostCase made = case_of(num_items, chunk_items, suffix,
                            [](const Words& words) { return mixed(words, kNumRounds); });
    made.call = judge::encode_call<decltype(lab::mix_overlapped)>(
        "mix_overlapped", judge::pinned(input("h_in" + suffix, made.h_in)), num_items, kNumRounds,
        chunk_items, judge::pinned(made.h_out));
    return made;
  }
  std::size_t scratch_bytes(int num_items, int /*chunk_items*/) const override {
    return std::size_t{4} * num_items + 256;
  }
};

TEST_F(Overlap, MixesFewChunks) {
  expect_chunks_of(1000, {0, 1, 999, 1000, 1001, 2000, 2500, 3500});
}

TEST_F(Overlap, MixesManyChunks) {
  expect_chunks_of(512, {9000 + static_cast<int>(next_seed() % 500)});
  if (HasFailure()) return;
  expect_chunks_of(1, {1, 9});
}

TEST_F(Overlap, WorksOnEveryCall) {
  const auto failure = attempt_in_a_row({{3000, 700}, {0, 10}, {12000, 4096}, {1, 1}});
  if (failure) fail(*failure);
}

}  // namespace
}  // namespace lab_judge
