// SPDX-License-Identifier: MIT
// The functions of the contract as data: their inputs, their right results, and their calls.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fixture/host_device.h"
#include "fixture/test_data.h"
#include "process/submission.h"
#include "reference.h"

namespace lab_judge {

enum class Function { kMerge, kSortTiles, kSort };

// Which of them a rung defines.
Function function_of(const std::string& rung);

// The values of the items.
struct Spread {
  const char* name;  // completes "items that are ..."
  lab::Fraction (*item)(std::uint64_t seed, std::uint64_t index);
};
extern const Spread kFewValues;  // many items are equal
extern const std::vector<Spread> kSpreads;

// What one call works on.
struct Problem {
  Function function;
  lab::Order order;
  Items h_in;     // kMerge: d_a, and then d_b
  int num_a = 0;  // kMerge: how many are d_a

  int num_items() const { return static_cast<int>(h_in.size()); }
  Items h_a() const { return {h_in.begin(), h_in.begin() + num_a}; }
  Items h_b() const { return {h_in.begin() + num_a, h_in.end()}; }
};

// A merge of two sorted arrays. `order` does not matter there.
Problem make_merge(std::uint64_t seed, int num_a, int num_b, const Spread& spread);
Problem make_sort(Function function, std::uint64_t seed, int num_items, lab::Order order,
                  const Spread& spread);

Items expected_of(const Problem& problem);

// A sort has one input, d_a, and a merge has no order.
wire::Call encode(Function function, lab::Order order, const judge::Buffer<lab::Fraction>& d_a,
                  const judge::Buffer<lab::Fraction>& d_b,
                  const judge::Buffer<lab::Fraction>& d_out);

// A random item of a timed sort.
LOCKSTEP_HOST_DEVICE inline lab::Fraction random_fraction(std::uint64_t seed, std::uint64_t index) {
  const std::uint64_t bits = judge::random_bits(seed, index);
  return {static_cast<int>(bits), static_cast<int>(bits >> 33) | 1};
}

// Item `index` of an ascending array of a timed merge: a fraction between index * stride and
// (index + 1) * stride. The numerator stays below 2^31 if num_items * stride <= 2^29.
LOCKSTEP_HOST_DEVICE inline lab::Fraction ascending_fraction(std::uint64_t seed, std::size_t index,
                                                             int stride) {
  const std::uint64_t bits = judge::random_bits(seed, index);
  const int denominator = 1 + static_cast<int>(bits % 4);
  const int rest = static_cast<int>((bits >> 8) % static_cast<std::uint64_t>(denominator));
  const int floor = static_cast<int>(index) * stride +
                    static_cast<int>((bits >> 32) % static_cast<std::uint64_t>(stride));
  return {floor * denominator + rest, denominator};
}

}  // namespace lab_judge
