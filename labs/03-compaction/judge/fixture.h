// SPDX-License-Identifier: MIT
// The fixture of this lab's tests: calls one function of the contract with many kinds of input.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "compaction.cuh"
#include "data.h"
#include "fixture/fixture.h"
#include "fixture/test_data.h"
#include "reference.h"

namespace lab_judge {

using judge::Buffer;
using judge::Failure;

// One function of the contract and its promises.
struct Function {
  const char* name;
  std::optional<Failure> (*check)(const Compaction&);
};

constexpr std::size_t scratch_bytes(int num_items) {  // exactly the contract's
  return 9 * static_cast<std::size_t>(num_items) + (std::size_t{64} << 10);
}

class CompactionFixture : public judge::Fixture {
 protected:
  explicit CompactionFixture(Function function) : function_(function) {}

  // Makes an input, calls the function and returns what is wrong with its result.
  std::optional<Failure> attempt(int num_items, const Selection& selection, Bait bait) {
    begin_case();
    set_scratch_bytes(scratch_bytes(num_items));
    const Case one = make_case(num_items, selection, bait, "");
    if (auto failure = run({one.call})) return failure;
    return check(one);
  }
  std::optional<Failure> attempt_half(int num_items) {
    for (const Bait bait : {Bait::kPoison, Bait::kZero}) {
      if (auto failure = attempt(num_items, kHalf, bait)) return failure;
    }
    return std::nullopt;
  }

  void expect_within_one_block() {
    expect_for_sizes({1, 2, 3, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257},
                     [&](int num_items) { return attempt_half(num_items); });
  }

  void expect_across_blocks() {
    std::vector<int> sizes = {511, 513, 1000, 1023, 1024, 1025, 2047, 2049, 4096, 8193};
    if (judge::kOnGpu) {
      sizes.insert(sizes.end(), {512, 2048, 4095, 4097, 8191, 8192});
      std::ranges::sort(sizes);
    }
    sizes.push_back(40000 + static_cast<int>(next_seed() % 1000));
    expect_for_sizes(sizes, [&](int num_items) { return attempt_half(num_items); });
  }

  void expect_every_selection() {
    Bait bait = Bait::kPoison;
    for (const Selection& selection : kSelections) {
      expect_for_sizes({33, 1000, 20000 + static_cast<int>(next_seed() % 1000)},
                       [&](int num_items) { return attempt(num_items, selection, bait); });
      if (HasFailure()) return;
      bait = bait == Bait::kPoison ? Bait::kZero : Bait::kPoison;
    }
  }

  void expect_many_items() {
    // More than one pass over the tiles' counts: the device gets more than 1024 tiles of 256
    // items.
    const int on_cpu = (1 << 18) + 256;
    const int num_items = (judge::kOnGpu ? 1 << 25 : on_cpu) + static_cast<int>(next_seed() % 997);
    expect_for_sizes({num_items}, [&](int size) { return attempt(size, kHalf, Bait::kPoison); });
  }

  void expect_no_items_to_be_counted() {
    // Some items, so that doing nothing cannot pass; then none; then none with null arrays.
    for (const int num_items : {33, 0}) {
      if (const auto failure = attempt(num_items, kHalf, Bait::kPoison)) {
        return fail(*failure);
      }
    }
    begin_case();
    const auto d_count = output<int>("d_count", 1);
    const auto keep = random_predicate(next_seed(), Bait::kPoison);
    if (const auto failure =
            call<decltype(lab::compact)>(function_.name, nullptr, 0, keep, nullptr, d_count)) {
      return fail(*failure);
    }
    const std::vector<int> nothing;
    auto wrong = function_.check({nothing, keep, nothing, d_count.download()[0]});
    if (!wrong) return;
    wrong->message = "without items, and with null arrays: " + wrong->message;
    fail(*wrong);
  }

  void expect_right_on_every_call() {
    begin_case();
    set_scratch_bytes(scratch_bytes(30000));
    std::vector<Case> cases;
    std::vector<wire::Call> calls;
    for (const int num_items : {9000, 40, 0, 1025, 30000, 9000}) {
      cases.push_back(
          make_case(num_items, kHalf, Bait::kPoison, "_" + std::to_string(cases.size() + 1)));
      calls.push_back(cases.back().call);
    }
    const auto failure = run_in_a_row(calls, [&](std::size_t i) { return check(cases[i]); });
    if (failure) fail(*failure);
  }

  void expect_no_order_to_matter() {
    // 12 rounds have all orders of the device, each with few blocks and with many. Where tiles
    // wait for each other, the first round has more of them than the emulated device has room for
    // then: 2^11 threads, each with up to 32 items.
    const std::string& rung = judge::options().rung;
    const bool may_wait = rung > "02_block_compact" && rung <= "03_single_pass";
    expect_in_any_order(judge::kOnGpu ? 16 : 12, [&](int round) {
      const int num_items = round == 0 && may_wait ? (1 << 16) + (1 << 15)
                            : round % 2 == 0       ? 3000  // now a few blocks,
                                                   : 40000;      // now many
      return attempt(num_items + static_cast<int>(next_seed() % 3000), kHalf, Bait::kPoison);
    });
  }

 private:
  // One call and the data to check it.
  struct Case {
    lab::Predicate keep;
    std::vector<int> h_in;
    Buffer<int> d_out;
    Buffer<int> d_count;
    std::string what;
    wire::Call call;
  };

  Case make_case(int num_items, const Selection& selection, Bait bait, const std::string& suffix) {
    Case made;
    made.keep = random_predicate(next_seed(), bait);
    made.h_in = make_items(next_seed(), num_items, made.keep, selection);
    made.d_out = output<int>("d_out" + suffix, num_items);
    made.d_count = output<int>("d_count" + suffix, 1);
    made.what = std::string(function_.name) + " of " + judge::counted(num_items, "item") +
                ", keeping " + selection.name;
    made.call = judge::encode_call<decltype(lab::compact)>(
        function_.name, input("d_in" + suffix, made.h_in), num_items, made.keep, made.d_out,
        made.d_count);
    return made;
  }

  std::optional<Failure> check(const Case& made) const {
    auto failure =
        function_.check({made.h_in, made.keep, made.d_out.download(), made.d_count.download()[0]});
    if (failure) failure->message = made.what + ": " + failure->message;
    return failure;
  }

  Function function_;
};

}  // namespace lab_judge
