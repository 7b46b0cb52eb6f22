// SPDX-License-Identifier: MIT
// A large frontier has nearly every vertex as a neighbour. New: while it is large, reverse the
// search. Each unreached vertex looks for a neighbour in the frontier, and stops at the first one.
// Few edges are followed, and no vertex is claimed by two.
// Source: S. Beamer, K. Asanovic and D. Patterson, "Direction-Optimizing Breadth-First Search",
// SC 2012.
#include <cuda/atomic>
#include <utility>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/provided_scan.cuh"
#include "sparse.cuh"

namespace lab {
namespace {

constexpr int kWarpSize = 32;
constexpr unsigned kFullWarp = 0xffffffffu;
constexpr int kThreadsPerBlock = 256;
constexpr int kLarge = 8;  // unreached vertices per vertex of a frontier that counts as large

struct Graph {
  const int* d_offsets;     // (num_vertices + 1)
  const int* d_neighbours;  // (num_edges)
};

// d_degrees[i] = the edges of frontier vertex i, and 0 after the last; (frontier_size + 1).
__global__ void degrees_kernel(Graph graph, const int* d_frontier, int frontier_size,
                               int* d_degrees) {
  const int i = blockIdx.x * kThreadsPerBlock + threadIdx.x;
  if (i > frontier_size) return;
  if (i == frontier_size) {
    d_degrees[i] = 0;
    return;
  }
  const int vertex = d_frontier[i];
  d_degrees[i] = graph.d_offsets[vertex + 1] - graph.d_offsets[vertex];
}

// The last i with d_starts[i] <= edge; d_starts (size) ascends from 0.
__device__ int owner_of(int edge, const int* d_starts, int size) {
  int low = 0;
  int high = size;
  while (high - low > 1) {
    const int middle = low + (high - low) / 2;
    if (d_starts[middle] <= edge) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

// True for one thread only. Most vertices are reached already, and a load shows that more cheaply
// than an atomic operation does.
__device__ bool claim(int* d_distance, int distance) {
  const cuda::atomic_ref<int, cuda::thread_scope_device> current(*d_distance);
  if (current.load(cuda::memory_order_relaxed) != kUnreached) return false;
  return atomicCAS(d_distance, kUnreached, distance) == kUnreached;
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
  const int num_edges = d_starts[frontier_size];
  const int stride = gridDim.x * kThreadsPerBlock;
  // Whole warps stay in the loop, for the votes.
  for (int first = blockIdx.x * kThreadsPerBlock; first < num_edges; first += stride) {
    const int edge = first + threadIdx.x;
    int vertex = kUnreached;
    if (edge < num_edges) {
      const int owner = owner_of(edge, d_starts, frontier_size);
      const int place = graph.d_offsets[d_frontier[owner]] + edge - d_starts[owner];
      const int neighbour = graph.d_neighbours[place];
      if (claim(&d_distances[neighbour], distance)) vertex = neighbour;
    }
    append(vertex != kUnreached, vertex, d_next, d_next_size);
  }
}

// Looks from each unreached vertex for a neighbour whose distance is one less.
__global__ void __launch_bounds__(kThreadsPerBlock)
    bottom_up_kernel(Graph graph, int num_vertices, int distance, int* d_distances, int* d_next,
                     int* d_next_size) {
  using Distance = cuda::atomic_ref<int, cuda::thread_scope_device>;  // others write while we read
  const int vertex = blockIdx.x * kThreadsPerBlock + threadIdx.x;
  bool is_reached = false;
  if (vertex < num_vertices && d_distances[vertex] == kUnreached) {
    const int end = graph.d_offsets[vertex + 1];
    for (int place = graph.d_offsets[vertex]; place < end && !is_reached; ++place) {
      const Distance neighbour(d_distances[graph.d_neighbours[place]]);
      is_reached = neighbour.load(cuda::memory_order_relaxed) == distance - 1;
    }
    if (is_reached) Distance(d_distances[vertex]).store(distance, cuda::memory_order_relaxed);
  }
  append(is_reached, vertex, d_next, d_next_size);
}

}  // namespace

void breadth_first(const int* d_offsets, const int* d_neighbours, int num_vertices,
                   int /*num_edges*/, int source, int* d_distances, Scratch& scratch) {
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
  int num_unreached = num_vertices - 1;
  for (int distance = 1; frontier_size > 0; ++distance) {
    check(cudaMemsetAsync(d_next_size, 0, sizeof(int)));
    if (frontier_size <= num_unreached / kLarge) {
      degrees_kernel<<<ceil_div(frontier_size + 1, kThreadsPerBlock), kThreadsPerBlock>>>(
          graph, d_frontier, frontier_size, d_degrees);
      check_launch();
      Scratch scan_scratch(d_scan, scan_bytes);
      exclusive_scan(d_degrees, frontier_size + 1, d_starts, scan_scratch, nullptr);
      expand_kernel<<<num_blocks, kThreadsPerBlock>>>(graph, d_frontier, d_starts, frontier_size,
                                                      distance, d_distances, d_next, d_next_size);
      check_launch();
    } else {
      bottom_up_kernel<<<ceil_div(num_vertices, kThreadsPerBlock), kThreadsPerBlock>>>(
          graph, num_vertices, distance, d_distances, d_next, d_next_size);
      check_launch();
    }
    // The host waits: it must learn whether there is another level.
    check(cudaMemcpy(&frontier_size, d_next_size, sizeof(int), cudaMemcpyDeviceToHost));
    num_unreached -= frontier_size;
    std::swap(d_frontier, d_next);
  }
}

}  // namespace lab
