// SPDX-License-Identifier: MIT
// Rung 02: pageable arrays by way of pinned memory.
#include "fixture.h"

namespace lab_judge {
namespace {

class Pinned : public HostFixture {
 protected:
  HostCase make_case(int num_items, int chunk_items, const std::string& suffix) override {
    HostCase made;
    made.h_in = make_words(next_seed(), num_items);
    made.expected = mixed(made.h_in, kNumRounds);
    made.mistakes = chunk_mistakes(made.expected, chunk_items);
    made.mistakes.push_back({"nothing was mixed: the input comes back", [=] { return made.h_in; }});
    made.h_out = output<std::uint32_t>("h_out" + suffix, num_items);
    made.what = describe(num_items, chunk_items);
    made.call = judge::encode_call<decltype(lab::mix_pageable)>(
        "mix_pageable", judge::on_host(input("h_in" + suffix, made.h_in)), num_items, kNumRounds,
        chunk_items, judge::on_host(made.h_out));
    return made;
  }
  std::size_t scratch_bytes(int /*num_items*/, int chunk_items) const override {
    return std::size_t{16} * chunk_items + 1024;
  }
};

TEST_F(Pinned, MixesFewChunks) {
  expect_chunks_of(1000, {0, 1, 999, 1000, 1001, 2000, 2500, 3500});
}

TEST_F(Pinned, MixesManyChunks) {
  expect_chunks_of(512, {9000 + static_cast<int>(next_seed() % 500)});
  if (HasFailure()) return;
  expect_chunks_of(1, {1, 9});
}

TEST_F(Pinned, WorksOnEveryCall) {
  const auto failure = attempt_in_a_row({{3000, 700}, {0, 10}, {12000, 4096}, {1, 1}});
  if (failure) fail(*failure);
}

}  // namespace
}  // namespace lab_judge
