// SPDX-License-Identifier: MIT
// Compares a sorted array with the expected one and names the mistake that it looks like. Keys are
// compared as unsigned numbers: for other types the caller converts the bits.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "process/submission.h"
#include "reference.h"

namespace lab_judge {

// Another order in which a program might sort by mistake.
struct WrongOrder {
  std::function<std::uint32_t(std::uint32_t)> key;  // what was compared instead
  const char* clause;                               // completes "It looks as if ..."
};

struct SortCase {
  std::string what;  // "radix_sort of 1000 keys"
  Keys input;        // in the order of the call
  int begin_bit = 0;
  int end_bit = 32;
  std::uint32_t poison;                            // an item that no thread wrote
  std::uint32_t padding = 0xffffffffU;             // what fills partial tiles
  std::function<std::string(std::uint32_t)> show;  // a key as the student knows it
  std::vector<WrongOrder> wrong_orders = {};
  std::string output = "d_out";
};

// A case of plain unsigned keys.
SortCase unsigned_case(std::string what, Keys input);

// The right output.
inline Keys expected_of(const SortCase& sort_case) {
  return sorted_by_bits(sort_case.input, sort_case.begin_bit, sort_case.end_bit);
}

// What is wrong with `got`, or nothing.
std::optional<judge::Failure> compare(const SortCase& sort_case, const Keys& got);

// "0x0000002a"
std::string hex(std::uint32_t bits);

}  // namespace lab_judge
