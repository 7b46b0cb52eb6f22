// SPDX-License-Identifier: MIT
// Accesses outside of allocations, misaligned, to host memory, or before anything was written; and
// right kernels that look as if they did that.
#include <pthread.h>

#include <memory>
#include <vector>

#include "check/byte_flags.h"
#include "device_test.h"

namespace simt_test::memory_test {
namespace {

class Memory : public DeviceTest {};

// Device memory as cudaMalloc gives it: nothing is written.
template <class T>
class Device {
 public:
  explicit Device(std::size_t count) { cudaMalloc(&base_, count * sizeof(T)); }
  ~Device() { cudaFree(base_); }
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  T* get() { return base_; }

 private:
  T* base_ = nullptr;
};

__global__ void copy_kernel(const int* in, int* out, int first) {
  const int i = first + static_cast<int>(threadIdx.x);
  const int value = in[i];
  out[threadIdx.x] = value;
}
constexpr int kReadLine = __LINE__ - 3;

TEST_F(Memory, FindsAReadPastTheEnd) {
  Managed<int> in(100), out(32);
  copy_kernel<<<1, 32>>>(in.get(), out.get(), 70);
  const simt::Finding finding = expect_finding(simt::FindingKind::kOutOfBounds);
  EXPECT_EQ(finding.line, kReadLine);
  EXPECT_EQ(finding.kernel, "copy_kernel");
  EXPECT_TRUE(contains(finding.message, "thread 30 of block 0 reads 4 bytes right past the end"));
  EXPECT_TRUE(contains(finding.message, "(400 bytes, allocated in line"));
}

TEST_F(Memory, FindsAReadBeforeTheStart) {
  Managed<int> below(4);  // the device's memory does not start here
  Managed<int> in(100), out(32);
  copy_kernel<<<1, 32>>>(in.get(), out.get(), -1);
  EXPECT_TRUE(contains(expect_finding(simt::FindingKind::kOutOfBounds).message,
                       "4 bytes before the start of"));
}

__global__ void fill_kernel(int* out) { out[threadIdx.x] = 1; }

TEST_F(Memory, FindsAWritePastTheEnd) {
  Device<int> out(31);
  fill_kernel<<<1, 32>>>(out.get());
  EXPECT_TRUE(contains(expect_finding(simt::FindingKind::kOutOfBounds).message,
                       "writes 4 bytes right past"));
}

TEST_F(Memory, FindsFreedMemory) {
  int* freed = nullptr;
  cudaMalloc(&freed, 128);
  cudaFree(freed);
  fill_kernel<<<1, 32>>>(freed);
  EXPECT_TRUE(
      contains(expect_finding(simt::FindingKind::kOutOfBounds).message, "which has been freed"));
}

TEST_F(Memory, AllowsNewMemoryAfterAFree) {
  for (int repeat = 0; repeat < 100; ++repeat) {
    Device<int> out(32);
    fill_kernel<<<1, 32>>>(out.get());
  }
}

__global__ void add_kernel(int* out) { atomicAdd(out, 1); }

TEST_F(Memory, FindsAnAtomicPastTheEnd) {
  Managed<int> out(4);
  add_kernel<<<1, 1>>>(out.get() + 4);
  EXPECT_TRUE(
      contains(expect_finding(simt::FindingKind::kOutOfBounds).message, "right past the end"));
}

__global__ void vector_kernel(const float* in, float4* out) {
  out[threadIdx.x] = reinterpret_cast<const float4*>(in)[threadIdx.x];
}

TEST_F(Memory, FindsAVectorThatIsPartlyPastTheEnd) {
  Managed<float> in(14);
  Managed<float4> out(4);
  vector_kernel<<<1, 4>>>(in.get(), out.get());
  EXPECT_TRUE(contains(expect_finding(simt::FindingKind::kOutOfBounds).message,
                       "of which the last 8 bytes"));
}

TEST_F(Memory, FindsHostMemory) {
  Managed<int> out(32);
  const std::vector<int> on_heap(32, 1);
  copy_kernel<<<1, 32>>>(on_heap.data(), out.get(), 0);
  const simt::Finding finding =
      expect_fault(cudaErrorIllegalAddress, simt::FindingKind::kHostPointer);
  EXPECT_EQ(finding.line, kReadLine);
  EXPECT_TRUE(contains(finding.message, "memory of the host"));
  int on_stack = 0;
  add_kernel<<<1, 1>>>(&on_stack);
  expect_fault(cudaErrorIllegalAddress, simt::FindingKind::kHostPointer);
}

// clang-format off
__global__ void in_one_line(const int* in, int* out) { out[threadIdx.x] = in[threadIdx.x]; } void run_in_one_line(const int* in, int* out) { in_one_line<<<1, 32>>>(in, out); }
// clang-format on

TEST_F(Memory, FindsHostMemoryInTheLineOfTheLaunch) {
  Managed<int> device(32, 1);
  std::vector<int> on_heap(32, 1);
  run_in_one_line(on_heap.data(), device.get());
  expect_fault(cudaErrorIllegalAddress, simt::FindingKind::kHostPointer);
  run_in_one_line(device.get(), on_heap.data());
  expect_fault(cudaErrorIllegalAddress, simt::FindingKind::kHostPointer);
  EXPECT_EQ(on_heap[0], 1);
}

struct LargeArgument {
  int values[256];
};

__global__ void take_large(LargeArgument argument, int* out) { *out = argument.values[255]; }
__global__ void take_large_too(LargeArgument argument, int* out) { *out = -argument.values[255]; }

TEST_F(Memory, AllowsWhatTheLineOfALaunchNames) {
  void (*const kernels[])(LargeArgument, int*) = {take_large, take_large_too};
  static int chosen = 0;
  Managed<int> out(1);
  LargeArgument argument = {};
  argument.values[255] = 7;
  kernels[chosen]<<<1, 1>>>(argument, out.get());
  EXPECT_EQ(out[0], 7);
  chosen = 1;
  kernels[chosen]<<<1, 1>>>(argument, out.get());
  EXPECT_EQ(out[0], -7);
  EXPECT_TRUE(simt::take_findings().empty());
}

TEST_F(Memory, AllowsRegisteredHostMemory) {
  Managed<int> out(32);
  std::vector<int> registered(32, 7);
  cudaHostRegister(registered.data(), 32 * sizeof(int), 0);
  copy_kernel<<<1, 32>>>(registered.data(), out.get(), 0);
  cudaHostUnregister(registered.data());
  EXPECT_EQ(out[31], 7);
}

// The emulator's shared variables are a thread's own for the system, and so is what follows them.
TEST_F(Memory, AllowsRegisteredMemoryRightAfterSharedMemory) {
  Managed<int> out(32);
  auto* const registered = reinterpret_cast<int*>(pthread_self());
  cudaHostRegister(registered, 32 * sizeof(int), 0);
  copy_kernel<<<1, 32>>>(registered, out.get(), 0);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  cudaHostUnregister(registered);
  copy_kernel<<<1, 32>>>(registered, out.get(), 0);
  EXPECT_TRUE(
      contains(expect_fault(cudaErrorIllegalAddress, simt::FindingKind::kOutOfBounds).message,
               " past the end of shared "));
}

__device__ int device_table[4] = {1, 2, 3, 4};
__constant__ int constant_table[4] = {1, 2, 3, 4};

__device__ int sum_below(const int* values, int count) {
  return count == 0 ? 0 : values[count - 1] + sum_below(values, count - 1);
}

__global__ void own_memory_kernel(int* out) {
  static const char text[] = "constant";
  int local[64];
  for (int i = 0; i < 64; ++i) local[i] = i + text[i % 8];
  out[threadIdx.x] = sum_below(local, 64) + device_table[1] + constant_table[2];
}

TEST_F(Memory, AllowsGlobalsAndLocals) {
  Device<int> out(32);
  own_memory_kernel<<<1, 32>>>(out.get());
}

TEST_F(Memory, FindsAReadOfFreshMemory) {
  Device<int> in(32), out(32);
  copy_kernel<<<1, 32>>>(in.get(), out.get(), 0);
  const simt::Finding finding = expect_finding(simt::FindingKind::kUninitializedRead);
  EXPECT_EQ(finding.line, kReadLine);
  EXPECT_TRUE(contains(finding.message, "that no thread has written yet"));
}

__global__ void draw_kernel(unsigned long long* ticket) { atomicAdd(ticket, 1ull); }

TEST_F(Memory, FindsAnAtomicOnANumberOfWhichAFillHasMissedBytes) {
  Device<unsigned long long> ticket(1);
  cudaMemset(ticket.get(), 0, 1);
  draw_kernel<<<1, 1>>>(ticket.get());
  const simt::Finding finding = expect_finding(simt::FindingKind::kUninitializedRead);
  EXPECT_TRUE(contains(finding.message, "of which no thread has written 7 bytes yet"));
}

TEST_F(Memory, FindsTheHostInDeviceMemory) {
  Device<int> in(32);
  cudaMemset(in.get(), 0, 32 * sizeof(int));
  const int first = in.get()[0];
  const simt::Finding finding =
      expect_fault(cudaErrorIllegalAddress, simt::FindingKind::kHostPointer);
  EXPECT_EQ(finding.line, __LINE__ - 3);
  EXPECT_TRUE(contains(finding.message, "the host reads 4 bytes of allocation"));
  EXPECT_EQ(first, 0);
}

TEST_F(Memory, AllowsTheHostInManagedAndPinnedMemory) {
  Managed<int> managed(32);
  int* pinned = nullptr;
  ASSERT_EQ(cudaMallocHost(&pinned, 32 * sizeof(int)), cudaSuccess);
  managed[3] = 4;
  pinned[5] = managed[3];
  EXPECT_EQ(pinned[5], 4);
  cudaFreeHost(pinned);
}

TEST_F(Memory, KnowsWhatTheHostWrites) {
  Device<int> a(32), b(32), out(32);
  cudaMemset(a.get(), 0, 32 * sizeof(int));
  cudaMemcpy(b.get(), a.get(), 32 * sizeof(int), cudaMemcpyDeviceToDevice);
  copy_kernel<<<1, 32>>>(b.get(), out.get(), 0);
}

TEST_F(Memory, KnowsWhatTheHostCopiesUnwritten) {
  Device<int> a(32), b(32), out(32);
  cudaMemset(b.get(), 0, 32 * sizeof(int));
  cudaMemcpy(b.get(), a.get(), 32 * sizeof(int), cudaMemcpyDeviceToDevice);
  copy_kernel<<<1, 32>>>(b.get(), out.get(), 0);
  expect_finding(simt::FindingKind::kUninitializedRead);
}

TEST_F(Memory, FindsUnwrittenCopiesWhereAKernelHasReadBefore) {
  Device<int> a(32), b(32), out(32);
  cudaMemset(b.get(), 0, 32 * sizeof(int));
  copy_kernel<<<1, 32>>>(b.get(), out.get(), 0);
  cudaMemcpy(b.get(), a.get(), 32 * sizeof(int), cudaMemcpyDeviceToDevice);
  copy_kernel<<<1, 32>>>(b.get(), out.get(), 0);
  expect_finding(simt::FindingKind::kUninitializedRead);
}

struct Sum {
  float largest = -1;
  float sum = 0;
};

thread_local int g_of_the_host = 7;

// nvcc takes such variables, and gives them no value.
template <int kNumThreads>
__global__ void share_sums(float* out, int num_written) {
  __shared__ Sum sums[kNumThreads];
  const int t = threadIdx.x;
  if (t < num_written) sums[t] = {1.0f * t, 1};
  __syncthreads();
  out[t] = sums[t ^ 1].largest;
}
__global__ void share_sum(float* out) {
  __shared__ Sum first;
  if (threadIdx.x == 0) first = {5, 1};
  __syncthreads();
  out[threadIdx.x] = first.largest;
}

TEST_F(Memory, OfABlockMayHaveTypesWithInitialValues) {
  Managed<float> out(32);
  share_sums<32><<<4, 32>>>(out.get(), 32);
  EXPECT_EQ(out[30], 31);
  share_sum<<<4, 32>>>(out.get());
  EXPECT_EQ(out[30], 5);
  EXPECT_EQ(g_of_the_host, 7);
  share_sums<32><<<1, 32>>>(out.get(), 31);
  EXPECT_TRUE(contains(expect_finding(simt::FindingKind::kUninitializedRead).message, "(sums)"));
}

__global__ void shared_kernel(int* out, int num_written) {
  __shared__ int tile[64];
  extern __shared__ int dynamic[];
  if (threadIdx.x < num_written) tile[threadIdx.x] = dynamic[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x];
  out[threadIdx.x] += dynamic[threadIdx.x];
}

struct Pair {
  int quotient;
  int remainder;
};
[[gnu::noinline]] __device__ Pair divide(int a, int b) { return {a / b, a % b}; }

__global__ void pairs_from_calls(Pair* pairs, int* out) {
  __shared__ alignas(16) Pair pair;
  if (threadIdx.x == 0) pair = divide(7, 2);
  pairs[threadIdx.x] = divide(9, 5);
  __syncthreads();
  out[threadIdx.x] = pair.quotient + pairs[threadIdx.x].remainder;
}

TEST_F(Memory, KnowsWhatCallsReturnIntoIt) {
  Device<Pair> pairs(32);
  Device<int> out(32);
  pairs_from_calls<<<1, 32>>>(pairs.get(), out.get());
}

TEST_F(Memory, FindsAReadOfFreshSharedMemory) {
  Device<int> out(64);
  shared_kernel<<<1, 64, 64 * sizeof(int)>>>(out.get(), 64);
  EXPECT_TRUE(simt::take_findings().empty());
  shared_kernel<<<1, 64, 64 * sizeof(int)>>>(out.get(), 63);
  const std::vector<simt::Finding> findings = simt::take_findings();
  ASSERT_EQ(findings.size(), 2u);  // static and dynamic
  for (const simt::Finding& finding : findings) {
    EXPECT_EQ(finding.kind, simt::FindingKind::kUninitializedRead);
    EXPECT_TRUE(contains(finding.message, "thread 63 of block 0 reads 4 bytes of shared memory"));
  }
}

TEST_F(Memory, FindsTheEndOfDynamicSharedMemory) {
  Device<int> out(64);
  shared_kernel<<<1, 64, 63 * sizeof(int)>>>(out.get(), 64);
  const std::vector<simt::Finding> findings = simt::take_findings();
  ASSERT_EQ(findings.size(), 2u);  // the write and the read
  EXPECT_EQ(findings[0].kind, simt::FindingKind::kOutOfBounds);
  EXPECT_TRUE(contains(findings[0].message, "past the end of the block's dynamic shared memory"));
}

struct Padded {
  char tag;
  int value;
  short tail;
};
struct Bits {
  unsigned low : 3;
  unsigned high : 7;
};
union Either {
  float number;
  unsigned bits;
};

__global__ void odd_types_kernel(Padded* padded, Bits* bits, Either* either, float4* vectors) {
  __shared__ Padded tile[32];
  const int t = threadIdx.x;
  padded[t].tag = 'a';
  padded[t].value = t;
  padded[t].tail = 1;
  tile[t] = padded[t];
  padded[t] = tile[t];
  bits[t].low = 5;
  bits[t].high = static_cast<unsigned>(t);
  either[t].number = 1.0f;
  either[t].bits += bits[t].low + bits[t].high;
  vectors[t].x = 1.0f;  // y, z and w are in no use
  const float4 copy = vectors[t];
  either[t].number += copy.x;
}

TEST_F(Memory, AllowsPaddingBitFieldsAndUnions) {
  Device<Padded> padded(32);
  Device<Bits> bits(32);
  Device<Either> either(32);
  Device<float4> vectors(32);
  odd_types_kernel<<<1, 32>>>(padded.get(), bits.get(), either.get(), vectors.get());
}

__global__ void exchange_kernel(int* slot) { atomicExch(slot, 1); }

TEST_F(Memory, TakesAnExchangeForAWrite) {
  Device<int> slot(1);
  exchange_kernel<<<1, 1>>>(slot.get());
}

__global__ void early_return_kernel(const int* in, int* out, int num_items) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= num_items) return;
  out[i] = in[i];
}

