// SPDX-License-Identifier: MIT
// mutant of: 06_find_the_bug
// mistake: the host multiplies; a kernel sends it A and B through 1 KiB, in turns
// expect: failed forbidden
// message: the data must stay on the device
// needs: budget
#include <vector>

#include "lab/cuda_error.cuh"
#include "matmul.cuh"

namespace lab {
namespace {

constexpr int kNumWords = 256;

struct Box {
  volatile int sent;
  volatile int taken;
  volatile float words[kNumWords];
};

__global__ void send_kernel(const float* d_from, int num_items, Box* box) {
  const int t = threadIdx.x;
  for (int first = 0, turn = 1; first < num_items; first += kNumWords, ++turn) {
    if (first + t < num_items) box->words[t] = d_from[first + t];
    __threadfence_system();
    __syncthreads();
    if (t == 0) {
      box->sent = turn;
      while (box->taken != turn) {
      }
    }
    __syncthreads();
  }
}

__global__ void copy_kernel(const float* from, int num_items, float* d_to) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < num_items) d_to[i] = from[i];
}

std::vector<float> fetch(const float* d_from, int num_items, cudaStream_t stream) {
  std::vector<float> items(num_items);
  Box* box = nullptr;
  check(cudaMallocHost(&box, sizeof(Box)));
  box->sent = 0;
  box->taken = 0;
  send_kernel<<<1, kNumWords, 0, stream>>>(d_from, num_items, box);
  check_launch();
  for (int first = 0, turn = 1; first < num_items; first += kNumWords, ++turn) {
    while (box->sent != turn) {
    }
    for (int t = 0; t < kNumWords && first + t < num_items; ++t) items[first + t] = box->words[t];
    box->taken = turn;
  }
  check(cudaStreamSynchronize(stream));
  check(cudaFreeHost(box));
  return items;
}

}  // namespace

void matmul(const float* d_a, const float* d_b, int num_rows, int num_cols, int depth, float* d_c,
            Scratch& /*scratch*/, cudaStream_t stream) {
  if (num_rows == 0 || num_cols == 0) return;
  const std::vector<float> a = fetch(d_a, num_rows * depth, stream);
  const std::vector<float> b = fetch(d_b, depth * num_cols, stream);
  const int num_items = num_rows * num_cols;
  float* c = nullptr;
  check(cudaMallocManaged(&c, num_items * sizeof(float)));
  for (int i = 0; i < num_items; ++i) {
    c[i] = 0;
    for (int k = 0; k < depth; ++k) {
      c[i] += a[i / num_cols * depth + k] * b[k * num_cols + i % num_cols];
    }
  }
  copy_kernel<<<(num_items + 255) / 256, 256, 0, stream>>>(c, num_items, d_c);
  check_launch();
  check(cudaStreamSynchronize(stream));
  check(cudaFree(c));
}

}  // namespace lab
