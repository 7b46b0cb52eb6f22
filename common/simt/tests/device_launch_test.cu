// SPDX-License-Identifier: MIT
#include <numeric>
#include <string>

#include "device_test.h"

namespace simt_test::launch_test {
namespace {

class Launch : public DeviceTest {};

struct Indices {
  uint3 thread, block;
  dim3 block_dim, grid_dim;
};

__global__ void record_indices(Indices* out) {
  const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  out[block * blockDim.x * blockDim.y * blockDim.z + thread] = {threadIdx, blockIdx, blockDim,
                                                                gridDim};
}

TEST_F(Launch, SetsBuiltInVariablesInThreeDimensions) {
  const dim3 grid(3, 2, 2), block(5, 4, 3);
  Managed<Indices> out(12 * 60);
  record_indices<<<grid, block>>>(out.get());
  std::size_t i = 0;
  for (unsigned bz = 0; bz < 2; ++bz)
    for (unsigned by = 0; by < 2; ++by)
      for (unsigned bx = 0; bx < 3; ++bx)
        for (unsigned tz = 0; tz < 3; ++tz)
          for (unsigned ty = 0; ty < 4; ++ty)
            for (unsigned tx = 0; tx < 5; ++tx, ++i) {
              ASSERT_EQ(std::tuple(out[i].thread.x, out[i].thread.y, out[i].thread.z),
                        std::tuple(tx, ty, tz));
              ASSERT_EQ(std::tuple(out[i].block.x, out[i].block.y, out[i].block.z),
                        std::tuple(bx, by, bz));
              ASSERT_EQ(out[i].block_dim.y, 4u);
              ASSERT_EQ(out[i].grid_dim.z, 2u);
            }
}

__global__ void shadow_indices(int* out) {
  const int threadIdx = 7, blockDim = 11;  // locals may have the built-ins' names
  out[0] = threadIdx * blockDim;
}

TEST_F(Launch, LetsLocalsShadowBuiltIns) {
  Managed<int> out(1);
  shadow_indices<<<1, 1>>>(out.get());
  EXPECT_EQ(out[0], 77);
}

template <class T, int kStep>
__global__ void add_kernel(T* data, T value) {
  data[blockIdx.x * blockDim.x + threadIdx.x] += kStep * value;
}

// A host template that launches a template, twice.
template <class T>
void add_twice(T* data, int num_items, T value) {
  add_kernel<T, 2><<<num_items / 32, 32>>>(data, value);
  add_kernel<T, 3><<<num_items / 64, 64>>>(data, value);
}

TEST_F(Launch, WorksFromTemplates) {
  Managed<double> data(256, 1.0);
  add_twice(data.get(), 256, 0.5);
  EXPECT_EQ(data.values(), std::vector<double>(256, 3.5));
}

struct Pair {
  int first;
  int second;
};

__global__ void change_argument(Pair pair, int* out) {
  pair.first += threadIdx.x;  // each thread has its own copy
  __syncthreads();
  out[threadIdx.x] = pair.first + pair.second;
}

TEST_F(Launch, GivesEachThreadItsOwnArguments) {
  Managed<int> out(64);
  change_argument<<<1, 64>>>(Pair{10, 20}, out.get());
  std::vector<int> expected(64);
  std::iota(expected.begin(), expected.end(), 30);
  EXPECT_EQ(out.values(), expected);
}

// Without copies: converted once, by the host.
class Buffer {
 public:
  explicit Buffer(int* items) : items_(items) {}
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  operator int*() const {
    ++num_conversions;
    return items_;
  }
  static inline int num_conversions = 0;

