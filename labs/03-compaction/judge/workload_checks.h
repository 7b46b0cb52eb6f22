// SPDX-License-Identifier: MIT
// Makes and checks timed inputs of gigabytes in device memory. One random bit per item decides
// whether it is kept. All pointers are to device memory (cpu backend: to shared host memory).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "compaction.cuh"

namespace lab_judge {

// Everything about one input.
struct Input {
  std::uint64_t seed;
  std::size_t num_items;
  lab::Predicate keep;
};

void fill(int* d_items, Input input);

// Whether the first num_kept items of d_out are, in any order, those of d_in that are kept.
bool holds_the_kept(const int* d_in, Input input, const int* d_out, std::size_t num_kept);

// How many items are kept before each group of 512, and within it before each word of 64, in memory
// that a worker cannot reach.
class KeptBefore {
 public:
  explicit KeptBefore(std::size_t num_items);
  ~KeptBefore();

  // Counts for `input`; returns how many of all its items are kept.
  std::uint64_t count(Input input);
  // How many places of d_out are wrong. has_rest: items that are not kept follow; otherwise nothing
  // may.
  std::uint64_t count_misplaced(Input input, std::uint64_t num_kept, bool has_rest,
                                const int* d_out) const;

 private:
  struct Counts;
  std::unique_ptr<Counts> counts_;
};

}  // namespace lab_judge
