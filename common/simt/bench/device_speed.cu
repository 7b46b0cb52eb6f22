// SPDX-License-Identifier: MIT
// Measures the emulator's speed, as JSON on stdout: threads, memory accesses, barriers and shuffles
// per second, and the time of a shared-memory reduction as its input grows.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

namespace {

constexpr int kThreadsPerBlock = 256;

__global__ void empty_kernel() {}

// Each thread reads num_reads items, a grid apart.
__global__ void read_kernel(const float* d_in, int num_reads, float* d_out) {
  const int num_threads = gridDim.x * blockDim.x;
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  for (int i = 0; i < num_reads; ++i) sum += d_in[thread + i * num_threads];
  d_out[thread] = sum;
}

__global__ void barrier_kernel(int num_barriers) {
  for (int i = 0; i < num_barriers; ++i) __syncthreads();
}

__global__ void shuffle_kernel(int num_shuffles, float* d_out) {
  float value = threadIdx.x;
  for (int i = 0; i < num_shuffles; ++i) value += __shfl_xor_sync(0xffffffffu, value, 1);
  d_out[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

// Sums a block's items in shared memory and adds the sums up by an atomic: d_out (1).
__global__ void reduce_kernel(const float* d_in, int num_items, float* d_out) {
  __shared__ float partial[kThreadsPerBlock];
  const int item = blockIdx.x * kThreadsPerBlock + threadIdx.x;
  partial[threadIdx.x] = item < num_items ? d_in[item] : 0.0f;
  __syncthreads();
  for (int stride = kThreadsPerBlock / 2; stride > 0; stride /= 2) {
    if (threadIdx.x < stride) partial[threadIdx.x] += partial[threadIdx.x + stride];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(d_out, partial[0]);
}

// The shortest of several runs, after one that warms up, in seconds.
template <class Run>
double seconds(Run run) {
  using Clock = std::chrono::steady_clock;
  run();
  double best = 1e30;
  for (int repeat = 0; repeat < 5; ++repeat) {
    const Clock::time_point start = Clock::now();
    run();
    best = std::min(best, std::chrono::duration<double>(Clock::now() - start).count());
  }
  return best;
}

}  // namespace

int main() {
  constexpr int kMaxItems = 1 << 22;
  constexpr int kNumBlocks = 64;
  constexpr int kNumThreads = kNumBlocks * kThreadsPerBlock;
  constexpr int kRepeats = 64;  // of the measured operation by each thread
  float* d_in = nullptr;
  float* d_out = nullptr;
  cudaMalloc(&d_in, kMaxItems * sizeof(float));
  cudaMalloc(&d_out, kNumThreads * sizeof(float));
  cudaMemset(d_in, 0, kMaxItems * sizeof(float));

  const double empty = seconds([&] { empty_kernel<<<kNumBlocks * 16, kThreadsPerBlock>>>(); });
  const double read =
      seconds([&] { read_kernel<<<kNumBlocks, kThreadsPerBlock>>>(d_in, kRepeats, d_out); });
  const double barrier =
      seconds([&] { barrier_kernel<<<kNumBlocks, kThreadsPerBlock>>>(kRepeats); });
  const double shuffle =
      seconds([&] { shuffle_kernel<<<kNumBlocks, kThreadsPerBlock>>>(kRepeats, d_out); });
  const double operations = 1.0 * kNumThreads * kRepeats;
  std::printf("{\"threads_per_second\": %.4g, \"reads_per_second\": %.4g, ",
              16.0 * kNumThreads / empty, operations / read);
  std::printf("\"barrier_waits_per_second\": %.4g, \"shuffles_per_second\": %.4g,\n",
              operations / barrier, operations / shuffle);

  std::printf(" \"shared_memory_reduction\": [");
  for (int num_items = 1 << 12; num_items <= kMaxItems; num_items *= 4) {
    const double elapsed = seconds([&] {
      reduce_kernel<<<num_items / kThreadsPerBlock, kThreadsPerBlock>>>(d_in, num_items, d_out);
    });
    std::printf("%s\n  {\"num_items\": %d, \"elapsed_ms\": %.3f, \"ns_per_item\": %.1f}",
                num_items == 1 << 12 ? "" : ",", num_items, elapsed * 1e3,
                elapsed / num_items * 1e9);
  }
  std::printf("]}\n");
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
