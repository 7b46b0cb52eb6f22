// SPDX-License-Identifier: MIT
// The judge of 02-scan, rungs 01 to 06. Runs apart from the student's code, which it calls through
// a worker. Rung 07: conversions_test.cpp.
#include <algorithm>

#include "judge.h"
#include "scan_fixture.h"

namespace {

using judge::Failure;

// Sizes within a block of any shape: around warps, and no powers of two.
const std::vector<int> kSmallSizes = {1,  2,  3,  5,  7,   8,   9,   15,  16,  17,  31, 32,
                                      33, 63, 64, 65, 100, 127, 128, 129, 255, 256, 257};

// ---- rungs 02 to 04: one block

class OneBlockScan : public scan::ScanTest {
 protected:
  static constexpr int kMost = lab::kMaxItemsInOneBlock;
};

TEST_F(OneBlockScan, ScansTheWorkedExample) {
  if (const auto failure = check_exclusive(scan::kExample)) fail(*failure);
}

TEST_F(OneBlockScan, ScansAnyLengthWithinAWarpOrSome) {
  expect_for_sizes(kSmallSizes, [&](int num_items) { return check_length(num_items); });
}

TEST_F(OneBlockScan, ScansUpToItsLimit) {
  const int any = 513 + static_cast<int>(next_seed() % 510);
  expect_for_sizes({511, 512, 513, any, kMost - 1, kMost},
                   [&](int num_items) { return check_length(num_items); });
}

TEST_F(OneBlockScan, WrapsModulo2To32) {
  if (const auto failure = check_exclusive(scan::random_words(next_seed(), kMost - 3))) {
    fail(*failure);
  }
}

TEST_F(OneBlockScan, WritesNothingForNoItems) {
  if (const auto failure = check_no_items()) fail(*failure);
}

TEST_F(OneBlockScan, RefusesMoreThanItsLimit) {
  if (const auto failure = check_length(kMost)) return fail(*failure);
  for (const int num_items : {kMost + 1, 5 * kMost}) {
    begin_case();
    give_scratch(num_items);
    const auto d_in = input("d_in", scan::small_numbers(next_seed(), num_items));
    const auto d_out = output<int>("d_out", num_items);
    auto failure = call<decltype(lab::exclusive_scan)>("exclusive_scan", d_in, num_items, d_out);
    const std::string asked = "exclusive_scan of " + std::to_string(num_items) +
                              " items: the contract asks this rung to throw TooManyItems(num_items)"
                              " beyond " +
                              std::to_string(kMost) + " items";
    if (!failure) return fail({"wrong_result", asked + ", but it returned"});
    // The worker passes on what() of an exception.
    if (!failure->message.ends_with(lab::TooManyItems(num_items).what())) {
      failure->message = asked + ". Instead: " + failure->message;
      return fail(*failure);
    }
    const std::vector<int> h_out = d_out.download();
    if (!std::ranges::all_of(h_out, [](int item) { return judge::is_poison(item); })) {
      return fail({"wrong_result", asked + " before anything is launched, but d_out was written"});
    }
  }
}

TEST_F(OneBlockScan, WorksOnEveryCall) {
  if (const auto failure = check_calls_in_a_row({kMost, 40, 513, kMost})) fail(*failure);
}

TEST_F(OneBlockScan, DependsOnNoOrderOfExecution) {
  expect_in_any_order(
      12, [&](int) { return check_length(kMost - static_cast<int>(next_seed() % 300)); });
}

// ---- rung 03, besides

class UpSweep : public OneBlockScan {
 protected:
  // The sum under the node that ends at item i.
  static std::vector<int> tree_of(const std::vector<int>& h_in) {
    std::vector<int> h_tree(h_in.size());
    for (std::size_t i = 0; i < h_in.size(); ++i) {
      const std::size_t size = (i + 1) & ~i;  // the largest power of two that divides i + 1
      for (std::size_t k = i + 1 - size; k <= i; ++k) {
        h_tree[i] = scan::wrapped_sum(h_tree[i], h_in[k]);
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
    const std::string place =
        "up_sweep of " + std::to_string(num_items) + " items: d_out[" + std::to_string(wrong) + "]";
    if (judge::is_poison(h_got[wrong])) {
      return Failure{"output_unwritten", place + " was never written"};
    }
    const auto size = (wrong + 1) & ~wrong;
    Failure failure{"wrong_result", place + " is the sum of the " + std::to_string(size) +
                                        " items that end with item " + std::to_string(wrong) +
                                        ": expected " + std::to_string(h_tree[wrong]) + ", got " +
                                        std::to_string(h_got[wrong])};
    int sum = 0;
    std::vector<int> h_inclusive;
    h_inclusive.reserve(h_in.size());
    for (const int item : h_in) h_inclusive.push_back(sum = scan::wrapped_sum(sum, item));
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
    return check_tree(scan::small_numbers(next_seed(), num_items));
  });
}

// ---- rungs 01, 05 and 06: any length

class ExclusiveScan : public scan::ScanTest {
 protected:
  // Half a million additions are nothing, and half of 2^40 are too many: rung 01 gets short inputs.
  static int at_most(int num_items) {
    constexpr int kMostOnGpu = 1 << 17;
    constexpr int kMostOnCpu = 5000;
    const bool is_quadratic = judge::options().rung == "01_one_thread_per_output";
    return is_quadratic ? std::min(num_items, judge::kOnGpu ? kMostOnGpu : kMostOnCpu) : num_items;
  }
};

TEST_F(ExclusiveScan, ScansTheWorkedExample) {
  if (const auto failure = check_exclusive(scan::kExample)) fail(*failure);
}

TEST_F(ExclusiveScan, ScansWithinOneBlock) {
  expect_for_sizes(kSmallSizes, [&](int num_items) { return check_length(num_items); });
}

TEST_F(ExclusiveScan, ScansAcrossBlocks) {
  // Around the tiles that one may choose, and between them.
  std::vector<int> sizes = {511,   512,   513,   1000,  1023,  1024,  1025, 2047, 2048,
                            2049,  3000,  4095,  4096,  4097,  6143,  6144, 6145, 8193,
                            12289, 30000, 32768, 32769, 65535, 65536, 65537};
  sizes.push_back(100000 + static_cast<int>(next_seed() % 1000));
  for (int& size : sizes) size = at_most(size);
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  expect_for_sizes(sizes, [&](int num_items) { return check_length(num_items); });
}

TEST_F(ExclusiveScan, ScansManyItems) {
  // More than one level of block sums, and many windows of look-back. Sizes of 2^28 are for the
  // test of speed, which checks every item, too.
  const int many = (judge::kOnGpu ? 1 << 26 : 1 << 20) + 1 + static_cast<int>(next_seed() % 997);
  expect_for_sizes({at_most(many)}, [&](int num_items) { return check_length(num_items); });
}

TEST_F(ExclusiveScan, WrapsModulo2To32) {
  if (const auto failure = check_exclusive(scan::random_words(next_seed(), 4999))) fail(*failure);
}

TEST_F(ExclusiveScan, WritesNothingForNoItems) {
  if (const auto failure = check_no_items()) fail(*failure);
}

TEST_F(ExclusiveScan, WorksOnEveryCall) {
  if (const auto failure = check_calls_in_a_row({at_most(70000), 40, 1025, at_most(70000)})) {
    fail(*failure);
  }
}

TEST_F(ExclusiveScan, DependsOnNoOrderOfExecution) {
  expect_in_any_order(12, [&](int round) {
    // Once more blocks than run at a time, then now many, now a few.
    const int most = at_most(round == 0 ? 3 << 19 : round % 3 == 0 ? 100000 : 10000);
    return check_length(most - static_cast<int>(next_seed() % 1500));
  });
}

}  // namespace

int main(int argc, char** argv) {
  // One block, and the square of the length: on a GPU there is nothing to measure but the launch.
  const judge::WorkloadPlan counted = {.make = judge::kOnGpu ? nullptr : scan::exclusive_workload,
                                       .budget_items = lab::kMaxItemsInOneBlock};
  return judge::run(
      argc, argv,
      {.default_suite = "ExclusiveScan",
       .workload = {.make = scan::exclusive_workload, .budget_items = std::size_t{1} << 17},
       .suites = {{"01_one_thread_per_output", "ExclusiveScan", counted},
                  {"02_hillis_steele", "OneBlockScan", counted},
                  {"03_blelloch", "OneBlockScan.*:UpSweep", counted},  // a filter: both suites
                  {"04_conflict_free", "OneBlockScan", counted},
                  {"07_conversions",
                   "Conversions",
                   {.make = scan::inclusive_workload, .budget_items = std::size_t{1} << 17}}}});
}
