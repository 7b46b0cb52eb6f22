// SPDX-License-Identifier: MIT
// Makes and checks measured calls in device memory (cpu backend: in shared host memory): copying
// them would take longer than what is measured.
#pragma once

#include <cstdint>

#include "data.h"

namespace lab_judge {

// A call in device memory, of numbers of a type of the contract.
template <class T>
struct Measured {
  T* d_q;
  T* d_k;
  T* d_v;
  const T* d_out;
  Shape shape;
  bool is_causal;
};

template <class T>
void fill(const Measured<T>& call, std::uint64_t seed);

// Whether no output is unwritten, and some, drawn by the seed, are what they should be. To gain
// speed, a submission must leave out many: then some of these are wrong.
template <class T>
bool are_outputs_right(const Measured<T>& call, std::uint64_t seed);

}  // namespace lab_judge
