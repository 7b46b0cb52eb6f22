// SPDX-License-Identifier: MIT
// One small kernel for each way in which a warp can touch memory. `docs/bench/measure counters`
// runs them under Nsight Compute on a GPU and on the device, and compares the counters.
//
// Every kernel: kBlocks blocks of kThreads threads; d_in and d_out hold kItems words and more.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

namespace {

constexpr int kThreads = 256;
constexpr int kBlocks = 64;
constexpr int kItems = kThreads * kBlocks;
constexpr int kPad = 64 * kItems;  // the widest stride stays inside
constexpr int kEdge = 32;          // of a tile

__device__ int global_thread() { return blockIdx.x * blockDim.x + threadIdx.x; }

struct Vector3 {
  float x, y, z;
};

// ---- global memory

__global__ void contiguous(const float* d_in, float* d_out) {
  const int i = global_thread();
  d_out[i] = d_in[i];
}

__global__ void reversed(const float* d_in, float* d_out) {
  const int i = global_thread();
  d_out[i] = d_in[kItems - 1 - i];
}

__global__ void misaligned_by_one(const float* d_in, float* d_out) {
  const int i = global_thread();
  d_out[i] = d_in[i + 1];
}

template <int kStride>
__device__ void read_strided(const float* d_in, float* d_out) {
  const int i = global_thread();
  d_out[i] = d_in[i * kStride];
}
__global__ void stride_2(const float* d_in, float* d_out) { read_strided<2>(d_in, d_out); }
__global__ void stride_8(const float* d_in, float* d_out) { read_strided<8>(d_in, d_out); }
__global__ void stride_32(const float* d_in, float* d_out) { read_strided<32>(d_in, d_out); }

__global__ void store_stride_32(const float* d_in, float* d_out) {
  const int i = global_thread();
  d_out[i * 32] = d_in[i];
}

__global__ void broadcast(const float* d_in, float* d_out) {
  d_out[global_thread()] = d_in[blockIdx.x];
}

__global__ void gather(const float* d_in, float* d_out) {
  const unsigned i = global_thread();
  d_out[i] = d_in[(i * 2654435761u) % kItems];
}

__global__ void float2_items(const float* d_in, float* d_out) {
  const int i = global_thread();
  reinterpret_cast<float2*>(d_out)[i] = reinterpret_cast<const float2*>(d_in)[i];
}

__global__ void float4_items(const float* d_in, float* d_out) {
  const int i = global_thread();
  reinterpret_cast<float4*>(d_out)[i] = reinterpret_cast<const float4*>(d_in)[i];
}

__global__ void double_items(const float* d_in, float* d_out) {
  const int i = global_thread();
  reinterpret_cast<double*>(d_out)[i] = reinterpret_cast<const double*>(d_in)[i];
}

__global__ void byte_items(const float* d_in, float* d_out) {
  const int i = global_thread();
  reinterpret_cast<unsigned char*>(d_out)[i] = reinterpret_cast<const unsigned char*>(d_in)[i];
}

__global__ void structs_of_12_bytes(const float* d_in, float* d_out) {
  const int i = global_thread();
  const Vector3 v = reinterpret_cast<const Vector3*>(d_in)[i];
  d_out[i] = v.x + v.y + v.z;
}

__global__ void half_the_lanes(const float* d_in, float* d_out) {
  const int i = global_thread();
  if (i % 2 == 0) d_out[i] = d_in[i];
}

__global__ void partial_warp(const float* d_in, float* d_out) {
  const int i = global_thread();
  if (threadIdx.x < 77) d_out[i] = d_in[i];
}

// A lane's loop runs as often as its number in the warp says: 1 to 32 items.
__global__ void trip_count_by_lane(const float* d_in, float* d_out) {
  const int i = global_thread();
  float sum = 0;
  for (int k = 0; k <= static_cast<int>(threadIdx.x % 32); ++k) sum += d_in[i + k * kItems];
  d_out[i] = sum;
}

// ---- transposition of 32 x 32 tiles: one tile per block of 32 x 8 threads

__global__ void transpose_naive(const float* d_in, float* d_out) {
  const int x = threadIdx.x % kEdge;
  for (int y = threadIdx.x / kEdge; y < kEdge; y += kThreads / kEdge) {
    d_out[(x * kEdge * 2) + y + blockIdx.x * 4096] = d_in[y * kEdge + x + blockIdx.x * 1024];
  }
}

template <int kWidth>
__device__ void transpose_tile(const float* d_in, float* d_out) {
  __shared__ float tile[kEdge][kWidth];
  const int x = threadIdx.x % kEdge;
  for (int y = threadIdx.x / kEdge; y < kEdge; y += kThreads / kEdge) {
    tile[y][x] = d_in[y * kEdge + x + blockIdx.x * 1024];
  }
  __syncthreads();
  for (int y = threadIdx.x / kEdge; y < kEdge; y += kThreads / kEdge) {
    d_out[y * kEdge + x + blockIdx.x * 1024] = tile[x][y];
  }
}
__global__ void transpose_in_shared(const float* d_in, float* d_out) {
  transpose_tile<kEdge>(d_in, d_out);
}
__global__ void transpose_padded(const float* d_in, float* d_out) {
  transpose_tile<kEdge + 1>(d_in, d_out);
}

// ---- shared memory

template <int kStride>
__device__ void shared_strided(const float* d_in, float* d_out) {
  __shared__ float words[kThreads * kStride];
  const int t = threadIdx.x;
  words[t * kStride] = d_in[global_thread()];
  __syncthreads();
  d_out[global_thread()] = words[(kThreads - 1 - t) * kStride];
}
__global__ void shared_stride_1(const float* d_in, float* d_out) { shared_strided<1>(d_in, d_out); }
__global__ void shared_stride_2(const float* d_in, float* d_out) { shared_strided<2>(d_in, d_out); }
__global__ void shared_stride_3(const float* d_in, float* d_out) { shared_strided<3>(d_in, d_out); }
__global__ void shared_stride_32(const float* d_in, float* d_out) {
  shared_strided<32>(d_in, d_out);
}

__global__ void shared_broadcast(const float* d_in, float* d_out) {
  __shared__ float words[kThreads];
  words[threadIdx.x] = d_in[global_thread()];
  __syncthreads();
  d_out[global_thread()] = words[threadIdx.x / 32];
}

__global__ void shared_float2(const float* d_in, float* d_out) {
  __shared__ float2 pairs[kThreads];
  const int t = threadIdx.x;
  pairs[t] = make_float2(d_in[global_thread()], 1.0f);
  __syncthreads();
  const float2 pair = pairs[kThreads - 1 - t];
  d_out[global_thread()] = pair.x + pair.y;
}

__global__ void shared_float4(const float* d_in, float* d_out) {
  __shared__ float4 quads[kThreads];
  const int t = threadIdx.x;
  const float item = d_in[global_thread()];
  quads[t] = make_float4(item, item, item, item);
  __syncthreads();
  const float4 quad = quads[kThreads - 1 - t];
  d_out[global_thread()] = quad.x + quad.y + quad.z + quad.w;
}

// ---- atomics

__global__ void atomic_one_address(const float* d_in, float* d_out) {
  atomicAdd(reinterpret_cast<int*>(d_out), static_cast<int>(d_in[global_thread()]) + 1);
}

__global__ void atomic_own_address(const float* d_in, float* d_out) {
  const int i = global_thread();
  atomicAdd(reinterpret_cast<int*>(d_out) + i, static_cast<int>(d_in[i]) + 1);
}

__global__ void atomic_with_result(const float* d_in, float* d_out) {
  const int i = global_thread();
  d_out[kItems + i] = static_cast<float>(
      atomicAdd(reinterpret_cast<int*>(d_out) + i / 4, static_cast<int>(d_in[i])));
}

__global__ void shared_histogram(const float* d_in, float* d_out) {
  __shared__ int counts[64];
  if (threadIdx.x < 64) counts[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&counts[static_cast<unsigned>(d_in[global_thread()]) % 64], 1);
  __syncthreads();
  if (threadIdx.x < 64)
    d_out[blockIdx.x * 64 + threadIdx.x] = static_cast<float>(counts[threadIdx.x]);
}

void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "access_patterns: %s\n", cudaGetErrorString(error));
  std::exit(3);
}

}  // namespace

