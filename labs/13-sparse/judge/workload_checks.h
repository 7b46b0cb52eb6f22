// SPDX-License-Identifier: MIT
// Makes and checks timed inputs of gigabytes in device memory. All pointers are to device memory
// (cpu backend: to shared host memory).
#pragma once

#include <cstddef>
#include <cstdint>

namespace lab_judge {

enum class Columns { kAnywhere, kNearDiagonal };

// A product y = A x of whole numbers, in the contract's arrays.
struct ProductArrays {
  const int* d_offsets;
  int* d_columns;
  float* d_values;
  float* d_x;
  const float* d_y;
  int num_rows, num_columns, num_nonzeros;
};

// Fills d_columns, d_values and d_x.
void fill(const ProductArrays& arrays, std::uint64_t seed, Columns columns);

bool is_product(const ProductArrays& arrays, std::uint64_t salt);

// Distances from a vertex, in the contract's arrays.
struct SearchArrays {
  const int* d_offsets;
  const int* d_neighbours;
  const int* d_distances;
  int num_vertices, num_edges;
};

// How many vertices have a distance that cannot be right, given those of their neighbours.
std::uint64_t count_wrong(const SearchArrays& arrays, int source);

}  // namespace lab_judge
