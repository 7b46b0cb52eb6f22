// SPDX-License-Identifier: MIT
// Rung 04: batches, each with a temporary array.
#include "fixture.h"

namespace lab_judge {
namespace {

class StreamOrdered : public judge::Fixture {
 protected:
  std::optional<Failure> attempt(const std::vector<int>& sizes) {
    begin_case();
    set_scratch_bytes(0);
    const auto num_items = static_cast<std::size_t>(std::accumulate(sizes.begin(), sizes.end(), 0));
    const Words words = make_words(next_seed(), num_items);
    const auto d_out = output<std::uint32_t>("d_out", num_items);
    if (auto failure = call<decltype(lab::reverse_batches)>(
            "reverse_batches", input("d_in", words), judge::on_host(input("h_sizes", sizes)),
            static_cast<int>(sizes.size()), kNumRounds, d_out)) {
      return failure;
    }
    const Words mixed_only = mixed(words, kNumRounds);
    auto failure = compare(
        "d_out", d_out.download(), reversed_batches(words, sizes, kNumRounds),
        {{"the words are mixed, and their order is as before", [&] { return Words(mixed_only); }},
         {"all batches are reversed as one",
          [&] { return Words(mixed_only.rbegin(), mixed_only.rend()); }},
         {"the words are reversed, and not mixed",
          [&] { return reversed_batches(words, sizes, 0); }},
         {"every batch takes its items from the beginning of d_in",
          [&] {
            Words first_items;
            for (const int size : sizes) {
              first_items.insert(first_items.end(), mixed_only.rend() - size, mixed_only.rend());
            }
            return first_items;
          }},
         {"nothing was computed: all words are 0", [&] { return Words(num_items, 0); }}});
    if (failure) {
      failure->message = judge::counted(sizes.size(), "batch", "batches") + " of " +
                         std::to_string(num_items) + " items in all: " + failure->message;
    }
    return failure;
  }
};

TEST_F(StreamOrdered, ReversesOneBatch) {
  expect_for_sizes({0, 1, 2, 255, 256, 257, 5000}, [&](int size) { return attempt({size}); });
}

TEST_F(StreamOrdered, ReversesEachBatch) {
  for (const std::vector<int>& sizes : {std::vector<int>{},
                                        {3, 1, 2},
                                        {0, 0, 7, 0},
                                        {1000, 20, 3000, 500, 3001, 1},
                                        std::vector<int>(30, 100)}) {
    if (const auto failure = attempt(sizes)) return fail(*failure);
  }
}

TEST_F(StreamOrdered, DependsOnNoOrderOfExecution) {
  expect_in_any_order(4, [&](int /*round*/) {
    return attempt({400, 1 + static_cast<int>(next_seed() % 900), 700});
  });
}

}  // namespace
}  // namespace lab_judge