int main() {
  float* d_in = nullptr;
  float* d_out = nullptr;
  check(cudaMalloc(&d_in, sizeof(float) * kPad));
  check(cudaMalloc(&d_out, sizeof(float) * kPad));
  check(cudaMemset(d_in, 0, sizeof(float) * kPad));
  check(cudaMemset(d_out, 0, sizeof(float) * kPad));
  contiguous<<<kBlocks, kThreads>>>(d_in, d_out);
  reversed<<<kBlocks, kThreads>>>(d_in, d_out);
  misaligned_by_one<<<kBlocks, kThreads>>>(d_in, d_out);
  stride_2<<<kBlocks, kThreads>>>(d_in, d_out);
  stride_8<<<kBlocks, kThreads>>>(d_in, d_out);
  stride_32<<<kBlocks, kThreads>>>(d_in, d_out);
  store_stride_32<<<kBlocks, kThreads>>>(d_in, d_out);
  broadcast<<<kBlocks, kThreads>>>(d_in, d_out);
  gather<<<kBlocks, kThreads>>>(d_in, d_out);
  float2_items<<<kBlocks, kThreads>>>(d_in, d_out);
  float4_items<<<kBlocks, kThreads>>>(d_in, d_out);
  double_items<<<kBlocks, kThreads>>>(d_in, d_out);
  byte_items<<<kBlocks, kThreads>>>(d_in, d_out);
  structs_of_12_bytes<<<kBlocks, kThreads>>>(d_in, d_out);
  half_the_lanes<<<kBlocks, kThreads>>>(d_in, d_out);
  partial_warp<<<kBlocks, kThreads>>>(d_in, d_out);
  trip_count_by_lane<<<kBlocks, kThreads>>>(d_in, d_out);
  transpose_naive<<<kBlocks, kThreads>>>(d_in, d_out);
  transpose_in_shared<<<kBlocks, kThreads>>>(d_in, d_out);
  transpose_padded<<<kBlocks, kThreads>>>(d_in, d_out);
  shared_stride_1<<<kBlocks, kThreads>>>(d_in, d_out);
  shared_stride_2<<<kBlocks, kThreads>>>(d_in, d_out);
  shared_stride_3<<<kBlocks, kThreads>>>(d_in, d_out);
  shared_stride_32<<<kBlocks, kThreads>>>(d_in, d_out);
  shared_broadcast<<<kBlocks, kThreads>>>(d_in, d_out);
  shared_float2<<<kBlocks, kThreads>>>(d_in, d_out);
  shared_float4<<<kBlocks, kThreads>>>(d_in, d_out);
  atomic_one_address<<<kBlocks, kThreads>>>(d_in, d_out);
  atomic_own_address<<<kBlocks, kThreads>>>(d_in, d_out);
  atomic_with_result<<<kBlocks, kThreads>>>(d_in, d_out);
  shared_histogram<<<kBlocks, kThreads>>>(d_in, d_out);
  check(cudaGetLastError());
  check(cudaDeviceSynchronize());
  check(cudaFree(d_in));
  check(cudaFree(d_out));
  return EXIT_SUCCESS;
}
