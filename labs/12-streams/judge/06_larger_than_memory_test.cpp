// SPDX-License-Identifier: MIT
// Rung 06: running sums of more items than fit into the scratch memory.
#include "fixture.h"

namespace lab_judge {
namespace {

class RunningSums : public HostFixture {
 protected:
  HostCase make_case(int num_items, int chunk_items, const std::string& suffix) override {
    HostCase made = case_of(num_items, chunk_items, suffix, sums_of);
    made.mistakes.push_back(
        {"each chunk begins again at 0: clear d_state once, before the first chunk",
         [=, words = made.h_in] {
           Words sums = words;
           for (std::size_t i = 0; i < sums.size(); ++i) {
             if (i % static_cast<std::size_t>(chunk_items) != 0) sums[i] += sums[i - 1];
           }
           return sums;
         }});
    made.call = judge::encode_call<decltype(lab::running_sums)>(
        "running_sums", judge::pinned(input("h_in" + suffix, made.h_in)), num_items, chunk_items,
        judge::pinned(made.h_out));
    return made;
  }
  std::size_t scratch_bytes(int /*num_items*/, int chunk_items) const override {
    return std::size_t{12} * chunk_items + 4 * lab::kStateWords + 1024;
  }
};

TEST_F(RunningSums, AddsFewChunks) {
  expect_chunks_of(1000, {0, 1, 999, 1000, 1001, 2000, 2500, 3500});
}

TEST_F(RunningSums, AddsManyChunks) {
  expect_chunks_of(1500, {14000 + static_cast<int>(next_seed() % 1000)});
  if (HasFailure()) return;
  expect_chunks_of(1, {1, 9});
}

TEST_F(RunningSums, WorksOnEveryCall) {
  const auto failure = attempt_in_a_row({{3000, 700}, {0, 10}, {12000, 4096}, {1, 1}});
  if (failure) fail(*failure);
}

}  // namespace
}  // namespace lab_judge
