// SPDX-License-Identifier: MIT
// Errors, streams, events, the device's properties, occupancy.
#include <string>
#include <thread>

#include "host_test.h"

namespace {

class HostRuntime : public simt_test::HostTest {};

TEST_F(HostRuntime, KeepsTheLastErrorUntilItIsAsked) {
  EXPECT_EQ(cudaSetDevice(7), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaSetDevice(0), cudaSuccess) << "success does not reset it";
  EXPECT_EQ(cudaPeekAtLastError(), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST_F(HostRuntime, ReturnsAStickyErrorFromEveryCallUntilReset) {
  simt::set_sticky_error(cudaErrorIllegalAddress);
  simt::set_sticky_error(cudaErrorAssert);  // the first wins
  void* p = nullptr;
  EXPECT_EQ(cudaMalloc(&p, 4), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaSetDevice(7), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaGetLastError(), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaGetLastError(), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaDeviceReset(), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST_F(HostRuntime, NamesErrors) {
  EXPECT_STREQ(cudaGetErrorName(cudaSuccess), "cudaSuccess");
  EXPECT_STREQ(cudaGetErrorName(cudaErrorIllegalAddress), "cudaErrorIllegalAddress");
  EXPECT_STREQ(cudaGetErrorString(cudaErrorIllegalAddress),
               "an illegal memory access was encountered");
  EXPECT_STREQ(cudaGetErrorString(static_cast<cudaError_t>(4711)), "unrecognized error code");
  EXPECT_EQ(static_cast<int>(cudaErrorLaunchFailure), 719);
}

TEST_F(HostRuntime, KnowsItsStreams) {
  cudaStream_t stream = nullptr;
  unsigned int flags = 0;
  int priority = 0, least = 1, greatest = 1;
  EXPECT_EQ(cudaDeviceGetStreamPriorityRange(&least, &greatest), cudaSuccess);
  EXPECT_LT(greatest, least);
  ASSERT_EQ(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, greatest - 5),
            cudaSuccess);
  EXPECT_TRUE(simt::is_valid_stream(stream));
  EXPECT_EQ(cudaStreamGetFlags(stream, &flags), cudaSuccess);
  EXPECT_EQ(flags, cudaStreamNonBlocking);
  EXPECT_EQ(cudaStreamGetPriority(stream, &priority), cudaSuccess);
  EXPECT_EQ(priority, greatest) << "priorities are brought into the range";
  EXPECT_EQ(cudaStreamQuery(stream), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  EXPECT_FALSE(simt::is_valid_stream(stream));
  expect_error(cudaStreamSynchronize(stream), cudaErrorInvalidResourceHandle);
  expect_error(cudaStreamDestroy(stream), cudaErrorInvalidResourceHandle);
  expect_error(cudaStreamCreateWithFlags(&stream, 64), cudaErrorInvalidValue);
  for (const cudaStream_t built_in : {cudaStream_t{}, cudaStreamLegacy, cudaStreamPerThread}) {
    EXPECT_EQ(cudaStreamSynchronize(built_in), cudaSuccess);
    EXPECT_EQ(cudaStreamGetFlags(built_in, &flags), cudaSuccess);
  }
}

TEST_F(HostRuntime, ChecksAttributesOfStreams) {
  cudaStreamAttrValue value = {};
  value.accessPolicyWindow.num_bytes = 1 << 20;
  value.accessPolicyWindow.hitRatio = 0.5;
  value.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
  constexpr auto kWindow = cudaStreamAttributeAccessPolicyWindow;
  EXPECT_EQ(cudaStreamSetAttribute(nullptr, kWindow, &value), cudaSuccess);
  value.accessPolicyWindow.hitRatio = 1.5;
  expect_error(cudaStreamSetAttribute(nullptr, kWindow, &value), cudaErrorInvalidValue);
  cudaDeviceProp device;
  EXPECT_EQ(cudaGetDeviceProperties(&device, 0), cudaSuccess);
  value.accessPolicyWindow.hitRatio = 1;
  value.accessPolicyWindow.num_bytes =
      static_cast<std::size_t>(device.accessPolicyMaxWindowSize) + 1;
  expect_error(cudaStreamSetAttribute(nullptr, kWindow, &value), cudaErrorInvalidValue);
  expect_error(cudaStreamSetAttribute(nullptr, cudaLaunchAttributeCooperative, &value),
               cudaErrorInvalidValue);
}

TEST_F(HostRuntime, FollowsOrRefusesAttributesOfLaunches) {
  cudaLaunchAttribute attributes[2] = {};
  attributes[0].id = cudaLaunchAttributeCooperative;
  attributes[0].val.cooperative = 1;
  attributes[1].id = cudaLaunchAttributeClusterDimension;
  attributes[1].val.clusterDim = {1, 1, 1};
  cudaLaunchConfig_t config = {};
  config.attrs = attributes;
  config.numAttrs = 2;
  simt::LaunchConfig launch({1, 1, 1}, {1, 1, 1});
  EXPECT_EQ(simt::read_config(config, &launch), cudaSuccess);
  EXPECT_TRUE(launch.cooperative);
  attributes[1].val.clusterDim.x = 2;
  expect_error(simt::read_config(config, &launch), cudaErrorNotSupported);
}

TEST_F(HostRuntime, SharesNothingWithOtherProcesses) {
  cudaIpcMemHandle_t handle = {};
  void* memory = nullptr;
  EXPECT_EQ(cudaMalloc(&memory, 16), cudaSuccess);
  expect_error(cudaIpcGetMemHandle(&handle, memory), cudaErrorNotSupported);
  EXPECT_EQ(cudaFree(memory), cudaSuccess);
}

TEST_F(HostRuntime, CallsHostFunctionsAtOnce) {
  std::string log;
  const auto append = [](void* text) { *static_cast<std::string*>(text) += 'f'; };
  const auto callback = [](cudaStream_t, cudaError_t status, void* text) {
    *static_cast<std::string*>(text) += status == cudaSuccess ? 'c' : 'e';
  };
  EXPECT_EQ(cudaLaunchHostFunc(nullptr, append, &log), cudaSuccess);
  EXPECT_EQ(cudaStreamAddCallback(nullptr, callback, &log, 0), cudaSuccess);
  EXPECT_EQ(log, "fc");
  expect_error(cudaLaunchHostFunc(nullptr, nullptr, &log), cudaErrorInvalidValue);
}

TEST_F(HostRuntime, MeasuresTimeBetweenEvents) {
  cudaEvent_t start = nullptr, stop = nullptr, untimed = nullptr;
  ASSERT_EQ(cudaEventCreate(&start), cudaSuccess);
  ASSERT_EQ(cudaEventCreate(&stop), cudaSuccess);
  ASSERT_EQ(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming), cudaSuccess);
  float elapsed_ms = -1;
  ASSERT_EQ(cudaEventRecord(start), cudaSuccess);
  expect_error(cudaEventElapsedTime(&elapsed_ms, start, stop), cudaErrorInvalidResourceHandle)
      << "not recorded";
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  ASSERT_EQ(cudaEventRecord(stop, cudaStreamPerThread), cudaSuccess);
  ASSERT_EQ(cudaEventSynchronize(stop), cudaSuccess);
  ASSERT_EQ(cudaEventElapsedTime(&elapsed_ms, start, stop), cudaSuccess);
  EXPECT_GE(elapsed_ms, 2.0f);
  ASSERT_EQ(cudaEventRecord(untimed), cudaSuccess);
  EXPECT_EQ(cudaStreamWaitEvent(nullptr, untimed), cudaSuccess);
  expect_error(cudaEventElapsedTime(&elapsed_ms, start, untimed), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaEventDestroy(start), cudaSuccess);
  expect_error(cudaEventRecord(start), cudaErrorInvalidResourceHandle);
  expect_error(cudaEventDestroy(start), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaEventDestroy(stop), cudaSuccess);
  EXPECT_EQ(cudaEventDestroy(untimed), cudaSuccess);
  expect_error(cudaEventCreateWithFlags(&start, 0x100), cudaErrorInvalidValue);
}

TEST_F(HostRuntime, PresentsOneDevice) {
  int count = 0, device = -1, value = 0;
  EXPECT_EQ(cudaGetDeviceCount(&count), cudaSuccess);
  EXPECT_EQ(count, 1);
  EXPECT_EQ(cudaGetDevice(&device), cudaSuccess);
  EXPECT_EQ(device, 0);
  cudaDeviceProp properties;
  ASSERT_EQ(cudaGetDeviceProperties(&properties, 0), cudaSuccess);
  EXPECT_STREQ(properties.name, "Lockstep SIMT emulator");
  EXPECT_EQ(properties.major, 9);
  EXPECT_EQ(properties.sharedMemPerBlock, 48u << 10);
  EXPECT_EQ(properties.sharedMemPerBlockOptin, 227u << 10);
  EXPECT_EQ(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0), cudaSuccess);
  EXPECT_EQ(value, properties.multiProcessorCount);
  EXPECT_EQ(cudaDeviceGetAttribute(&value, cudaDevAttrMaxPersistingL2CacheSize, 0), cudaSuccess);
  EXPECT_EQ(value, properties.persistingL2CacheMaxSize);
  EXPECT_EQ(cudaDeviceGetAttribute(&value, cudaDevAttrMaxTextureCubemapWidth, 0), cudaSuccess);
  EXPECT_EQ(value, properties.maxTextureCubemap);
  expect_error(cudaGetDeviceProperties(&properties, 1), cudaErrorInvalidDevice);
  expect_error(cudaDeviceGetAttribute(&value, static_cast<cudaDeviceAttr>(9999), 0),
               cudaErrorInvalidValue);
}

TEST_F(HostRuntime, KeepsLimits) {
  std::size_t value = 0;
  EXPECT_EQ(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 123456), cudaSuccess);
  EXPECT_EQ(cudaDeviceGetLimit(&value, cudaLimitMallocHeapSize), cudaSuccess);
  EXPECT_EQ(value, 123456u);
  expect_error(cudaDeviceGetLimit(&value, static_cast<cudaLimit>(99)), cudaErrorInvalidValue);
}

void kernel(int*, float) {}
template <class T>
void kernel_template(T*) {}

TEST_F(HostRuntime, ComputesOccupancy) {
  int num_blocks = -1, min_grid_size = 0, block_size = 0;
  const auto occupancy = [&](int threads_per_block, std::size_t shared_bytes) {
    EXPECT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&num_blocks, kernel, threads_per_block,
                                                            shared_bytes),
              cudaSuccess);
    return num_blocks;
  };
  EXPECT_EQ(occupancy(1024, 0), 2);
  EXPECT_EQ(occupancy(256, 0), 8);
  EXPECT_EQ(occupancy(250, 0), 8) << "threads count in whole warps";
  EXPECT_EQ(occupancy(32, 0), 32) << "at most 32 blocks";
  EXPECT_EQ(occupancy(32, 75 << 10), 3) << "limited by 228 KiB of shared memory";
  EXPECT_EQ(occupancy(2048, 0), 0);
  EXPECT_EQ(occupancy(32, 300 << 10), 0);
  expect_error(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&num_blocks, kernel, 0, 0),
               cudaErrorInvalidValue);
  EXPECT_EQ(cudaOccupancyMaxPotentialBlockSize(&min_grid_size, &block_size, kernel_template<int>),
            cudaSuccess);
  EXPECT_EQ(block_size, 1024);
  EXPECT_EQ(min_grid_size, 32);
  // A thread needs 512 bytes of shared memory: fewer, smaller blocks.
  EXPECT_EQ(
      cudaOccupancyMaxPotentialBlockSizeVariableSMem(
          &min_grid_size, &block_size, kernel, [](int threads) { return threads * 512; }, 300),
      cudaSuccess);
  EXPECT_LE(block_size, 300);
  EXPECT_GT(block_size * 512 * (min_grid_size / 16), 100 << 10);
}

TEST_F(HostRuntime, ChecksFunctionAttributes) {
  cudaFuncAttributes attributes;
  const auto set = [](int size_bytes) {
    return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, size_bytes);
  };
  EXPECT_EQ(set(100 << 10), cudaSuccess);
  EXPECT_EQ(cudaFuncGetAttributes(&attributes, kernel), cudaSuccess);
  EXPECT_EQ(attributes.maxDynamicSharedSizeBytes, 100 << 10);
  expect_error(set(228 << 10), cudaErrorInvalidValue);
  expect_error(set(-1), cudaErrorInvalidValue);
}

}  // namespace
