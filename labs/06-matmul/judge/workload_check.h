// SPDX-License-Identifier: MIT
// Checks a measured product in device memory: copying it, and multiplying again, would take
// minutes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lab_judge {

// Freivalds' check in both directions: u' C x = (u' A) (B x) for random vectors u and x of 64-bit
// words, modulo 2^64, in which integers are exact. A wrong C passes with a probability below 2^-30.
// R. Freivalds, "Probabilistic Machines Can Use Less Running Time", IFIP 1977.
//   d_a     (edge, depth)  whole numbers, in device memory, as the other two
//   d_b     (depth, edge)
//   d_c     (edge, edge)
//   u_seed, x_seed         of the two vectors; a secret
bool is_product(const float* d_a, const float* d_b, const float* d_c, std::size_t edge,
                std::size_t depth, std::uint64_t u_seed, std::uint64_t x_seed);

}  // namespace lab_judge
