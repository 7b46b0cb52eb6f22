// SPDX-License-Identifier: MIT
// How much shared memory a block may have. A program of its own: each block clears the shared
// variables of all files that are linked together, and these are large.
#include "device_test.h"

namespace simt_test {
namespace {

class SharedLimit : public DeviceTest {};

template <int kKiBytes>
__global__ void fill_static_shared(int* out) {
  __shared__ int items[kKiBytes << 8];
  for (int i = threadIdx.x; i < kKiBytes << 8; i += blockDim.x) items[i] = i;
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = items[(kKiBytes << 8) - 1];
}

TEST_F(SharedLimit, StaticAndDynamicSharedMemoryAddUp) {
  Managed<int> out(2);
  fill_static_shared<48><<<2, 32>>>(out.get());
  fill_static_shared<40><<<2, 32, 8 << 10>>>(out.get());
  fill_static_shared<40><<<2, 32, 9 << 10>>>(out.get());
  const simt::Finding finding = expect_finding(simt::FindingKind::kLaunchError);
  EXPECT_EQ(finding.line, __LINE__ - 2);
  EXPECT_EQ(finding.kernel, "fill_static_shared<40>");
  EXPECT_TRUE(contains(finding.message, "(items) take 40960 bytes"));
}

TEST_F(SharedLimit, OfStaticMemoryIsNvccs) {
  Managed<int> out(2);
  fill_static_shared<49><<<2, 32>>>(out.get());
  EXPECT_TRUE(contains(expect_finding(simt::FindingKind::kLaunchError).message,
                       "nvcc accepts at most 49152"));
}

}  // namespace
}  // namespace simt_test