TEST_F(Memory, AllowsAGridLargerThanTheData) {
  Managed<int> in(100, 3);
  Device<int> out(100);
  early_return_kernel<<<4, 32>>>(in.get(), out.get(), 100);
}

// In an allocation of more than 64 MiB, only the ends hold poison before their first use.
constexpr std::size_t kHuge = std::size_t{192} << 20;
constexpr int kMiddle = kHuge / 2 / sizeof(int);

TEST_F(Memory, FindsAReadOfFreshMemoryInTheMiddleOfAHugeAllocation) {
  Device<int> in(kHuge / sizeof(int));
  Managed<int> out(32);
  copy_kernel<<<1, 32>>>(in.get(), out.get(), kMiddle);
  EXPECT_EQ(expect_finding(simt::FindingKind::kUninitializedRead).line, kReadLine);
  fill_kernel<<<1, 16>>>(in.get() + 2 * kMiddle / 3);  // half of what is read then
  copy_kernel<<<1, 32>>>(in.get(), out.get(), 2 * kMiddle / 3);
  expect_finding(simt::FindingKind::kUninitializedRead);
}

struct Four {
  long values[4];
};
[[gnu::noinline]] __device__ Four four_times(long value) { return {value, value, value, value}; }

// The function that returns it stores it into memory directly: no hook sees that.
__global__ void four_kernel(Four* out) { new (out + threadIdx.x) Four(four_times(0)); }
__global__ void sum_kernel(const Four* in, long* out) {
  out[threadIdx.x] = in[threadIdx.x].values[0] + in[threadIdx.x].values[3];
}

