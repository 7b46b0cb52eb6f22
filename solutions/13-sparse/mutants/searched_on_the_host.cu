// SPDX-License-Identifier: MIT
// mutant of: 04_breadth_first
// mistake: the host searches, and no kernel reads the graph
// expect: failed forbidden
// also: slow
// needs: budget
#include <vector>

#include "lab/cuda_error.cuh"
#include "sparse.cuh"

namespace lab {

void breadth_first(const int* d_offsets, const int* d_neighbours, int num_vertices, int num_edges,
                   int source, int* d_distances, Scratch& /*scratch*/) {
  std::vector<int> offsets(num_vertices + 1);
  std::vector<int> neighbours(num_edges);
  std::vector<int> distances(num_vertices, kUnreached);
  check(
      cudaMemcpy(offsets.data(), d_offsets, offsets.size() * sizeof(int), cudaMemcpyDeviceToHost));
  check(
      cudaMemcpy(neighbours.data(), d_neighbours, num_edges * sizeof(int), cudaMemcpyDeviceToHost));
  std::vector<int> queue = {source};
  distances[source] = 0;
  for (std::size_t i = 0; i < queue.size(); ++i) {
    for (int k = offsets[queue[i]]; k < offsets[queue[i] + 1]; ++k) {
      int& distance = distances[neighbours[k]];
      if (distance != kUnreached) continue;
      distance = distances[queue[i]] + 1;
      queue.push_back(neighbours[k]);
    }
  }
  check(cudaMemcpy(d_distances, distances.data(), num_vertices * sizeof(int),
                   cudaMemcpyHostToDevice));
}

}  // namespace lab
