// SPDX-License-Identifier: MIT
#include "data.h"
#include "fixture/device_loop.cuh"
#include "fixture/test_data.h"
#include "sparse.cuh"
#include "workload_checks.h"

namespace lab_judge {
namespace {

using judge::random_bits;
using judge::random_integer;
using judge::sum_over;

constexpr int kBand = 64;  // how far a column is from the diagonal, at most

// The row of nonzero k.
LOCKSTEP_HOST_DEVICE int row_of(int k, const int* d_offsets, int num_rows) {
  int low = 0;
  int high = num_rows;
  while (high - low > 1) {
    const int middle = (low + high) / 2;  // below 2^31
    if (d_offsets[middle] <= k) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

struct FillNonzero {
  ProductArrays arrays;
  std::uint64_t seed;
  Columns columns;
  LOCKSTEP_HOST_DEVICE std::uint64_t operator()(std::size_t k) const {
    const std::uint64_t bits = random_bits(~seed, k);
    int column = static_cast<int>(bits % static_cast<std::uint64_t>(arrays.num_columns));
    if (columns == Columns::kNearDiagonal) {
      const int row = row_of(static_cast<int>(k), arrays.d_offsets, arrays.num_rows);
      const int near = row + static_cast<int>(bits % (2 * kBand)) - kBand;
      column = near < 0 || near >= arrays.num_columns ? row : near;
    }
    arrays.d_columns[k] = column;
    arrays.d_values[k] = random_integer(seed, k, kLargestInput);
    return 0;
  }
};
struct FillX {
  float* d_x;
  std::uint64_t seed;
  LOCKSTEP_HOST_DEVICE std::uint64_t operator()(std::size_t column) const {
    d_x[column] = random_integer(seed ^ 1, column, kLargestInput);
    return 0;
  }
};

// Each row has a secret weight. The weighted sum of y is that of the products, if y is right; for
// another y it is the same with a probability of about 2^-64.
struct WeighProduct {
  ProductArrays arrays;
  std::uint64_t salt;
  LOCKSTEP_HOST_DEVICE std::uint64_t operator()(std::size_t k) const {
    const int row = row_of(static_cast<int>(k), arrays.d_offsets, arrays.num_rows);
    const auto product =
        static_cast<std::int64_t>(arrays.d_values[k] * arrays.d_x[arrays.d_columns[k]]);
    return static_cast<std::uint64_t>(product) * random_bits(salt, row);
  }
};
struct WeighResult {
  const float* d_y;
  std::uint64_t salt;
  LOCKSTEP_HOST_DEVICE std::uint64_t operator()(std::size_t row) const {
    constexpr float kLargest = 1 << 24;  // of whole numbers without a gap
    const float y = d_y[row];
    if (!(y >= -kLargest && y <= kLargest)) return random_bits(~salt, row);
    const auto whole = static_cast<std::int64_t>(y);
    if (static_cast<float>(whole) != y) return random_bits(~salt, row);
    return static_cast<std::uint64_t>(whole) * random_bits(salt, row);
  }
};

// Right distances have three properties, and no others have them: only the source has 0; a vertex
// that is reached has a neighbour that is one nearer; and neighbours of a reached vertex are
// reached, at most one later. Compared edge by edge: one vertex may have a hundredth of all.
struct Neighbours {  // of one vertex
  bool has_nearer;   // by one
  bool has_apart;    // by more than one, or the only one of the two that is reached
};
struct ClearNeighbours {
  Neighbours* d_found;
  LOCKSTEP_HOST_DEVICE std::uint64_t operator()(std::size_t vertex) const {
    d_found[vertex] = {};
    return 0;
  }
};
struct CompareNeighbour {
  SearchArrays arrays;
  Neighbours* d_found;
  LOCKSTEP_HOST_DEVICE std::uint64_t operator()(std::size_t place) const {
    const int vertex = row_of(static_cast<int>(place), arrays.d_offsets, arrays.num_vertices);
    const std::int64_t distance = arrays.d_distances[vertex];
    const std::int64_t other = arrays.d_distances[arrays.d_neighbours[place]];
    const bool is_apart = distance == lab::kUnreached
                              ? other != lab::kUnreached
                              : other < distance - 1 || other > distance + 1;
    if (is_apart) d_found[vertex].has_apart = true;
    if (other == distance - 1) d_found[vertex].has_nearer = true;
    return 0;
  }
};
struct WrongDistance {
  const int* d_distances;
  const Neighbours* d_found;
  int source;
  LOCKSTEP_HOST_DEVICE std::uint64_t operator()(std::size_t vertex) const {
    const int distance = d_distances[vertex];
    if (vertex == static_cast<std::size_t>(source)) return distance == 0 ? 0 : 1;
    if (distance == 0 || distance < lab::kUnreached || d_found[vertex].has_apart) return 1;
    return distance == lab::kUnreached || d_found[vertex].has_nearer ? 0 : 1;
  }
};

}  // namespace

void fill(const ProductArrays& arrays, std::uint64_t seed, Columns columns) {
  sum_over(arrays.num_nonzeros, FillNonzero{arrays, seed, columns});
  sum_over(arrays.num_columns, FillX{arrays.d_x, seed});
}

bool is_product(const ProductArrays& arrays, std::uint64_t salt) {
  return sum_over(arrays.num_nonzeros, WeighProduct{arrays, salt}) ==
         sum_over(arrays.num_rows, WeighResult{arrays.d_y, salt});
}

std::uint64_t count_wrong(const SearchArrays& arrays, int source) {
  judge::PrivateArray<Neighbours> found(arrays.num_vertices);
  sum_over(arrays.num_vertices, ClearNeighbours{found.device_data()});
  sum_over(arrays.num_edges, CompareNeighbour{arrays, found.device_data()});
  return sum_over(arrays.num_vertices,
                  WrongDistance{arrays.d_distances, found.device_data(), source});
}

}  // namespace lab_judge