TEST_F(Memory, AllowsZerosInTheMiddleOfAHugeAllocation) {
  Device<int> in(kHuge / sizeof(int));
  Managed<int> out(32);
  Managed<long> sums(32, -1);
  int* const middle = in.get() + kMiddle;
  cudaMemset(middle, 0, 32 * sizeof(int));
  copy_kernel<<<1, 32>>>(middle, out.get(), 0);
  Four* const fours = reinterpret_cast<Four*>(in.get() + kMiddle + (1 << 20));
  four_kernel<<<1, 32>>>(fours);
  sum_kernel<<<1, 32>>>(fours, sums.get());
  cudaDeviceSynchronize();
  EXPECT_EQ(out[31], 0);
  EXPECT_EQ(sums[31], 0);
}

// Each thread reads through the pointer that it or its neighbour has left.
__global__ void local_pointer_kernel(int* out, bool of_neighbour) {
  __shared__ const int* pointers[32];
  const int t = threadIdx.x;
  int local[2] = {t, 2 * t};
  pointers[t] = local;
  __syncthreads();
  out[t] = pointers[of_neighbour ? (t + 1) % 32 : t][1];
  __syncthreads();
}
constexpr int kPointerLine = __LINE__ - 3;

TEST_F(Memory, FindsAnotherThreadsLocalVariable) {
  Managed<int> out(32);
  local_pointer_kernel<<<1, 32>>>(out.get(), true);
  const simt::Finding finding = expect_finding(simt::FindingKind::kOutOfBounds);
  EXPECT_EQ(finding.line, kPointerLine);
  EXPECT_TRUE(contains(finding.message, "another thread's local variable"));
}

