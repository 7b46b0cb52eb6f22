// SPDX-License-Identifier: MIT
#include "reference.h"

#include <cmath>

#include "sparse.cuh"

namespace lab_judge {

RowSum row_sum(const Matrix& matrix, const std::vector<float>& h_x, Numbers numbers, int row) {
  double sum = 0;
  double sum_of_absolutes = 0;
  for (int k = matrix.h_offsets[row]; k < matrix.h_offsets[row + 1]; ++k) {
    const double product = double{matrix.h_values[k]} * h_x[matrix.h_columns[k]];
    sum += product;
    sum_of_absolutes += std::abs(product);
  }
  if (numbers == Numbers::kWhole) return {sum, 0};
  const int num_terms = matrix.h_offsets[row + 1] - matrix.h_offsets[row];
  return {sum, (num_terms + 1) * 0x1p-24 * sum_of_absolutes};
}

std::vector<int> distances_from(int source, const Graph& graph) {
  std::vector<int> distances(graph.num_vertices(), lab::kUnreached);
  std::vector<int> reached = {source};
  distances[source] = 0;
  for (std::size_t i = 0; i < reached.size(); ++i) {  // it grows on the way
    const int vertex = reached[i];
    for (int place = graph.h_offsets[vertex]; place < graph.h_offsets[vertex + 1]; ++place) {
      const int neighbour = graph.h_neighbours[place];
      if (distances[neighbour] != lab::kUnreached) continue;
      distances[neighbour] = distances[vertex] + 1;
      reached.push_back(neighbour);
    }
  }
  return distances;
}

}  // namespace lab_judge
