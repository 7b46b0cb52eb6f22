// SPDX-License-Identifier: MIT
// The tests' common part: data, and calls whose results are compared item by item.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "diagnosis.h"
#include "fixture/fixture.h"
#include "fixture/test_data.h"
#include "scan.cuh"
#include "workload.h"

namespace lab_judge {

using judge::Failure;

// The handout's: exclusive [0 3 4 11 11 15 16 22], inclusive [3 4 11 11 15 16 22 25].
inline const std::vector<int> kExample = {3, 1, 7, 0, 4, 1, 6, 3};

// Sizes within a block of any shape: around warps, and no powers of two.
inline const std::vector<int> kSmallSizes = {1,  2,  3,  5,  7,   8,   9,   15,  16,  17,  31, 32,
                                             33, 63, 64, 65, 100, 127, 128, 129, 255, 256, 257};

// Small numbers, none of them 0, so that the mistake begins at the first wrong item.
inline std::vector<int> small_numbers(std::uint64_t seed, std::size_t count) {
  std::vector<int> h_items(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t bits = judge::random_bits(seed, i);
    const int magnitude = 1 + static_cast<int>((bits >> 33) % 99);
    h_items[i] = (bits & 1) != 0 ? magnitude : -magnitude;
  }
  return h_items;
}

// All 32 bits are random: sums wrap around many times.
inline std::vector<int> random_words(std::uint64_t seed, std::size_t count) {
  std::vector<int> h_items(count);
  for (std::size_t i = 0; i < count; ++i) {
    h_items[i] = static_cast<int>(judge::random_bits(seed, i) >> 32);
  }
  return h_items;
}

inline int wrapped_sum(int a, int b) {
  return static_cast<int>(static_cast<unsigned>(a) + static_cast<unsigned>(b));
}

// The sum scan of h_in, without a result yet.
inline Result<int> sum_scan(const std::string& function, Kind kind, std::vector<int> h_in) {
  return {.function = function,
          .kind = kind,
          .identity = 0,
          .combine = wrapped_sum,
          .text = [](int value) { return std::to_string(value); },
          .h_in = std::move(h_in),
          .h_got = {}};
}

class ScanFixture : public judge::Fixture {
 protected:
  void give_scratch(std::size_t num_items) { set_scratch_bytes(scratch_bytes(num_items)); }

  // Calls a function with one input and one output, and returns what is wrong with the output.
  template <class Signature, class T>
  std::optional<Failure> check_scan(Result<T> result) {
    begin_case();
    give_scratch(result.h_in.size());
    const auto d_in = input("d_in", result.h_in);
    const auto d_out = output<T>("d_out", result.h_in.size());
    const int num_items = static_cast<int>(result.h_in.size());
    if (auto failure = call<Signature>(result.function.c_str(), d_in, num_items, d_out)) {
      return failure;
    }
    result.h_got = d_out.download();
    return compare(result);
  }

  std::optional<Failure> check_exclusive(std::vector<int> h_in) {
    return check_scan<decltype(lab::exclusive_scan)>(
        sum_scan("exclusive_scan", Kind::kExclusive, std::move(h_in)));
  }

  // An exclusive scan of random small numbers. Where the values of a wrong result explain nothing,
  // the lengths that work may.
  std::optional<Failure> check_length(int num_items) {
    constexpr int kMostToRepeat = 1 << 20;
    auto failure = check_exclusive(small_numbers(next_seed(), num_items));
    if (!failure || !failure->pattern.empty() || num_items > kMostToRepeat) return failure;
    if (failure->kind != judge::kind::kWrongResult &&
        failure->kind != judge::kind::kOutputUnwritten)
      return failure;
    const auto below = std::bit_floor(static_cast<unsigned>(num_items));
    if (below == static_cast<unsigned>(num_items)) return failure;
    if (!check_exclusive(small_numbers(next_seed(), below)) &&
        !check_exclusive(small_numbers(next_seed(), 2 * below))) {
      failure->pattern =
          "only power-of-two lengths are handled: the two next to this one come out right";
    }
    return failure;
  }

  // Nothing may be written, and null arrays are allowed.
  std::optional<Failure> check_no_items() {
    if (auto failure = check_length(33)) return failure;
    if (auto failure = check_length(0)) return failure;
    begin_case();
    return call<decltype(lab::exclusive_scan)>("exclusive_scan", nullptr, 0, nullptr);
  }

  // More than `most` items must be refused, with nothing written.
  std::optional<Failure> check_refusal(int most) {
    for (const int num_items : {most + 1, 5 * most}) {
      begin_case();
      give_scratch(num_items);
      const auto d_in = input("d_in", small_numbers(next_seed(), num_items));
      const auto d_out = output<int>("d_out", num_items);
      auto failure = call<decltype(lab::exclusive_scan)>("exclusive_scan", d_in, num_items, d_out);
      const std::string asked = "exclusive_scan of " + std::to_string(num_items) +
                                " items: the contract asks this rung "
                                "to throw TooManyItems beyond " +
                                std::to_string(most) + " items";
      if (!failure) return Failure{judge::kind::kWrongResult, asked + ", but it returned"};
      // The worker passes on what() of an exception.
      if (!failure->message.ends_with(lab::TooManyItems(num_items, most).what())) {
        failure->message = asked + ". Instead: " + failure->message;
        return failure;
      }
      const std::vector<int> h_out = d_out.download();
      if (!std::ranges::all_of(h_out, [](int item) { return judge::is_poison(item); })) {
        return Failure{judge::kind::kWrongResult,
                       asked + " before anything is launched, but d_out was written"};
      }
    }
    return std::nullopt;
  }

  std::optional<Failure> check_calls_in_a_row(const std::vector<int>& lengths) {
    begin_case();
    give_scratch(*std::max_element(lengths.begin(), lengths.end()));
    std::vector<judge::Buffer<int>> d_outs;
    std::vector<Result<int>> results;
    std::vector<wire::Call> calls;
    for (const int num_items : lengths) {
      const std::string number = std::to_string(calls.size() + 1);
      results.push_back(
          sum_scan("exclusive_scan", Kind::kExclusive, small_numbers(next_seed(), num_items)));
      const auto d_in = input("d_in_" + number, results.back().h_in);
      d_outs.push_back(output<int>("d_out_" + number, num_items));
      calls.push_back(judge::encode_call<decltype(lab::exclusive_scan)>("exclusive_scan", d_in,
                                                                        num_items, d_outs.back()));
    }
    return run_in_a_row(calls, [&](std::size_t i) {
      results[i].h_got = d_outs[i].download();
      return compare(results[i]);
    });
  }
};

}  // namespace lab_judge
