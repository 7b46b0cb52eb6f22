// SPDX-License-Identifier: MIT
// Makes one request to shared memory for each line of a file: "ld16 ffffffff 0 1 2 ...", the
// operation and its bytes, the mask of lanes, and each lane's offset in units of these bytes. Under
// Nsight Compute this shows the passes that any pattern takes on a device.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

constexpr int kLanes = 32;
constexpr int kSharedBytes = 48 << 10;

#define REQUEST_KERNEL(name, statement)                                            \
  __global__ void name(const int* d_offsets, unsigned mask, float* d_out) {        \
    extern __shared__ float4 memory[];                                             \
    const unsigned base = static_cast<unsigned>(__cvta_generic_to_shared(memory)); \
    const unsigned at = base + d_offsets[threadIdx.x];                             \
    float a = d_offsets[threadIdx.x], b = a, c = a, d = a;                         \
    if (mask >> threadIdx.x & 1)                                                   \
      asm volatile(statement : "+f"(a), "+f"(b), "+f"(c), "+f"(d) : "r"(at));      \
    d_out[threadIdx.x] = a + b + c + d;                                            \
  }

REQUEST_KERNEL(ld4, "ld.shared.f32 %0, [%4];")
REQUEST_KERNEL(ld8, "ld.shared.v2.f32 {%0, %1}, [%4];")
REQUEST_KERNEL(ld16, "ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];")
REQUEST_KERNEL(st4, "st.shared.f32 [%4], %0;")
REQUEST_KERNEL(st8, "st.shared.v2.f32 [%4], {%0, %1};")
REQUEST_KERNEL(st16, "st.shared.v4.f32 [%4], {%0, %1, %2, %3};")

int main(int /*argc*/, char** argv) {
  int* d_offsets = nullptr;
  float* d_out = nullptr;
  if (cudaMalloc(&d_offsets, kLanes * sizeof(int)) != cudaSuccess) return 3;
  if (cudaMalloc(&d_out, kLanes * sizeof(float)) != cudaSuccess) return 3;
  std::ifstream file(argv[1]);
  std::string name;
  unsigned mask = 0;
  while (file >> name >> std::hex >> mask >> std::dec) {
    const int size_bytes = std::atoi(name.c_str() + 2);
    int h_offsets[kLanes];
    for (int& offset : h_offsets) {
      file >> offset;
      offset *= size_bytes;
    }
    cudaMemcpy(d_offsets, h_offsets, sizeof h_offsets, cudaMemcpyHostToDevice);
    const auto kernel = name == "ld4"    ? ld4
                        : name == "ld8"  ? ld8
                        : name == "ld16" ? ld16
                        : name == "st4"  ? st4
                        : name == "st8"  ? st8
                                         : st16;
    kernel<<<1, kLanes, kSharedBytes>>>(d_offsets, mask, d_out);
  }
  if (cudaDeviceSynchronize() != cudaSuccess) {
    std::fprintf(stderr, "bank_patterns: %s\n", cudaGetErrorString(cudaGetLastError()));
    return 3;
  }
  return 0;
}
