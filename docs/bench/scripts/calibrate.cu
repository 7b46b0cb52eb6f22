// SPDX-License-Identifier: MIT
// Measures what the model of time needs to know of a GPU, one number per line: name and value, as
// in the files of its devices. Run it by `docs/bench/measure calibrate`; docs/time.md explains the
// names.
#include <cooperative_groups.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <numeric>
#include <random>
#include <vector>

#include "lab/cuda_error.cuh"

namespace {

using lab::check;

constexpr int kWarpSize = 32;
constexpr int kRepeats = 9;
constexpr int kSteps = 4096;  // of a chain of instructions

// The median time on the device, in s.
double seconds_of(const std::function<void()>& work) {
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin));
  check(cudaEventCreate(&end));
  std::vector<float> times;
  for (int repeat = 0; repeat <= kRepeats; ++repeat) {
    check(cudaEventRecord(begin));
    work();
    check(cudaEventRecord(end));
    check(cudaEventSynchronize(end));
    float elapsed_ms = 0;
    check(cudaEventElapsedTime(&elapsed_ms, begin, end));
    times.push_back(elapsed_ms);
  }
  times.erase(times.begin());  // it warms up
  std::sort(times.begin(), times.end());
  check(cudaEventDestroy(begin));
  check(cudaEventDestroy(end));
  return times[times.size() / 2] * 1e-3;
}

template <class T>
struct Array {
  T* data = nullptr;
  explicit Array(std::size_t count) {
    check(cudaMalloc(&data, count * sizeof(T)));
    check(cudaMemset(data, 0, count * sizeof(T)));
  }
  ~Array() { static_cast<void>(cudaFree(data)); }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
};

__global__ void empty_kernel() {}

// One thread goes from word to word: each load waits for the one before.
__global__ void chase_kernel(const std::uint32_t* d_next, int steps, long long* d_cycles,
                             std::uint32_t* d_last) {
  std::uint32_t at = 0;
  const long long begin = clock64();
  for (int step = 0; step < steps; ++step) at = __ldcg(&d_next[at]);
  d_last[0] = at;
  d_cycles[0] = clock64() - begin;
}

__global__ void barrier_kernel(int steps, long long* d_cycles) {
  const long long begin = clock64();
  for (int step = 0; step < steps; ++step) __syncthreads();
  if (threadIdx.x == 0) d_cycles[0] = clock64() - begin;
}

__device__ std::uint32_t next_random(std::uint32_t& state) {
  state = state * 1664525U + 1013904223U;
  return state >> 8;
}

// Every warp asks for random lines (of 16 float2), for `kSectors` sectors of each.
template <int kSectors>
__global__ void gather_kernel(const float2* d_lines, std::uint32_t num_lines, int steps,
                              float* d_out) {
  constexpr int kInFlight = 8;
  const std::uint32_t group = (blockIdx.x * blockDim.x + threadIdx.x) / kSectors;
  const std::uint32_t sector = threadIdx.x % kSectors;
  std::uint32_t state = group * 2654435761U + 1;
  float sum = 0;
  for (int step = 0; step < steps; step += kInFlight) {
    float2 each[kInFlight];
#pragma unroll
    for (float2& value : each) {
      value = __ldcg(&d_lines[next_random(state) % num_lines * 16 + sector * 4]);
    }
#pragma unroll
    for (const float2& value : each) sum += value.x + value.y;
  }
  if (sum == 1) d_out[0] = sum;  // never: the array is 0
}

// Every warp writes random lines, as gather_kernel reads them, for all four sectors of each.
__global__ void scatter_kernel(float2* d_lines, std::uint32_t num_lines, int steps) {
  const std::uint32_t group = (blockIdx.x * blockDim.x + threadIdx.x) / 16;
  std::uint32_t state = group * 2654435761U + 1;
  for (int step = 0; step < steps; ++step) {
    const std::uint32_t line = next_random(state) % num_lines;
    __stcg(&d_lines[line * 16 + threadIdx.x % 16], float2{});
  }
}

