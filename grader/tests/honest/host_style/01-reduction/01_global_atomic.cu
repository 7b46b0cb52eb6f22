// SPDX-License-Identifier: MIT
// style: a main of its own, dynamic_cast, a mutex, raw strings, letters beyond ASCII, a form feed
#include <cstdio>
#include <mutex>
#include <stdexcept>

#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "reduction.cuh"

namespace lab {
// größe der Blöcke
constexpr int größe = 256;
struct Base {
  virtual ~Base() = default;
};
struct Derived : Base {
  int threads = größe;
};
std::mutex g_mutex;
const char* k_text = R"(raw "text" // no comment)";
__global__ void kernel(const float* d_in, int n, float* d_out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(d_out, d_in[i]);
}
void reduce_sum(const float* d_in, int num_items, float* d_out, Scratch&, cudaStream_t stream) {
  std::lock_guard<std::mutex> lock(g_mutex);
  Derived d;
  Base* b = &d;
  int threads = dynamic_cast<Derived*>(b)->threads;
  check(cudaMemsetAsync(d_out, 0, sizeof(float), stream));
  if (num_items == 0) return;
  kernel<<<(num_items + threads - 1) / threads, threads, 0, stream>>>(d_in, num_items, d_out);
  check_launch();
}
}  // namespace lab
int main(int argc, char** argv) {
  std::printf("hello %s\n", lab::k_text);
  return argc > 1 ? argv[1][0] : 0;
}