[[gnu::noinline]] __device__ void add_to(int* sum, const int* items, int num_items) {
  for (int i = 0; i < num_items; ++i) *sum += items[i];
}

__global__ void own_local_kernel(int* out) {
  int items[4] = {1, 2, 3, static_cast<int>(threadIdx.x)};
  int sum = 0;
  const auto add = [&](int first) { add_to(&sum, items + first, 2); };
  add(0);
  __syncthreads();
  add(2);
  out[threadIdx.x] = sum;
}

TEST_F(Memory, AllowsPointersToOnesOwnLocalVariables) {
  Managed<int> out(64);
  own_local_kernel<<<1, 64>>>(out.get());
  cudaDeviceSynchronize();
  EXPECT_EQ(out[7], 13);
  local_pointer_kernel<<<1, 32>>>(out.get(), false);
  cudaDeviceSynchronize();
  EXPECT_EQ(out[7], 14);
}

TEST(ByteFlags, CopyFromAndToAnyPlace) {
  constexpr std::size_t kNumFlags = 200;
  constexpr std::uintptr_t kBase = 4096;
  for (std::size_t from = 0; from < 10; ++from) {
    for (std::size_t to = 90; to < 100; ++to) {
      for (const std::size_t count : {0, 1, 5, 8, 17, 64, 77}) {
        std::vector<std::uint8_t> storage(simt::device::ByteFlags::storage_bytes(kNumFlags));
        simt::device::ByteFlags flags(kBase, storage.data());
        for (std::size_t i = 0; i < kNumFlags; ++i) {
          if ((i * i + i / 7) % 3 == 0) flags.set(kBase + i, 1);
        }
        const std::vector<std::uint8_t> before = storage;
        flags.copy(kBase + to, kBase + from, count);
        const auto bit = [](const auto& bytes, std::size_t i) { return bytes[i / 8] >> i % 8 & 1; };
        for (std::size_t i = 0; i < kNumFlags; ++i) {
          const bool copied = i >= to && i < to + count;
          ASSERT_EQ(bit(storage, i), bit(before, copied ? i - to + from : i))
              << i << ", " << count << " from " << from << " to " << to;
        }
      }
    }
  }
}