// Every block reads all of d_in (count), at the same time.
__global__ void same_kernel(const float4* d_in, int count, int passes, float* d_out) {
  float sum = 0;
  for (int pass = 0; pass < passes; ++pass) {
#pragma unroll 8
    for (int i = static_cast<int>(threadIdx.x); i < count; i += static_cast<int>(blockDim.x)) {
      const float4 each = __ldcg(&d_in[i]);
      sum += each.x + each.y + each.z + each.w;
    }
  }
  if (sum == 1) d_out[0] = sum;
}

// Every lane adds to random ones of `num_words` words.
template <class T>
__global__ void atomic_kernel(T* d_sums, std::uint32_t num_words, int steps) {
  std::uint32_t state = blockIdx.x * 7919 + threadIdx.x * 104729 + 1;
  for (int step = 0; step < steps; ++step) atomicAdd(&d_sums[next_random(state) % num_words], T{1});
}

constexpr int kClusterBlocks = 8;
constexpr int kRemoteWords = 2048;  // so many that lanes of a warp rarely share one

// Every lane adds to random words of the next block of its cluster.
__global__ void __cluster_dims__(kClusterBlocks) remote_kernel(int steps, std::uint32_t* d_out) {
#if __CUDA_ARCH__ >= 900
  __shared__ std::uint32_t sums[kRemoteWords];
  const auto cluster = cooperative_groups::this_cluster();
  for (int i = threadIdx.x; i < kRemoteWords; i += blockDim.x) sums[i] = 0;
  cluster.sync();
  std::uint32_t* const others =
      cluster.map_shared_rank(sums, (cluster.block_rank() + 1) % kClusterBlocks);
  std::uint32_t state = blockIdx.x * 7919 + threadIdx.x * 104729 + 1;
  for (int step = 0; step < steps; ++step) {
    atomicAdd(&others[next_random(state) % kRemoteWords], 1U);
  }
  cluster.sync();
  if (threadIdx.x == 0) d_out[blockIdx.x] = sums[0];
#endif
}

// Cycles of the first multiprocessor for a chain of multiply-adds, which no clock of the host sees.
__global__ void clock_kernel(int steps, float factor, long long* d_cycles, float* d_out) {
  float value = factor;
  const long long begin = clock64();
  for (int step = 0; step < steps; ++step) value = value * factor + factor;
  d_out[0] = value;
  d_cycles[0] = clock64() - begin;
}

__device__ std::uint64_t now_ns() {
  std::uint64_t now = 0;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  return now;
}

// Independent products of 16 x 8 x 16 bfloat16, four at a time. d_elapsed: cycles, and ns, of the
// first block.
__global__ void tensor_kernel(int steps, float* d_out, long long* d_elapsed) {
  const long long begin = clock64();
  const std::uint64_t begin_ns = now_ns();
  float sums[4][4] = {};
  const std::uint32_t word = threadIdx.x;
  for (int step = 0; step < steps; ++step) {
#pragma unroll
    for (auto& sum : sums) {
      asm volatile(
          "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %4, %4, %4}, "
          "{%4, %4}, {%0, %1, %2, %3};"
          : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
          : "r"(word));
    }
  }
  if (sums[0][0] + sums[1][0] + sums[2][0] + sums[3][0] == 1) d_out[0] = 1;
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    d_elapsed[0] = clock64() - begin;
    d_elapsed[1] = static_cast<long long>(now_ns() - begin_ns);
  }
}

void print(const char* name, double value) { std::printf("%s %.6g\n", name, value); }

long long cycles_of(const Array<long long>& d_cycles, int index = 0) {
  long long cycles = 0;
  check(cudaMemcpy(&cycles, d_cycles.data + index, sizeof cycles, cudaMemcpyDeviceToHost));
  return cycles;
}

