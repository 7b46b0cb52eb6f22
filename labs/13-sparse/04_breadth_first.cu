// SPDX-License-Identifier: MIT
// The vertices of one distance are the frontier. A scan of their degrees numbers all of their
// edges, and each thread follows one edge at a time, whatever vertex it belongs to. The first
// thread to claim an unreached neighbour appends it to the next frontier.
#include <cuda/atomic>
#include <utility>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/provided_scan.cuh"
#include "lab/todo.cuh"
#include "sparse.cuh"

namespace lab {
namespace {

constexpr int kWarpSize = 32;
constexpr unsigned kFullWarp = 0xffffffffu;
constexpr int kThreadsPerBlock = 256;

struct Graph {
  const int* d_offsets;     // (num_vertices + 1)
  const int* d_neighbours;  // (num_edges)
};

// d_degrees[i] = the edges of frontier vertex i, and 0 after the last; (frontier_size + 1).
__global__ void degrees_kernel(Graph graph, const int* d_frontier, int frontier_size,
                               int* d_degrees) {
  // TODO 1. One thread per vertex of the frontier, and one more for the 0.
}

// The last i with d_starts[i] <= edge; d_starts (size) ascends from 0.
__device__ int owner_of(int edge, const int* d_starts, int size) {
  // TODO 2. Find it by a binary search. Vertices without edges have the same start as the one after
  //         them. Which of several equal starts has the edge?
  return 0;
}

// True for one thread only.
__device__ bool claim(int* d_distance, int distance) {
  const cuda::atomic_ref<int, cuda::thread_scope_device> current(*d_distance);
  // TODO 3. Several threads may find the same unreached vertex. Let atomicCAS decide. But most
  //         vertices are reached already: current.load(cuda::memory_order_relaxed) shows that, and
  //         costs less.
  return false;
}

// Appends the vertices of all lanes that have one. All 32 lanes must call.
__device__ void append(bool has_vertex, int vertex, int* d_next, int* d_next_size) {
  const int lane_id = threadIdx.x % kWarpSize;
  const unsigned votes = __ballot_sync(kFullWarp, has_vertex);
  int place = 0;
  if (lane_id == 0 && votes != 0) place = atomicAdd(d_next_size, __popc(votes));
  place = __shfl_sync(kFullWarp, place, 0);
  if (has_vertex) d_next[place + __popc(votes & ((1u << lane_id) - 1))] = vertex;
}

// Follows all edges of the frontier; d_frontier (frontier_size), d_starts (frontier_size + 1).
__global__ void __launch_bounds__(kThreadsPerBlock)
    expand_kernel(Graph graph, const int* d_frontier, const int* d_starts, int frontier_size,
                  int distance, int* d_distances, int* d_next, int* d_next_size) {
  // TODO 4. How many edges does the frontier have? Take them with the stride of the grid. Which
  //         threads of a warp must stay in the loop until its last edge, and why?
  // TODO 5. Which vertex of the frontier has this edge, and which of its edges is it? Follow it,
  //         claim the neighbour, and append it if the claim was yours.
}

}  // namespace

void breadth_first(const int* d_offsets, const int* d_neighbours, int num_vertices,
                   int /*num_edges*/, int source, int* d_distances, Scratch& scratch) {
  todo("04_breadth_first: write the kernels and the loop, then delete this line");

  const Graph graph = {d_offsets, d_neighbours};
  int* d_frontier = scratch.allocate<int>(num_vertices);
  int* d_next = scratch.allocate<int>(num_vertices);
  int* d_next_size = scratch.allocate<int>(1);
  int* d_degrees = scratch.allocate<int>(num_vertices + 1);
  int* d_starts = scratch.allocate<int>(num_vertices + 1);
  const std::size_t scan_bytes = num_vertices / 100 + 4096;
  char* d_scan = scratch.allocate<char>(scan_bytes);
  const int num_blocks = max_resident_blocks(expand_kernel, kThreadsPerBlock);

  check(cudaMemsetAsync(d_distances, 0xff, sizeof(int) * num_vertices));  // kUnreached
  check(cudaMemsetAsync(&d_distances[source], 0, sizeof(int)));
  check(cudaMemcpyAsync(d_frontier, &source, sizeof(int), cudaMemcpyHostToDevice));
  int frontier_size = 1;
  // TODO 6. While there is a frontier: the degrees, their scan (exclusive_scan() with
  //         frontier_size + 1 items), and the edges. Which number must the host learn in each
  //         round, and which counter must be 0 before? Then the two frontiers change places.
  // TODO 7. Scratch memory is never returned during a call, and there may be many rounds. So give
  //         each scan `Scratch scan_scratch(d_scan, scan_bytes)`, which is new in each round.
}

}  // namespace lab
