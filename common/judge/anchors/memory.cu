// SPDX-License-Identifier: MIT
// What the device's memory can do.
#include "anchors.cuh"
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"

namespace lab {
namespace {

constexpr int kThreadsPerBlock = 256;
constexpr int kBlocksPerMultiprocessor = 4;  // leaves 64 registers per thread for loads in flight
constexpr int kLoadsInFlight = 8;

// Streams through the input with 128-bit loads, many of them in flight, and does almost no
// arithmetic.
__global__ void __launch_bounds__(kThreadsPerBlock, kBlocksPerMultiprocessor)
    read_kernel(const float4* d_in, int num_vectors, float* d_out) {
  const int stride = gridDim.x * kThreadsPerBlock;
  int index = blockIdx.x * kThreadsPerBlock + threadIdx.x;
  float4 sum = {0, 0, 0, 0};
  const auto add = [&](float4 v) { sum.x += v.x, sum.y += v.y, sum.z += v.z, sum.w += v.w; };
  for (; index + (kLoadsInFlight - 1) * stride < num_vectors; index += kLoadsInFlight * stride) {
    float4 items[kLoadsInFlight];
#pragma unroll
    for (int i = 0; i < kLoadsInFlight; ++i) items[i] = __ldcs(d_in + index + i * stride);
#pragma unroll
    for (int i = 0; i < kLoadsInFlight; ++i) add(items[i]);
  }
  for (; index < num_vectors; index += stride) add(__ldcs(d_in + index));
  // Never true for the judge's data. The compiler cannot know that, so it must keep the loads.
  if (sum.x + sum.y + sum.z + sum.w == 1.2345e30F) d_out[0] = sum.x;
}

constexpr int kVectorsPerThread = 4;
constexpr int kVectorsPerTile = kThreadsPerBlock * kVectorsPerThread;

// One tile per block: all of its loads are in flight before the first store.
__global__ void copy_kernel(const int4* d_in, int num_vectors, int4* d_out) {
  const int first = blockIdx.x * kVectorsPerTile + threadIdx.x;
  int4 items[kVectorsPerThread];
#pragma unroll
  for (int i = 0; i < kVectorsPerThread; ++i) {
    const int index = first + i * kThreadsPerBlock;
    if (index < num_vectors) items[i] = __ldcs(d_in + index);
  }
#pragma unroll
  for (int i = 0; i < kVectorsPerThread; ++i) {
    const int index = first + i * kThreadsPerBlock;
    if (index < num_vectors) __stcs(d_out + index, items[i]);
  }
}

// As copy_kernel, with a second input.
__global__ void add_kernel(const float4* d_a, const float4* d_b, int num_vectors, float4* d_sum) {
  const int first = blockIdx.x * kVectorsPerTile + threadIdx.x;
  float4 a[kVectorsPerThread];
  float4 b[kVectorsPerThread];
#pragma unroll
  for (int i = 0; i < kVectorsPerThread; ++i) {
    const int index = first + i * kThreadsPerBlock;
    if (index < num_vectors) {
      a[i] = __ldcs(d_a + index);
      b[i] = __ldcs(d_b + index);
    }
  }
#pragma unroll
  for (int i = 0; i < kVectorsPerThread; ++i) {
    const int index = first + i * kThreadsPerBlock;
    if (index < num_vectors) {
      __stcs(d_sum + index,
             make_float4(a[i].x + b[i].x, a[i].y + b[i].y, a[i].z + b[i].z, a[i].w + b[i].w));
    }
  }
}

// As copy_kernel, but each output vector is made of two input vectors, half the input apart.
__global__ void halve_kernel(const int4* d_in, int num_out_vectors, int4* d_out) {
  const int first = blockIdx.x * kVectorsPerTile + threadIdx.x;
  int4 items[2][kVectorsPerThread];
#pragma unroll
  for (int half = 0; half < 2; ++half) {
#pragma unroll
    for (int i = 0; i < kVectorsPerThread; ++i) {
      const int index = first + i * kThreadsPerBlock;
      if (index < num_out_vectors) items[half][i] = __ldcs(d_in + half * num_out_vectors + index);
    }
  }
#pragma unroll
  for (int i = 0; i < kVectorsPerThread; ++i) {
    const int index = first + i * kThreadsPerBlock;
    const int4 a = items[0][i];
    const int4 b = items[1][i];
    if (index < num_out_vectors) {
      __stcs(d_out + index, make_int4(a.x ^ b.x, a.y ^ b.y, a.z ^ b.z, a.w ^ b.w));
    }
  }
}

}  // namespace

void read_bandwidth(const float* d_in, int num_items, float* d_out, Scratch&, cudaStream_t stream) {
  const int blocks = kBlocksPerMultiprocessor * num_multiprocessors();
  read_kernel<<<blocks, kThreadsPerBlock, 0, stream>>>(reinterpret_cast<const float4*>(d_in),
                                                       num_items / 4, d_out);
  check_launch();
}

void read_bandwidth_of_two(const float* d_a, const float* d_b, int num_items, float* d_out,
                           Scratch& scratch, cudaStream_t stream) {
  read_bandwidth(d_a, num_items, d_out, scratch, stream);
  read_bandwidth(d_b, num_items, d_out, scratch, stream);
}

void copy_bandwidth(const int* d_in, int num_items, int* d_out, Scratch&, cudaStream_t stream) {
  const int num_vectors = num_items / 4;
  if (num_vectors == 0) return;
  copy_kernel<<<ceil_div(num_vectors, kVectorsPerTile), kThreadsPerBlock, 0, stream>>>(
      reinterpret_cast<const int4*>(d_in), num_vectors, reinterpret_cast<int4*>(d_out));
  check_launch();
}

void copy_bandwidth_of_two(const Ratio* d_a, int num_a, const Ratio* d_b, int num_b, Ratio* d_out,
                           Scratch& scratch, cudaStream_t stream) {
  const auto copy = [&](const Ratio* d_in, int num_items, Ratio* d_to) {
    copy_bandwidth(reinterpret_cast<const int*>(d_in), 2 * num_items, reinterpret_cast<int*>(d_to),
                   scratch, stream);
  };
  copy(d_a, num_a, d_out);
  copy(d_b, num_b, d_out + num_a);
}

void add_bandwidth(const float* d_a, const float* d_b, int num_items, float* d_sum, Scratch&,
                   cudaStream_t stream) {
  const int num_vectors = num_items / 4;
  if (num_vectors == 0) return;
  add_kernel<<<ceil_div(num_vectors, kVectorsPerTile), kThreadsPerBlock, 0, stream>>>(
      reinterpret_cast<const float4*>(d_a), reinterpret_cast<const float4*>(d_b), num_vectors,
      reinterpret_cast<float4*>(d_sum));
  check_launch();
}

void select_limit(const int* d_in, int num_items, BitsEqual, int* d_out, int*, Scratch&,
                  cudaStream_t stream) {
  const int num_out_vectors = num_items / 8;
  if (num_out_vectors == 0) return;
  halve_kernel<<<ceil_div(num_out_vectors, kVectorsPerTile), kThreadsPerBlock, 0, stream>>>(
      reinterpret_cast<const int4*>(d_in), num_out_vectors, reinterpret_cast<int4*>(d_out));
  check_launch();
}

}  // namespace lab
