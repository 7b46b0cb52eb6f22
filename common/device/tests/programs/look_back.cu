// SPDX-License-Identifier: MIT
// lab/look_back.cuh: one warp per tile over an operator that does not commute, and one thread per
// column; with tiles that publish late or all at once, and the words of the launch before still in
// memory.
#include <vector>

#include "check.h"
#include "lab/look_back.cuh"

namespace {

constexpr int kThreadsPerBlock = 64;
constexpr int kNumTiles = 100;  // three windows of 32 and a partial one; resident all at once

// How far a tile gets before it publishes its aggregate, or looks back.
enum class Pace {
  kFree,
  kLatePublishers,  // every third tile publishes when all have begun: its successors wait
  kLateReaders,     // all look back when all have published: aggregates only, window by window
};

// Returns when all tiles have called it with this counter.
__device__ void meet(unsigned* d_arrived) {
  if (threadIdx.x == 0) atomicAdd(d_arrived, 1);
  while (atomicAdd(d_arrived, 0) < kNumTiles) {
  }
}
// The tiles that do not wait.
__device__ void pass_by(unsigned* d_arrived) {
  if (threadIdx.x == 0) atomicAdd(d_arrived, 1);
}

__device__ void before_publishing(Pace pace, int tile, unsigned* d_arrived) {
  if (pace != Pace::kLatePublishers) return;
  if (tile % 3 == 0) {
    meet(d_arrived);
  } else {
    pass_by(d_arrived);
  }
}

__device__ void before_looking_back(Pace pace, unsigned* d_arrived) {
  if (pace == Pace::kLateReaders) meet(d_arrived);
}

// The map x -> scale * x + shift, modulo 2^16. Composition: first a, then b.
struct Affine {
  unsigned short scale;
  unsigned short shift;
  bool operator==(const Affine&) const = default;
};
struct Compose {
  __host__ __device__ Affine operator()(Affine a, Affine b) const {
    return {static_cast<unsigned short>(b.scale * a.scale),
            static_cast<unsigned short>(b.scale * a.shift + b.shift)};
  }
};

__host__ __device__ Affine map_of(int tile) {
  return {static_cast<unsigned short>(2 * tile + 3), static_cast<unsigned short>(tile * tile + 1)};
}

__global__ void by_warp(lab::LookBack<Affine> look_back, Pace pace, unsigned* d_arrived,
                        Affine* d_out) {
  __shared__ int ticket;
  if (threadIdx.x == 0) ticket = look_back.take_ticket();
  __syncthreads();
  const int tile = ticket;
  before_publishing(pace, tile, d_arrived);
  if (threadIdx.x == 0) look_back.publish(tile, map_of(tile));
  before_looking_back(pace, d_arrived);
  if (threadIdx.x < 32) {
    const Affine before = look_back.exclusive_prefix(tile, map_of(tile), {1, 0}, Compose{});
    if (threadIdx.x == 31) d_out[tile] = before;
  }
}

__host__ __device__ int count_of(int tile, int column) { return tile % 7 + column; }

__global__ void by_thread(lab::LookBack<int> look_back, Pace pace, unsigned* d_arrived,
                          int* d_out) {
  __shared__ int ticket;
  if (threadIdx.x == 0) ticket = look_back.take_ticket();
  __syncthreads();
  const int tile = ticket;
  const int column = threadIdx.x;
  const int count = count_of(tile, column);
  before_publishing(pace, tile, d_arrived);
  look_back.publish(tile, count, column);
  before_looking_back(pace, d_arrived);
  d_out[tile * kThreadsPerBlock + column] = look_back.exclusive_prefix_by_thread(
      tile, column, count, 0, [](int a, int b) { return a + b; });
}

// Device memory of the tests.
struct Buffers {
  char* d_scratch;      // (kScratchBytes)
  unsigned* d_arrived;  // (1)
  int* d_out;           // (kNumTiles, kThreadsPerBlock)
};
constexpr std::size_t kScratchBytes = (kNumTiles * kThreadsPerBlock + 1) * sizeof(long long);

template <class T>
std::vector<T> download(const void* d_values, std::size_t count) {
  std::vector<T> h_values(count);
  CHECK_CUDA(cudaMemcpy(h_values.data(), d_values, count * sizeof(T), cudaMemcpyDeviceToHost));
  return h_values;
}

void test_by_warp(const Buffers& buffers, Pace pace) {
  lab::Scratch scratch(buffers.d_scratch, kScratchBytes);
  CHECK_CUDA(cudaMemset(buffers.d_arrived, 0, sizeof(unsigned)));
  by_warp<<<kNumTiles, kThreadsPerBlock>>>(lab::LookBack<Affine>(kNumTiles, scratch, nullptr), pace,
                                           buffers.d_arrived,
                                           reinterpret_cast<Affine*>(buffers.d_out));
  CHECK_CUDA(cudaGetLastError());
  const auto h_out = download<Affine>(buffers.d_out, kNumTiles);
  Affine expected = {1, 0};
  for (int tile = 0; tile < kNumTiles; ++tile) {
    EXPECT(h_out[tile] == expected);
    expected = Compose{}(expected, map_of(tile));
  }
}

void test_by_thread(const Buffers& buffers, Pace pace) {
  lab::Scratch scratch(buffers.d_scratch, kScratchBytes);
  CHECK_CUDA(cudaMemset(buffers.d_arrived, 0, sizeof(unsigned)));
  by_thread<<<kNumTiles, kThreadsPerBlock>>>(
      lab::LookBack<int>(kNumTiles, scratch, nullptr, kThreadsPerBlock), pace, buffers.d_arrived,
      buffers.d_out);
  CHECK_CUDA(cudaGetLastError());
  const auto h_out = download<int>(buffers.d_out, kNumTiles * kThreadsPerBlock);
  for (int column = 0; column < kThreadsPerBlock; ++column) {
    int expected = 0;
    for (int tile = 0; tile < kNumTiles; ++tile) {
      EXPECT(h_out[tile * kThreadsPerBlock + column] == expected);
      expected += count_of(tile, column);
    }
  }
}

}  // namespace

int main() {
  Buffers buffers;
  CHECK_CUDA(cudaMalloc(&buffers.d_scratch, kScratchBytes));
  CHECK_CUDA(cudaMalloc(&buffers.d_arrived, sizeof(unsigned)));
  CHECK_CUDA(cudaMalloc(&buffers.d_out, kNumTiles * kThreadsPerBlock * sizeof(int)));
  for (const Pace pace : {Pace::kFree, Pace::kLatePublishers, Pace::kLateReaders}) {
    test_by_warp(buffers, pace);
    test_by_thread(buffers, pace);
  }
  CHECK_CUDA(cudaFree(buffers.d_scratch));
  CHECK_CUDA(cudaFree(buffers.d_arrived));
  CHECK_CUDA(cudaFree(buffers.d_out));
  return 0;
}