 private:
  int* items_;
};

TEST_F(Launch, ConvertsAnArgumentThatCannotBeCopied) {
  Managed<int> out(64);
  const Buffer buffer(out.get());
  const Pair pair{1, 2};
  change_argument<<<1, 64>>>(pair, buffer);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(out[63], 66);
  change_argument<<<1, 64>>>(Pair{2, 2}, Buffer(out.get()));
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(out[63], 67);
  EXPECT_EQ(Buffer::num_conversions, 2);
}

__global__ void count_threads(unsigned* count) { atomicAdd(count, 1); }

TEST_F(Launch, RunsEveryBlockShape) {
  for (const unsigned threads : {1u, 31u, 32u, 33u, 255u, 1000u, 1024u}) {
    Managed<unsigned> count(1);
    count_threads<<<7, threads>>>(count.get());
    EXPECT_EQ(count[0], 7 * threads);
  }
}

TEST_F(Launch, RefusesWhatTheDeviceCannotHold) {
  Managed<unsigned> count(1);
  const auto launch_error = [&](dim3 grid, dim3 block, std::size_t shared_bytes = 0) {
    count_threads<<<grid, block, shared_bytes>>>(count.get());
    return cudaGetLastError();
  };
  EXPECT_EQ(launch_error(1, 2048), cudaErrorInvalidValue);
  EXPECT_EQ(launch_error(1, dim3(32, 33)), cudaErrorInvalidValue);
  EXPECT_EQ(launch_error(1, dim3(1, 1, 65)), cudaErrorInvalidValue);
  EXPECT_EQ(launch_error(0, 32), cudaErrorInvalidValue);
  EXPECT_EQ(launch_error(1, 0), cudaErrorInvalidValue);
  EXPECT_EQ(launch_error(dim3(1, 65536), 32), cudaErrorInvalidValue);
  EXPECT_EQ(launch_error(1, 32, (48 << 10) + 1), cudaErrorInvalidValue);
  for (const int negative : {-1, -1024, -(48 << 10)}) {  // becomes a huge size
    EXPECT_EQ(launch_error(1, 32, static_cast<std::size_t>(negative)), cudaErrorInvalidValue);
  }
  EXPECT_EQ(launch_error(1, dim3(1 << 31, 2)), cudaErrorInvalidValue) << "2^32 threads are not 0";
  EXPECT_EQ(launch_error(1, 32), cudaSuccess) << "a refused launch is not a sticky error";
  EXPECT_EQ(count[0], 32u) << "only the valid launch has run";
}

TEST_F(Launch, RefusesAnInvalidStream) {
  Managed<unsigned> count(1);
  int no_stream = 0;
  count_threads<<<1, 1, 0, reinterpret_cast<cudaStream_t>(&no_stream)>>>(count.get());
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidResourceHandle);
}

__global__ void launch_inside(unsigned* count) { count_threads<<<1, 1>>>(count); }

TEST_F(Launch, RefusesALaunchInsideAKernel) {
  Managed<unsigned> count(1);
  launch_inside<<<1, 1>>>(count.get());
  EXPECT_EQ(cudaGetLastError(), cudaErrorNotSupported);
  EXPECT_EQ(count[0], 0u);
  expect_finding(simt::FindingKind::kLaunchError);
}

__global__ void append(int* list, int value) { list[atomicAdd(&list[0], 1) + 1] = value; }

__global__ void append_around(int* list, int value) {
  append<<<1, 1, 0, cudaStreamTailLaunch>>>(list, value + 2);
  append<<<1, 1>>>(list, value + 1);
  append<<<1, 2000>>>(list, 99);  // too many threads: refused
  list[20 + value] = cudaGetLastError();
  list[atomicAdd(&list[0], 1) + 1] = value;
}

__global__ void append_twice(int* list) {
  append_around<<<1, 1>>>(list, 1);
  append_around<<<1, 1, 0, cudaStreamFireAndForget>>>(list, 5);
  list[atomicAdd(&list[0], 1) + 1] = 0;
}

class NestedLaunch : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    simt::allow_nested_launches(true);
  }
  void TearDown() override {
    simt::allow_nested_launches(false);
    DeviceTest::TearDown();
  }
};

TEST_F(NestedLaunch, RunsAfterTheKernelThatLaunchesItAndBeforeTheHostGoesOn) {
  Managed<int> list(40);
  append_twice<<<1, 1>>>(list.get());
  const std::vector<int> values = list.values();
  EXPECT_EQ(std::vector<int>(values.begin(), values.begin() + 8),
            (std::vector<int>{7, 0, 1, 2, 3, 5, 6, 7}));
  EXPECT_EQ(values[21], cudaErrorInvalidValue);
  EXPECT_EQ(values[25], cudaErrorInvalidValue);
}

__global__ void launch_and_trap(int* list) {
  append<<<1, 1>>>(list, 1);
  __trap();
}

__global__ void launch_itself(int* count, cudaStream_t stream) {
  if (++count[0] == 20000) return;
  launch_itself<<<1, 1, 0, stream>>>(count, stream);
  if (const cudaError_t error = cudaGetLastError(); error != cudaSuccess) count[1] = error;
}

TEST_F(NestedLaunch, IsRefusedBelowTheDepthOfADevice) {
  Managed<int> count(2);
  launch_itself<<<1, 1>>>(count.get(), cudaStreamFireAndForget);
  EXPECT_EQ(count[0], 1 + 24);
  EXPECT_EQ(count[1], cudaErrorLaunchMaxDepthExceeded);
}

