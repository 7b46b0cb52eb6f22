// SPDX-License-Identifier: MIT
// Makes and checks measured products in device memory: copying them, and multiplying again, would
// take minutes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lab_judge {

// Fills `count` numbers, of a type of the contract, with random integers in [-limit, limit].
template <class T>
void fill_integers(T* d_items, std::size_t count, std::uint64_t seed, int limit);

// A product in device memory. All numbers are whole, and scales are powers of two from 1 on.
template <class T>
struct Product {
  const T* d_a;             // (edge, depth)
  const T* d_b;             // (depth, edge); by_columns: (edge, depth)
  const float* d_a_scales;  // (edge), or null
  const float* d_b_scales;
  const float* d_c;  // (edge, edge)
  std::size_t edge, depth;
  bool by_columns;
};

// Freivalds' check in both directions: u' C x = (u' A) (B x) for random vectors u and x of 64-bit
// words, modulo 2^64, in which integers are exact. A wrong C passes with a probability below 2^-30.
// R. Freivalds, "Probabilistic Machines Can Use Less Running Time", IFIP 1977.
//   u_seed, x_seed  of the two vectors; a secret
template <class T>
bool is_product(const Product<T>& product, std::uint64_t u_seed, std::uint64_t x_seed);

}  // namespace lab_judge