__global__ void write_some_kernel(float* out, int num_items) {
  if (threadIdx.x < num_items) out[threadIdx.x] = 1;
}

TEST_F(Memory, FindsACopyOfWhatNoKernelWrote) {
  std::vector<float> items(256);
  const std::size_t size_bytes = 256 * sizeof(float);
  for (const int num_written : {256, 100, 0}) {
    float* d_out = nullptr;
    cudaMalloc(&d_out, size_bytes);
    write_some_kernel<<<1, 256>>>(d_out, num_written);
    cudaMemcpy(items.data(), d_out, size_bytes, cudaMemcpyDeviceToHost);
    cudaFree(d_out);
    if (num_written == 256) continue;
    const simt::Finding finding = expect_finding(simt::FindingKind::kUninitializedRead);
    EXPECT_EQ(finding.line, __LINE__ - 4);
    EXPECT_TRUE(contains(finding.message, "does the launch cover all items?"));
  }
}

__global__ void launching_kernel(float* out) { write_some_kernel<<<1, 32>>>(out, 32); }

TEST_F(Memory, FindsALaunchInAKernel) {
  Managed<float> out(32);
  launching_kernel<<<1, 32>>>(out.get());
  const simt::Finding finding = expect_finding(simt::FindingKind::kLaunchError);
  EXPECT_EQ(finding.line, __LINE__ - 6);
  EXPECT_TRUE(contains(finding.message, "launch kernels from the host"));
  EXPECT_EQ(cudaGetLastError(), cudaErrorNotSupported);
}

