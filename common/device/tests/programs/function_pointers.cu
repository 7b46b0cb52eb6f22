// SPDX-License-Identifier: MIT
// Kernels and device functions as values: tables of kernels, device function pointers, functors,
// extended lambdas, static members, default arguments, launches in all sorts of places.
#include <vector>

#include "check.h"

typedef int (*binary_op)(int, int);

__device__ int add(int a, int b) { return a + b; }
__device__ int mul(int a, int b) { return a * b; }
__device__ binary_op d_ops[] = {add, mul};

__global__ void apply_table(int which, int* data) {
  data[threadIdx.x] = d_ops[which](data[threadIdx.x], 3);
}

template <class F>
__global__ void for_each_index(int n, F f) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) f(i);
}

struct AddConstant {
  int c;
  int* data;
  __device__ void operator()(int i) const { data[i] += c; }
};

__global__ void set(int* p, int value) { *p = value; }
__global__ void increment(int* p, int) { *p += 1; }
template <int N>
__global__ void set_n(int* p, int) {
  *p = N;
}

namespace outer::inner {
template <class T, int N = 5>
__global__ void with_defaults(T* p, T v = T(N)) {
  *p = v;
}
}  // namespace outer::inner

class Runner {
 public:
  explicit Runner(int* p) : p_(p) {}
  template <int N>
  void run() {
    if (N > 0)
      set_n<N><<<1, 1>>>(p_, 0);
    else
      set<<<1, 1>>>(p_, -1);
    for (int i = 0; i < 3; ++i) increment<<<1, 1>>>(p_, i);
  }
  void run_member_pointer() { kernel_<<<1, 1, 0, stream_>>>(p_, 99); }

 private:
  int* p_;
  void (*kernel_)(int*, int) = set;
  cudaStream_t stream_ = nullptr;
};

#define LAUNCH(kernel, ...) kernel<<<dim3(1), 1>>>(__VA_ARGS__)
#define LAUNCH_CHECKED(...)         \
  do {                              \
    __VA_ARGS__;                    \
    CHECK_CUDA(cudaGetLastError()); \
  } while (0)

template <class T>
void launch_dependent(T* p) {
  outer::inner::with_defaults<T, (sizeof(T) > 2)><<<1, 1>>>(p);
  auto again = [&] { outer::inner::with_defaults<<<1, 1>>>(p, *p + 1); };
  cudaDeviceSynchronize();
  again();
}

int main() {
  int* p;
  const int n = 50;
  CHECK_CUDA(cudaMallocManaged(&p, n * sizeof(int)));
  for (int i = 0; i < n; ++i) p[i] = i;
  apply_table<<<1, n>>>(0, p);
  apply_table<<<1, n>>>(1, p);
  for_each_index<<<2, 16>>>(n, AddConstant{1, p});
  for_each_index<<<2, 16>>>(n, [=] __device__(int i) { p[i] *= 2; });
  CHECK_CUDA(cudaDeviceSynchronize());
  for (int i = 0; i < n; ++i) EXPECT(p[i] == ((i + 3) * 3 + 1) * 2);

  void (*kernels[])(int*, int) = {set, increment, set_n<7>};
  int expected[] = {42, 43, 7};
  for (int k = 0; k < 3; ++k) {
    kernels[k]<<<1, 1>>>(p, 42);
    CHECK_CUDA(cudaDeviceSynchronize());
    EXPECT(*p == expected[k]);
  }
  auto fp = &set;
  (*fp)<<<1, 1>>>(p, 8);
  CHECK_CUDA(cudaDeviceSynchronize());
  fp<<<1, 1>>>(p, *p);
  LAUNCH(set, p, 11);
  LAUNCH_CHECKED(increment<<<1, 1>>>(p, 0));
  CHECK_CUDA(cudaDeviceSynchronize());
  EXPECT(*p == 12);
  Runner runner(p);
  runner.run<20>();
  CHECK_CUDA(cudaDeviceSynchronize());
  EXPECT(*p == 23);
  runner.run_member_pointer();
  CHECK_CUDA(cudaDeviceSynchronize());
  EXPECT(*p == 99);
  launch_dependent(p);
  CHECK_CUDA(cudaDeviceSynchronize());
  EXPECT(*p == 2);
  outer::inner::with_defaults<int><<<1, 1>>>(p);
  CHECK_CUDA(cudaDeviceSynchronize());
  EXPECT(*p == 5);
  cudaFree(p);
  return 0;
}
