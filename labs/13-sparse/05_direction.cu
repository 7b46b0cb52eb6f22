// SPDX-License-Identifier: MIT
// A large frontier has nearly every vertex as a neighbour. While it is large, reverse the
// search: each unreached vertex looks for a neighbour in the frontier, and stops at the first one.
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
constexpr int kLarge = 8;  // unreached vertices per vertex of a frontier that counts as large

struct Graph {
  const int* d_offsets;     // (num_vertices + 1)
  const int* d_neighbours;  // (num_edges)
};

// TODO 1. Begin with your 04: its kernels and its loop stay as they are.

// Looks from each unreached vertex for a neighbour whose distance is one less.
__global__ void __launch_bounds__(kThreadsPerBlock)
    bottom_up_kernel(Graph graph, int num_vertices, int distance, int* d_distances, int* d_next,
                     int* d_next_size) {
  using Distance = cuda::atomic_ref<int, cuda::thread_scope_device>;  // others write while we read
  // TODO 2. One thread per vertex. Which vertices have nothing to do? Which neighbours does the
  //         thread ask, and when may it stop?
  // TODO 3. Only this thread writes its vertex's distance, but others read it meanwhile: load and
  //         store distances as Distance, with cuda::memory_order_relaxed.
  // TODO 4. append() the vertices that were reached. Which lanes must call it?
}

}  // namespace

void breadth_first(const int* d_offsets, const int* d_neighbours, int num_vertices,
                   int /*num_edges*/, int source, int* d_distances, Scratch& scratch) {
  todo("05_direction: begin with your 04, write the kernel and the choice, then delete this line");

  // TODO 5. In each round, count the vertices that are still unreached. If the frontier is larger
  //         than 1 / kLarge of them, launch bottom_up_kernel in place of 04's three steps. Which of
  //         its results does the next round need, whichever direction that takes?
}

}  // namespace lab