// One cycle through all lines of an array of this size, in random order.
double load_cycles(std::size_t size_bytes) {
  constexpr std::size_t kLineWords = 32;
  std::vector<std::uint32_t> order(size_bytes / 128);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin() + 1, order.end(), std::mt19937(1));
  std::vector<std::uint32_t> next(order.size() * kLineWords);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::uint32_t to = order[(i + 1) % order.size()];
    next[order[i] * kLineWords] = static_cast<std::uint32_t>(to * kLineWords);
  }
  const Array<std::uint32_t> d_next(next.size()), d_last(1);
  const Array<long long> d_cycles(1);
  check(cudaMemcpy(d_next.data, next.data(), next.size() * sizeof next[0], cudaMemcpyHostToDevice));
  chase_kernel<<<1, 1>>>(d_next.data, kSteps, d_cycles.data, d_last.data);
  return static_cast<double>(cycles_of(d_cycles)) / kSteps;
}

template <int kSectors>
double gather_gbps(const cudaDeviceProp& device, std::size_t size_bytes) {
  constexpr int kSteps = 256, kThreads = 256;
  const Array<float2> d_lines(size_bytes / sizeof(float2));
  const Array<float> d_out(1);
  const auto num_lines = static_cast<std::uint32_t>(size_bytes / 128);
  const int num_blocks = device.multiProcessorCount * 8;
  const double seconds = seconds_of([&] {
    gather_kernel<kSectors><<<num_blocks, kThreads>>>(d_lines.data, num_lines, kSteps, d_out.data);
  });
  return 32.0 * num_blocks * kThreads * kSteps / seconds * 1e-9;
}

double scatter_gbps(const cudaDeviceProp& device, std::size_t size_bytes) {
  constexpr int kSteps = 256, kThreads = 256;
  const Array<float2> d_lines(size_bytes / sizeof(float2));
  const auto num_lines = static_cast<std::uint32_t>(size_bytes / 128);
  const int num_blocks = device.multiProcessorCount * 8;
  const double seconds = seconds_of(
      [&] { scatter_kernel<<<num_blocks, kThreads>>>(d_lines.data, num_lines, kSteps); });
  return double{sizeof(float2)} * num_blocks * kThreads * kSteps / seconds * 1e-9;
}

double same_gbps(const cudaDeviceProp& device, std::size_t size_bytes) {
  const Array<float4> d_in(size_bytes / sizeof(float4));
  const Array<float> d_out(1);
  const int num_blocks = device.multiProcessorCount * 4,
            count = static_cast<int>(size_bytes / sizeof(float4));
  const double seconds =
      seconds_of([&] { same_kernel<<<num_blocks, 512>>>(d_in.data, count, 4, d_out.data); });
  return 4.0 * num_blocks * static_cast<double>(size_bytes) / seconds * 1e-9;
}

// Of one operation, if the lanes of each warp come one after the other.
template <class T>
double atomic_ns(const cudaDeviceProp& device, std::uint32_t num_words) {
  constexpr int kAdds = 64;
  const Array<T> d_sums(num_words);
  const int num_blocks = device.multiProcessorCount * 4;
  const double seconds =
      seconds_of([&] { atomic_kernel<T><<<num_blocks, 256>>>(d_sums.data, num_words, kAdds); });
  return seconds * 1e9 / (num_blocks * 256.0 * kAdds);
}

// How many operations a sector or a slice makes of the request of a warp whose lanes go to random
// ones of `num_words` words: the words of a sector are updated side by side, those of one word one
// after the other.
double operations(std::uint32_t num_words) {
  constexpr int kRequests = 10'000;
  constexpr std::uint32_t kSectorWords = 8;
  std::mt19937 random(1);
  double sum = 0;
  for (int request = 0; request < kRequests; ++request) {
    std::vector<int> lanes(num_words);
    for (int lane = 0; lane < kWarpSize; ++lane) ++lanes[random() % num_words];
    for (std::uint32_t first = 0; first < num_words; first += kSectorWords) {
      const auto begin = lanes.begin() + first;
      sum += *std::max_element(begin, begin + std::min(kSectorWords, num_words - first));
    }
  }
  return sum / kRequests;
}

}  // namespace

