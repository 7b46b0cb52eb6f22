// SPDX-License-Identifier: MIT
// Whose a variable of the program is. A program of its own: the names of all files that are linked
// together count.
#include "device_test.h"

namespace simt_test {
namespace {

class Variables : public DeviceTest {};

extern __shared__ float dynamic_memory[];
static float of_host[32];
__constant__ float weights[32];
__device__ float of_device[32];
__managed__ float managed_variable;
template <class T>
__device__ T generic_variable = T(1);
constexpr float kOfProgram[4] = {1, 2, 3, 4};

__device__ int next_static() {
  static int value = 0;
  return value;
}

__global__ void use_variables_kernel(float* out) {
  static float in_kernel;
  const int t = threadIdx.x;
  out[t] = weights[t] + of_device[t] + managed_variable + generic_variable<float> +
           kOfProgram[t % 4] + in_kernel + next_static();
  dynamic_memory[t] = out[t];
}

__global__ void copy_from_kernel(const float* in, float* out) {
  out[threadIdx.x] = in[threadIdx.x];
}
constexpr int kCopyFromLine = __LINE__ - 2;
__global__ void write_weights_kernel() { weights[threadIdx.x] = 1; }
constexpr int kWriteWeightsLine = __LINE__ - 1;

__global__ void write_before_shared_kernel() {
  __shared__ int tile[32];  // the program's first
  int* const place = tile + threadIdx.x;
  place[-1] = 1;
}

// Nor do they share a place with what the emulator keeps for each thread of the host.
TEST_F(Variables, AnIndexBeforeTheFirstSharedOneEndsTheKernel) {
  write_before_shared_kernel<<<1, 32>>>();
  EXPECT_TRUE(
      contains(expect_fault(cudaErrorIllegalAddress, simt::FindingKind::kOutOfBounds).message,
               "before the start of the block's shared memory"));
}

TEST_F(Variables, BelongToTheDeviceIfTheSourceDeclaresThemSo) {
  Managed<float> out(32);
  use_variables_kernel<<<1, 32, 128>>>(out.get());
  float* d_weights = nullptr;
  cudaGetSymbolAddress(reinterpret_cast<void**>(&d_weights), weights);
  copy_from_kernel<<<1, 32>>>(d_weights, out.get());
  EXPECT_TRUE(simt::take_findings().empty());
  copy_from_kernel<<<1, 32>>>(of_host, out.get());
  EXPECT_EQ(expect_fault(cudaErrorIllegalAddress, simt::FindingKind::kHostPointer).line,
            kCopyFromLine);
  write_weights_kernel<<<1, 32>>>();
  const simt::Finding finding = expect_finding(simt::FindingKind::kOutOfBounds);
  EXPECT_EQ(finding.line, kWriteWeightsLine);
  EXPECT_TRUE(contains(finding.message, "of a __constant__ variable, which kernels can only read"));
}

}  // namespace
}  // namespace simt_test
