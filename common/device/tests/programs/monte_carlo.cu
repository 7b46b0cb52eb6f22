// SPDX-License-Identifier: MIT
// Monte Carlo pi with a generator whose states live in device memory, double-precision atomics with
// the compare-and-swap fallback of the programming guide, and doubles in shared memory.
#include <cmath>

#include "check.h"

struct __align__(16) RandomState {
  unsigned long long state, increment;
};

__device__ unsigned next_random(RandomState* s) {
  const unsigned long long old = s->state;
  s->state = old * 6364136223846793005ULL + (s->increment | 1);
  const unsigned xorshifted = (unsigned)(((old >> 18u) ^ old) >> 27u);
  const unsigned rot = old >> 59u;
  return (xorshifted >> rot) | (xorshifted << ((32 - rot) & 31));
}

#if __CUDA_ARCH__ < 600
__device__ double atomicAdd(double* address, double val);
#endif

__device__ double atomic_add_cas(double* address, double val) {
  unsigned long long int* address_as_ull = (unsigned long long int*)address;
  unsigned long long int old = *address_as_ull, assumed;
  do {
    assumed = old;
    old = atomicCAS(address_as_ull, assumed,
                    __double_as_longlong(val + __longlong_as_double(assumed)));
  } while (assumed != old);
  return __longlong_as_double(old);
}

__global__ void setup(RandomState* states, unsigned long long seed) {
  const int id = threadIdx.x + blockIdx.x * blockDim.x;
  states[id].state = seed + id;
  states[id].increment = 2 * id + 1;
  next_random(&states[id]);
}

__global__ void estimate(RandomState* states, int samples, double* sums) {
  __shared__ double hits[64];
  const int id = threadIdx.x + blockIdx.x * blockDim.x;
  RandomState local = states[id];
  int inside = 0;
  for (int i = 0; i < samples; ++i) {
    const float x = next_random(&local) * 2.3283064e-10f, y = next_random(&local) * 2.3283064e-10f;
    inside += x * x + y * y <= 1.0f;
  }
  states[id] = local;
  hits[threadIdx.x] = inside;
  for (int s = 32; s; s /= 2) {
    __syncthreads();
    if (threadIdx.x < s) hits[threadIdx.x] += hits[threadIdx.x + s];
  }
  if (threadIdx.x == 0) {
    atomic_add_cas(&sums[0], hits[0]);
    atomicAdd(&sums[1], hits[0]);
  }
}

int main() {
  RandomState* states;
  double *d_sums, sums[2] = {0, 0};
  const int blocks = 4, threads = 64, samples = 200;
  CHECK_CUDA(cudaMalloc(&states, blocks * threads * sizeof(RandomState)));
  CHECK_CUDA(cudaMalloc(&d_sums, sizeof(sums)));
  CHECK_CUDA(cudaMemcpy(d_sums, sums, sizeof(sums), cudaMemcpyHostToDevice));
  setup<<<blocks, threads>>>(states, 1234ULL);
  estimate<<<blocks, threads>>>(states, samples, d_sums);
  CHECK_CUDA(cudaMemcpy(sums, d_sums, sizeof(sums), cudaMemcpyDeviceToHost));
  EXPECT(sums[0] == sums[1]);
  EXPECT(std::fabs(4 * sums[0] / (blocks * threads * samples) - M_PI) < 0.05);
  cudaFree(states);
  cudaFree(d_sums);
  return 0;
}
