// SPDX-License-Identifier: MIT
// Launches in every spelling seen in public code, among comments and strings that look like
// launches. Kept from clang-format, which would make them all alike and breaks some.
// clang-format off
#include "check.h"

// decoy<<<1, 1>>>(p); and an apostrophe that isn't a character
/* another <<<decoy>>> */
#define STRINGIFY(x) #x
#define CEIL_DIV(a, b) (((a) + (b) - 1) / (b))
#define GRID(n) dim3(CEIL_DIV(n, 32)), dim3(32)
#define LAUNCH_ADD(p, n, v)                \
  do {                                     \
    add<<<CEIL_DIV((n), 32),               \
          32>>>((p), (n), (v)); /* multi-  \
      line */                              \
  } while (0)

__global__ void add(int* p, int n, int v) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] += v;
}
template <int BLOCK, bool CHECKED = (BLOCK > 1)>
__global__ void add_block(int* p, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (!CHECKED || i < n) p[i] += 1;
}
template <typename T, template <class> class Op>
__global__ void apply(T* p, T n) {
  for (T i = threadIdx.x; i < n; i += blockDim.x) p[i] = Op<T>()(p[i]);
}
template <class T>
struct Increment {
  __device__ T operator()(T x) const { return x + 1; }
};
template <class T>
struct Traits {
  static constexpr int block = 32;
  template <class U>
  struct Nested {
    static constexpr int value = 4;
  };
};
__global__ void optional(int* p, const int* q, int n = 40) {
  if (threadIdx.x < n && q == nullptr) p[threadIdx.x] += 1;
}
struct Range {
  int begin, end;
};
__global__ void add_range(int* p, Range range) {
  const int i = threadIdx.x + range.begin;
  if (i < range.end) ++p[i];
}

template <class T>
void all_dependent(T* p, int n, cudaStream_t stream) {
  apply<T, Increment><<<1, Traits<T>::block>>>(p, n);
  apply<T, Increment> <<< 1, Traits<T>::template Nested<T>::value, 0, stream >>> (p, n);
  ::add_block<(32 >> 0)><<<dim3(2), Traits<Traits<int>>::block>>>(p, n);
}

int main() {
  const int n = 40;
  int* p;
  CHECK_CUDA(cudaMallocManaged(&p, 64 * sizeof(int)));
  for (int i = 0; i < n; ++i) p[i] = 0;
  const char* text = "add<<<1, 1>>>(p, n, 1)";
  const char* raw = R"cuda(add<<<"1", 1>>>(p);)cuda";
  EXPECT(text[3] == '<' && raw[3] == '<' && STRINGIFY(<<)[0] == '<');
  const int big = 1'000'000, threads = big > 5 ? 32 : 64;

  add<<<2, threads>>>(p, n, 1);
  add <<<dim3{2, 1, 1}, dim3(threads), 0>>>(p, n, 1);
  add<<<(n + threads - 1) / threads, threads, n > 3 ? 0 : 4, 0>>>  // a comment >>> here
      (p, n,
       1);
  add<<<GRID(n)>>>(p, n, 1);
  LAUNCH_ADD(p, n, 1);
  if (n > 3) add_block<32><<<2, 32>>>(p, n);
  else add_block<1><<<n, 1>>>(p, n);
  for (int i = 0; i < 2; i++) add_block<32, true><<<2, 32, 0, NULL>>>(p, n);
  n > 100 ? (void)0 : add<<<2, 32>>>(p, n, 1);
  all_dependent(p, n, cudaStreamPerThread);
  optional<<<1, 64>>>(p, NULL);
  optional<<<1, 64>>>(p, nullptr, n);
  add_range<<<1, n>>>(p, {0, 40});
  [&] { add<<<2, 32>>>(p, n, [](int x) { return x; }(1)); }();
  switch (n) {
    case 40: add<<<2, 32>>>(p, n, (1, 1)); break;
    default: break;
  }
#if 0
  this is not code <<<
#endif
  CHECK_CUDA(cudaDeviceSynchronize());
  for (int i = 0; i < n; ++i) EXPECT(p[i] == 17);
  cudaFree(p);
  return 0;
}
