// SPDX-License-Identifier: MIT
// Rung 03, in addition to the tests of one block: the tree of sums.
#include <algorithm>

#include "fixture.h"

namespace lab_judge {
namespace {

class UpSweep : public ScanFixture {
 protected:
  static constexpr int kMost = lab::kMaxItemsInOneBlock;

  // The sum under the node that ends at item i.
  static std::vector<int> tree_of(const std::vector<int>& h_in) {
    std::vector<int> h_tree(h_in.size());
    for (std::size_t i = 0; i < h_in.size(); ++i) {
      const std::size_t size = (i + 1) & ~i;  // the largest power of two that divides i + 1
      for (std::size_t k = i + 1 - size; k <= i; ++k) {
        h_tree[i] = wrapped_sum(h_tree[i], h_in[k]);
      }
    }
    return h_tree;
  }

  std::optional<Failure> check_tree(const std::vector<int>& h_in) {
    begin_case();
    give_scratch(h_in.size());
    const int num_items = static_cast<int>(h_in.size());
    const auto d_in = input("d_in", h_in);
    const auto d_out = output<int>("d_out", h_in.size());
    if (auto failure = call<decltype(lab::up_sweep)>("up_sweep", d_in, num_items, d_out)) {
      return failure;
    }
    const std::vector<int> h_tree = tree_of(h_in);
    const std::vector<int> h_got = d_out.download();
    const auto wrong = std::ranges::mismatch(h_got, h_tree).in1 - h_got.begin();
    if (wrong == num_items) return std::nullopt;
    const std::string place = "up_sweep of " + judge::counted(num_items, "item") + ": d_out[" +
                              std::to_string(wrong) + "]";
    if (judge::is_poison(h_got[wrong])) {
      return Failure{judge::kind::kOutputUnwritten, place + " was never written"};
    }
    const auto size = (wrong + 1) & ~wrong;
    Failure failure{judge::kind::kWrongResult,
                    place + " is the sum of the " +
                        judge::counted(size, "item that ends", "items that end") + " with item " +
                        std::to_string(wrong) + ": expected " + std::to_string(h_tree[wrong]) +
                        ", got " + std::to_string(h_got[wrong])};
    int sum = 0;
    std::vector<int> h_inclusive;
    h_inclusive.reserve(h_in.size());
    for (const int item : h_in) h_inclusive.push_back(sum = wrapped_sum(sum, item));
    if (h_got == h_in) {
      failure.pattern = "no sum is formed: the output is a copy of the input";
    } else if (h_got == h_inclusive) {
      failure.pattern = "the whole scan is returned, and not the tree of sums half way to it";
    }
    return failure;
  }
};

TEST_F(UpSweep, BuildsTheWorkedExample) {
  const std::vector<int> h_in = {0, 1, 2, 3, 4, 5, 6, 7};  // -> [0 1 2 6 4 9 6 28]
  if (const auto failure = check_tree(h_in)) return fail(*failure);
  // And down again: [0 0 1 3 6 10 15 21].
  if (const auto failure = check_exclusive(h_in)) fail(*failure);
}

TEST_F(UpSweep, BuildsTheTreeOfAnyLength) {
  const int any = 513 + static_cast<int>(next_seed() % 510);
  expect_for_sizes({2, 3, 4, 7, 8, 31, 32, 33, 100, 511, 512, any, kMost}, [&](int num_items) {
    return check_tree(small_numbers(next_seed(), num_items));
  });
}

}  // namespace
}  // namespace lab_judge
