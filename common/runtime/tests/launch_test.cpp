// SPDX-License-Identifier: MIT
#include "runtime_test.h"

namespace runtime_test {
namespace {

class Launches : public Runtime {
 protected:
  void SetUp() override {
    Runtime::SetUp();
    cudaMalloc(&d_, 4096);
    cudaMemset(d_, 0, 4096);
  }
  int first() const {
    int value = -1;
    cudaMemcpy(&value, d_, 4, cudaMemcpyDeviceToHost);
    return value;
  }
  int* d_ = nullptr;
};

TEST_F(Launches, RunTheirKernel) {
  EXPECT_EQ(launch(kFill, 4, 256, d_, 9), cudaSuccess);
  std::vector<int> h(1024);
  cudaMemcpy(h.data(), d_, 4096, cudaMemcpyDeviceToHost);
  EXPECT_EQ(h, std::vector<int>(1024, 9));
}

TEST_F(Launches, TakeTheConfigurationThatWasPushed) {
  ASSERT_EQ(__cudaPushCallConfiguration(dim3(2), dim3(64), 128, nullptr), 0U);
  dim3 grid, block;
  std::size_t shared_bytes = 0;
  cudaStream_t stream = nullptr;
  ASSERT_EQ(__cudaPopCallConfiguration(&grid, &block, &shared_bytes, &stream), cudaSuccess);
  EXPECT_EQ(grid.x, 2U);
  EXPECT_EQ(block.x, 64U);
  EXPECT_EQ(shared_bytes, 128U);
  EXPECT_EQ(__cudaPopCallConfiguration(&grid, &block, &shared_bytes, &stream),
            cudaErrorInvalidConfiguration);
}

TEST_F(Launches, KeepToTheDevicesLimits) {
  EXPECT_EQ(launch(kFill, 1, 1025, d_, 1), cudaErrorInvalidValue);
  EXPECT_EQ(launch(kFill, 0, 32, d_, 1), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
  EXPECT_EQ(launch(&d_, 1, 1, d_, 1), cudaErrorInvalidDeviceFunction);
  EXPECT_EQ(launch(kFill, 1, 1, d_, 1, reinterpret_cast<cudaStream_t>(&d_)),
            cudaErrorInvalidResourceHandle);
  void* arguments[] = {&d_, &d_};
  EXPECT_EQ(cudaLaunchCooperativeKernel(kFill, 1'000'000, 32, arguments, 0, nullptr),
            cudaErrorCooperativeLaunchTooLarge);
  EXPECT_EQ(first(), 0);
}

TEST_F(Launches, GetMoreSharedMemoryAfterAskingForIt) {
  void* arguments[] = {&d_, &d_};
  const std::size_t wanted = 100 << 10;
  EXPECT_EQ(cudaLaunchKernel(kAdd, 1, 1, arguments, wanted, nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFuncSetAttribute(kAdd, cudaFuncAttributeMaxDynamicSharedMemorySize, 100 << 10),
            cudaSuccess);
  EXPECT_EQ(cudaLaunchKernel(kAdd, 1, 1, arguments, wanted, nullptr), cudaSuccess);
  EXPECT_EQ(cudaFuncSetAttribute(kAdd, cudaFuncAttributeMaxDynamicSharedMemorySize, 228 << 10),
            cudaErrorInvalidValue);
}

TEST_F(Launches, ThatFaultMakeAllLaterCallsFail) {
  EXPECT_EQ(launch(kFault, 1, 1, d_, 1), cudaSuccess);  // as an asynchronous launch
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorMisalignedAddress);
  EXPECT_EQ(launch(kFill, 1, 1, d_, 1), cudaErrorMisalignedAddress);
  EXPECT_EQ(cudaGetLastError(), cudaErrorMisalignedAddress);
  EXPECT_EQ(cudaGetLastError(), cudaErrorMisalignedAddress);
  EXPECT_EQ(take_findings().size(), 1U);
  EXPECT_EQ(cudaDeviceReset(), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

TEST_F(Launches, PrintToTheProgramsOutput) {
  ::testing::internal::CaptureStdout();
  std::printf("before\n");
  EXPECT_EQ(cudaLaunchKernel(kPrint, 2, 1, nullptr, 0, nullptr), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  std::printf("after\n");
  std::fflush(stdout);
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "before\nprinted\nprinted\nafter\n");
}

TEST_F(Launches, HaveAttributes) {
  cudaFuncAttributes attributes;
  EXPECT_EQ(cudaFuncGetAttributes(&attributes, kFill), cudaSuccess);
  EXPECT_EQ(attributes.maxThreadsPerBlock, 1024);
  EXPECT_EQ(attributes.maxDynamicSharedSizeBytes, 48 << 10);
  int num_blocks = 0;
  EXPECT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&num_blocks, kFill, 256, 0), cudaSuccess);
  EXPECT_EQ(num_blocks, 8);
  cudaLaunchAttribute clusters = {};
  clusters.id = cudaLaunchAttributeClusterDimension;
  clusters.val.clusterDim.x = 3;
  clusters.val.clusterDim.y = clusters.val.clusterDim.z = 1;
  cudaLaunchConfig_t config = {};
  config.blockDim = dim3(256);
  config.attrs = &clusters;
  config.numAttrs = 1;
  int num_clusters = 0;
  EXPECT_EQ(cudaOccupancyMaxActiveClusters(&num_clusters, kFill, &config), cudaSuccess);
  EXPECT_EQ(num_clusters, 5 * 8);  // 16 multiprocessors make 5 groups of 3
  EXPECT_EQ(cudaOccupancyMaxPotentialClusterSize(&num_blocks, kFill, &config), cudaSuccess);
  EXPECT_EQ(num_blocks, 8);
  clusters.val.clusterDim.x = 16;
  EXPECT_EQ(cudaOccupancyMaxActiveClusters(&num_clusters, kFill, &config),
            cudaErrorInvalidClusterSize);
  EXPECT_EQ(cudaFuncSetAttribute(kFill, cudaFuncAttributeNonPortableClusterSizeAllowed, 1),
            cudaSuccess);
  EXPECT_EQ(cudaOccupancyMaxActiveClusters(&num_clusters, kFill, &config), cudaSuccess);
  EXPECT_EQ(num_clusters, 1 * 8);
  EXPECT_EQ(cudaOccupancyMaxPotentialClusterSize(&num_blocks, kFill, &config), cudaSuccess);
  EXPECT_EQ(num_blocks, 16);
  EXPECT_EQ(cudaFuncGetAttributes(&attributes, kFill), cudaSuccess);
  EXPECT_EQ(attributes.nonPortableClusterSizeAllowed, 1);
  EXPECT_EQ(attributes.clusterDimMustBeSet, 0);
  EXPECT_EQ(cudaFuncGetAttributes(&attributes, &attributes), cudaErrorInvalidDeviceFunction);
}

}  // namespace
}  // namespace runtime_test
