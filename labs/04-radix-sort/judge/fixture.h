// SPDX-License-Identifier: MIT
// The fixture of this lab's tests, and their data.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "diagnosis.h"
#include "fixture/fixture.h"
#include "radix_sort.cuh"
#include "workload.h"

namespace lab_judge {

using judge::Buffer;
using judge::Failure;

Keys random_keys(std::uint64_t seed, int num_items);

// Keys that are hard for one way of sorting or another.
struct Kind {
  const char* name;
  Keys (*make)(std::uint64_t seed, int num_items);
  bool has_equal_keys = true;
};
enum class Kinds { kAll, kWithEqualKeys };
const std::vector<Kind>& kinds_of_keys();

// "radix_sort of 1000 keys"
std::string what(const char* function, std::size_t num_items);

class SortFixture : public judge::Fixture {
 protected:
  void give_scratch(int num_items) { set_scratch_bytes(scratch_bytes(num_items)); }

  // Calls a function (d_in, num_items, other numbers, d_out) and returns what it wrote.
  template <class Signature, class T, class... Numbers>
  std::optional<Failure> sort(const char* function, const std::vector<T>& h_in,
                              std::vector<T>& h_out, Numbers... numbers) {
    const int num_items = static_cast<int>(h_in.size());
    begin_case();
    give_scratch(num_items);
    const auto d_in = input("d_in", h_in);
    const auto d_out = output<T>("d_out", h_in.size());
    if (auto failure = call<Signature>(function, d_in, num_items, numbers..., d_out)) {
      return failure;
    }
    h_out = d_out.download();
    return std::nullopt;
  }

  std::optional<Failure> radix_sort(const Keys& h_in);
  static std::optional<Failure> compare_whole(const Keys& h_in, const Keys& h_out);

  // Like expect_for_sizes. A few keys are enough to show a fault but too few to name the mistake,
  // so a larger case names it.
  void expect_and_explain(const std::vector<int>& sizes, const Attempt& attempt);

  using Sort = std::function<std::optional<Failure>(const Keys&)>;
  void expect_random(const std::vector<int>& sizes, const Sort& sort);
  void expect_all_kinds(int num_items, const Sort& sort, Kinds kinds = Kinds::kAll);
  // A single bit differs between the keys, each bit in turn: a failure names the bit.
  void expect_each_bit(int num_items, const Sort& sort);
  // Other orders of lanes, warps and blocks, alternately with few and many items.
  void expect_no_order_to_matter(int num_rounds, int few, int many, const Sort& sort);

  // No keys, in an array and as null pointers: nothing to do, and no error.
  template <class Signature>
  void expect_no_keys_accepted(const char* function, const Sort& sort) {
    if (const auto failure = sort(random_keys(next_seed(), 33))) return fail(*failure);
    if (const auto failure = sort({})) return fail(*failure);
    begin_case();
    auto failure = call<Signature>(function, nullptr, 0, nullptr);
    if (!failure) return;
    failure->message = "without keys: " + failure->message;
    fail(*failure);
  }

  template <class Signature>
  void expect_on_every_call(const char* function, const std::vector<int>& sizes,
                            std::optional<Failure> (*compare)(const Keys&, const Keys&)) {
    begin_case();
    give_scratch(*std::max_element(sizes.begin(), sizes.end()));
    std::vector<Keys> h_ins;
    std::vector<Buffer<std::uint32_t>> d_outs;
    std::vector<wire::Call> calls;
    for (const int num_items : sizes) {
      h_ins.push_back(random_keys(next_seed(), num_items));
      const auto number = std::to_string(calls.size());
      const auto d_in = input("d_in_" + number, h_ins.back());
      d_outs.push_back(output<std::uint32_t>("d_out_" + number, num_items));
      calls.push_back(judge::encode_call<Signature>(function, d_in, num_items, d_outs.back()));
    }
    const auto failure =
        run_in_a_row(calls, [&](std::size_t i) { return compare(h_ins[i], d_outs[i].download()); });
    if (failure) fail(*failure);
  }
};

}  // namespace lab_judge