TEST_F(NestedLaunch, FollowsItselfAsATailForAsLongAsItLikes) {
  Managed<int> count(2);
  launch_itself<<<1, 1>>>(count.get(), cudaStreamTailLaunch);
  EXPECT_EQ(count[0], 20000);
  EXPECT_EQ(count[1], cudaSuccess);
}

TEST_F(NestedLaunch, IsDroppedIfTheKernelFaults) {
  Managed<int> list(4);
  launch_and_trap<<<1, 1>>>(list.get());
  expect_fault(cudaErrorLaunchFailure, simt::FindingKind::kCrash);
  append<<<1, 1>>>(list.get(), 5);
  EXPECT_EQ(list[0], 1);
  EXPECT_EQ(list[1], 5);
}

__global__ void fill(int* items) { items[threadIdx.x] = 7; }
__global__ void fill_by_child(int* items) { fill<<<1, 65>>>(items); }

TEST_F(NestedLaunch, IsCheckedLikeAnyOther) {
  int* d_items = nullptr;
  cudaMalloc(&d_items, 64 * sizeof(int));
  fill_by_child<<<1, 1>>>(d_items);
  expect_finding(simt::FindingKind::kOutOfBounds);
  cudaFree(d_items);
}

TEST_F(Launch, TakesArgumentsByPointer) {
  Managed<int> out(32);
  Pair pair{1, 2};
  int* d_out = out.get();
  void* args[] = {&pair, &d_out};
  const simt::LaunchSite site{"change_argument", __FILE__, __LINE__};
  EXPECT_EQ(simt::launch_with_pointers(site, simt::LaunchConfig(1, 32), change_argument, args),
            cudaSuccess);
  EXPECT_EQ(out[31], 34);
}

thread_local int host_variable = 42;

__global__ void read_shared(unsigned* out) {
  __shared__ unsigned never_written[4];
  out[blockIdx.x * 4 + threadIdx.x] = never_written[threadIdx.x];
  never_written[threadIdx.x] = 1;
}

TEST_F(Launch, PoisonsSharedMemoryAndKeepsTheHostsVariables) {
  Managed<unsigned> out(12);
  read_shared<<<3, 4>>>(out.get());
  EXPECT_EQ(out.values(), std::vector<unsigned>(12, 0xFFF8DEADu));
  EXPECT_EQ(host_variable, 42);
  expect_finding(simt::FindingKind::kUninitializedRead);
}

__global__ void use_dynamic_shared(int* out, int num_items) {
  extern __shared__ int items[];
  for (int i = threadIdx.x; i < num_items; i += blockDim.x) items[i] = i;
  __syncthreads();
  int sum = 0;
  for (int i = 0; i < num_items; ++i) sum += items[i];
  out[threadIdx.x] = sum;
}

TEST_F(Launch, GivesDynamicSharedMemoryUpToTheRaisedLimit) {
  constexpr int kNumItems = 100 << 8;  // 100 KiB
  Managed<int> out(2);
  simt::raise_dynamic_shared_limit(kNumItems * sizeof(int));
  use_dynamic_shared<<<1, 2, kNumItems * sizeof(int)>>>(out.get(), kNumItems);
  EXPECT_EQ(out[0], kNumItems / 2 * (kNumItems - 1));
  EXPECT_EQ(out[1], out[0]);
}

constexpr int kBound = 64;

__global__ void __launch_bounds__(kBound) bounded_kernel(unsigned* count) { atomicAdd(count, 1); }

template <int kFactor>
__global__ __launch_bounds__(kFactor* kBound, 2) void bounded_template(unsigned* count) {
  atomicAdd(count, 1);
}

TEST_F(Launch, RefusesMoreThreadsThanItsBounds) {
  Managed<unsigned> count(1);
  bounded_kernel<<<2, kBound + 1>>>(count.get());
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
  bounded_template<2><<<1, dim3(64, 2, 2)>>>(count.get());
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess) << "a refused launch is not a sticky error";
  EXPECT_EQ(count[0], 0u);
  bounded_kernel<<<2, kBound>>>(count.get());
  bounded_template<2><<<1, dim3(64, 2)>>>(count.get());
  EXPECT_EQ(count[0], 4u * kBound);
}

__device__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

__global__ void recurse(int* out) {
  volatile char local[100 << 10];  // most of a thread's stack
  local[threadIdx.x * 1000] = 1;
  __syncthreads();
  out[threadIdx.x] = fibonacci(15) * local[threadIdx.x * 1000];
}

TEST_F(Launch, HasStacksForRecursionAndLargeArrays) {
  Managed<int> out(64);
  recurse<<<1, 64>>>(out.get());
  EXPECT_EQ(out.values(), std::vector<int>(64, 610));
}

}  // namespace
}  // namespace simt_test::launch_test
