// SPDX-License-Identifier: MIT
// Kernels that end early: what they print, and that the process continues.
#include <array>

#include "device_test.h"

namespace simt_test::fault_test {
namespace {

class Fault : public DeviceTest {};

__global__ void trap_kernel(int* out) {
  out[threadIdx.x] = 1;
  if (threadIdx.x == 5) __trap();
}
constexpr int kTrapLine = __LINE__ - 2;

TEST_F(Fault, EndsTheKernelAtATrap) {
  Managed<int> out(8);
  trap_kernel<<<2, 8>>>(out.get());
  const simt::Finding finding = expect_fault(cudaErrorLaunchFailure, simt::FindingKind::kCrash);
  EXPECT_EQ(finding.line, kTrapLine);
  EXPECT_TRUE(contains(finding.message, "thread 5 of block 0 executed __trap()"));
  EXPECT_EQ(out[5], 1);
  EXPECT_EQ(out[6], 0);
}

__global__ void assert_kernel(const int* in) {
  const int value = in[threadIdx.x];
  assert(value < 7);
}
constexpr int kAssertLine = __LINE__ - 2;

TEST_F(Fault, EndsTheKernelAtAFailedAssertion) {
  Managed<int> in(64, 6);
  in[40] = 7;
  assert_kernel<<<1, dim3(8, 8)>>>(in.get());
  EXPECT_EQ(simt::take_findings().size(), 0u) << "x stays below 8";
  assert_kernel<<<1, 64>>>(in.get());
  const simt::Finding finding = expect_fault(cudaErrorAssert, simt::FindingKind::kCrash);
  EXPECT_EQ(finding.line, kAssertLine);
  EXPECT_TRUE(contains(finding.message, "thread 40 of block 0: assertion `value < 7` failed"));
}

__global__ void throw_kernel() {
  __syncthreads();
  const std::array<int, 33> own = {};
  static_cast<void>(own.at(threadIdx.x % 34));
  __syncthreads();
}

TEST_F(Fault, EndsTheKernelAtAnException) {
  for (int repeat = 0; repeat < 3; ++repeat) {
    throw_kernel<<<1, 64>>>();
    const simt::Finding finding = expect_fault(cudaErrorLaunchFailure, simt::FindingKind::kCrash);
    EXPECT_TRUE(contains(finding.message, "thread 33 of block 0"));
    EXPECT_TRUE(contains(finding.message, "left the kernel: array::at"));
  }
}

__global__ void write_kernel(int* out) { out[blockIdx.x] = 1; }
constexpr int kWriteLine = __LINE__ - 1;

TEST_F(Fault, EndsTheKernelAtANullPointer) {
  write_kernel<<<2, 1>>>(nullptr);
  const simt::Finding finding =
      expect_fault(cudaErrorIllegalAddress, simt::FindingKind::kOutOfBounds);
  EXPECT_EQ(finding.line, kWriteLine);
  EXPECT_TRUE(contains(finding.message,
                       "thread 0 of block 0 dereferenced a null pointer; if "
                       "this pointer may be null, test for it first"));
}

__global__ void add_kernel(int* out) { atomicAdd(out, 1); }
constexpr int kAtomicLine = __LINE__ - 1;

TEST_F(Fault, NamesTheLineOfAnAtomicAtABadAddress) {
  add_kernel<<<1, 1>>>(reinterpret_cast<int*>(0x10'0000));
  const simt::Finding finding =
      expect_fault(cudaErrorIllegalAddress, simt::FindingKind::kOutOfBounds);
  EXPECT_EQ(finding.line, kAtomicLine);
  EXPECT_TRUE(contains(finding.message, "accessed address 0x100000, which is not mapped"));
}

__device__ int descend(volatile int* depth) {
  *depth = *depth + 1;
  const int below = *depth < 0 ? 0 : descend(depth);  // never ends
  return below + *depth;
}

__global__ void recurse_kernel(volatile int* depth) { descend(depth); }

TEST_F(Fault, EndsTheKernelWhenAStackIsUsedUp) {
  Managed<int> depth(1);
  recurse_kernel<<<1, 1>>>(depth.get());
  const simt::Finding finding =
      expect_fault(cudaErrorIllegalAddress, simt::FindingKind::kOutOfBounds);
  EXPECT_TRUE(contains(finding.message, "used up its stack of 256 KiB"));
  EXPECT_GT(depth[0], 1000);
}

__global__ void divide_kernel(int* values) { values[0] = values[1] / values[2]; }

TEST_F(Fault, EndsTheKernelAtADivisionByZero) {
  Managed<int> values(3);
  divide_kernel<<<1, 1>>>(values.get());
  const simt::Finding finding = expect_fault(cudaErrorLaunchFailure, simt::FindingKind::kCrash);
  EXPECT_TRUE(contains(finding.message, "divided an integer by zero"));
}

TEST_F(Fault, ReportsEachLineOnce) {
  Managed<int> values(3);
  for (int repeat = 0; repeat < 5; ++repeat) {
    divide_kernel<<<1, 1>>>(values.get());
    simt::clear_errors();
  }
  expect_finding(simt::FindingKind::kCrash);
}

__global__ void print_kernel() {
  if (threadIdx.x == 0) printf("block %d of %d\n", blockIdx.x, gridDim.x);
  if (threadIdx.x == 1) printf("no arguments\n");
}

TEST_F(Fault, PrintsFromKernels) {
  testing::internal::CaptureStdout();
  print_kernel<<<2, 2>>>();
  EXPECT_EQ(testing::internal::GetCapturedStdout(),
            "block 0 of 2\nno arguments\nblock 1 of 2\nno arguments\n");
}

__global__ void print_much() {
  for (int i = 0; i < 1000; ++i) printf("%0100d\n", i);
}

TEST_F(Fault, BoundsWhatAKernelPrints) {
  testing::internal::CaptureStdout();
  print_much<<<1, 64>>>();
  const std::string printed = testing::internal::GetCapturedStdout();
  EXPECT_EQ(printed.size() >> 20, 1u);
  EXPECT_LT(printed.size(), (1u << 20) + 100);
  EXPECT_TRUE(contains(printed, "more bytes printed by the kernel were dropped]"));
}

}  // namespace
}  // namespace simt_test::fault_test