int main() {
  cudaDeviceProp device;
  check(cudaGetDeviceProperties(&device, 0));
  const double num_multiprocessors = device.multiProcessorCount;
  const Array<long long> d_cycles(1);
  const Array<float> d_out(1);
  print("multiprocessors", num_multiprocessors);
  print("warps", device.maxThreadsPerMultiProcessor / kWarpSize);
  print("blocks", device.maxBlocksPerMultiProcessor);
  print("registers", device.regsPerMultiprocessor);
  print("shared_bytes", static_cast<double>(device.sharedMemPerMultiprocessor));

  constexpr int kLong = 1 << 22;
  const double long_seconds =
      seconds_of([&] { clock_kernel<<<1, 1>>>(kLong, 0.5F, d_cycles.data, d_out.data); });
  const double clock_hz = static_cast<double>(cycles_of(d_cycles)) / long_seconds;
  print("clock_ghz", clock_hz * 1e-9);

  const std::size_t l2_bytes = static_cast<std::size_t>(device.l2CacheSize);
  print("l2_gbps", gather_gbps<4>(device, l2_bytes * 2 / 5));
  print("l2_single_gbps", gather_gbps<1>(device, l2_bytes * 2 / 5));
  print("l2_write_gbps", scatter_gbps(device, l2_bytes * 2 / 5));
  print("l2_same_gbps", same_gbps(device, l2_bytes / 16));
  print("dram_cycles", load_cycles(16 * l2_bytes));
  print("l2_cycles", load_cycles(l2_bytes / 16));

  double barrier_cycles[2] = {};
  for (const int num_warps : {1, 32}) {
    barrier_kernel<<<1, num_warps * kWarpSize>>>(kSteps, d_cycles.data);
    barrier_cycles[num_warps / 32] = static_cast<double>(cycles_of(d_cycles)) / kSteps;
  }
  print("barrier_cycles", (barrier_cycles[1] - barrier_cycles[0]) / 31);

  constexpr int kBlocks = 8192;  // of each multiprocessor
  const int num_blocks = device.multiProcessorCount * kBlocks;
  const double block_seconds = seconds_of([&] { empty_kernel<<<num_blocks, 256>>>(); });
  print("block_cycles", block_seconds * clock_hz / kBlocks);

  if (device.major >= 9) {
    constexpr int kAdds = 512, kThreads = 1024;
    const Array<std::uint32_t> d_sums(kClusterBlocks);
    const double seconds =
        seconds_of([&] { remote_kernel<<<kClusterBlocks, kThreads>>>(kAdds, d_sums.data); });
    print("remote_cycles", seconds * clock_hz / (kAdds * kThreads));
  }

  constexpr std::uint32_t kLineWords = 32, kSliceWords = 256;
  const auto of_operation = [&](std::uint32_t num_words) {
    return atomic_ns<std::uint32_t>(device, num_words) * kWarpSize / operations(num_words);
  };
  print("atomic_ns", of_operation(kLineWords));
  print("slice_ns", of_operation(kSliceWords));
  print("float_sum_ns", atomic_ns<float>(device, 1));

  // Some devices lower their clock while tensor cores work.
  const Array<long long> d_elapsed(2);
  const double tensor_seconds = seconds_of([&] {
    tensor_kernel<<<device.multiProcessorCount * 4, 512>>>(kSteps, d_out.data, d_elapsed.data);
  });
  const double tensor_hz = static_cast<double>(cycles_of(d_elapsed)) * 1e9 /
                           static_cast<double>(cycles_of(d_elapsed, 1));
  const double multiply_adds = num_multiprocessors * 4 * 16 * kSteps * 4 * (16.0 * 8 * 16);
  print("tensor_clock_ghz", tensor_hz * 1e-9);
  print("tensor", multiply_adds / (num_multiprocessors * tensor_hz * tensor_seconds));
  check(cudaGetLastError());
  return 0;
}