__forceinline__ __global__ void inlined_kernel(float* out) { out[blockDim.x + threadIdx.x] = 1; }
constexpr int kInlinedLine = __LINE__ - 1;
__global__ void only_writes_kernel(int first) {
  [[maybe_unused]] __shared__ int tile[32];
  tile[(first + threadIdx.x) % 64] = 1;
}

struct Item {
  float value;
  int key;
};
__device__ __noinline__ Item later(Item a, Item b) { return a.key > b.key ? a : b; }

__global__ void by_value_kernel(Item* out) {
  __shared__ Item tile[64];
  const int t = threadIdx.x;
  tile[t] = Item{1.0f, t};
  tile[t] = later(tile[t], tile[(t + 32) % 64]);
  out[t] = tile[t];
}
constexpr int kByValueLine = __LINE__ - 4;  // and the next one

TEST_F(Memory, SeesKernelsAndStructsThatGoAnotherWay) {
  Managed<float> out(32);
  inlined_kernel<<<1, 32>>>(out.get());
  EXPECT_EQ(expect_finding(simt::FindingKind::kOutOfBounds).line, kInlinedLine);
  only_writes_kernel<<<1, 32>>>(0);
  EXPECT_TRUE(simt::take_findings().empty());
  only_writes_kernel<<<1, 32>>>(1);
  expect_fault(cudaErrorIllegalAddress, simt::FindingKind::kOutOfBounds);
  Managed<Item> items(64);
  by_value_kernel<<<1, 64>>>(items.get());
  const std::vector<simt::Finding> findings = simt::take_findings();
  ASSERT_FALSE(findings.empty());
  for (const simt::Finding& finding : findings) {
    EXPECT_TRUE(finding.line == kByValueLine || finding.line == kByValueLine + 1) << finding.line;
  }
}

#if __GNUC__ >= 12
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
__global__ void sum_up_from_anything(const int* in, int* out) {
  int sum;
  for (int i = 0; i < 4; ++i) sum += in[4 * threadIdx.x + i];
  int counts[4];
  for (int i = 0; i < 4; ++i) ++counts[(threadIdx.x + i) % 4];
  out[2 * threadIdx.x] = sum;
  out[2 * threadIdx.x + 1] = counts[0];
}

TEST_F(Memory, FillsLocalVariablesSoThatASumWithoutAStartIsWrong) {
  Managed<int> in(128, 1), out(64);
  sum_up_from_anything<<<1, 32>>>(in.get(), out.get());
  for (int i = 0; i < 32; ++i) {
    EXPECT_NE(out[2 * i], 4);
    EXPECT_NE(out[2 * i + 1], 1);
  }
}
#endif

}  // namespace
}  // namespace simt_test::memory_test
