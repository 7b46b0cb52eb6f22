// SPDX-License-Identifier: MIT
// Kernels whose threads wait for each other through memory.
#include <numeric>

#include "device_test.h"

namespace simt_test::spin_test {
namespace {

class Spin : public DeviceTest {};

constexpr int kTileItems = 32;

// Inclusive scan by decoupled look-back (Merrill and Garland 2016), in its simplest form: each tile
// publishes its inclusive prefix and waits for its predecessor's. `reversed`: the first blocks to
// run take the last tiles, so every block waits at first.
__global__ void look_back_scan(const int* d_in, int* d_out, volatile int* prefixes,
                               volatile int* flags, unsigned* ticket, bool reversed) {
  __shared__ int tile;
  __shared__ int items[kTileItems];
  __shared__ int previous;
  if (threadIdx.x == 0) {
    const int drawn = static_cast<int>(atomicAdd(ticket, 1));
    tile = reversed ? static_cast<int>(gridDim.x) - 1 - drawn : drawn;
  }
  __syncthreads();
  const int first = tile * kTileItems;
  items[threadIdx.x] = d_in[first + threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int i = 1; i < kTileItems; ++i) items[i] += items[i - 1];
    previous = 0;
    if (tile > 0) {
      while (flags[tile - 1] == 0) {
      }
      __threadfence();
      previous = prefixes[tile - 1];
    }
    prefixes[tile] = previous + items[kTileItems - 1];
    __threadfence();
    flags[tile] = 1;
  }
  __syncthreads();
  d_out[first + threadIdx.x] = previous + items[threadIdx.x];
}

void expect_look_back(int num_tiles, bool reversed) {
  const int num_items = num_tiles * kTileItems;
  Managed<int> in(num_items), out(num_items), prefixes(num_tiles), flags(num_tiles);
  Managed<unsigned> ticket(1);
  for (int i = 0; i < num_items; ++i) in[i] = i * 7 % 13 - 5;
  look_back_scan<<<num_tiles, kTileItems>>>(in.get(), out.get(), prefixes.get(), flags.get(),
                                            ticket.get(), reversed);
  std::vector<int> expected(num_items);
  std::partial_sum(in.get(), in.get() + num_items, expected.begin());
  EXPECT_EQ(out.values(), expected);
}

TEST_F(Spin, LooksBackOver512BlocksInOrder) { expect_look_back(512, false); }
TEST_F(Spin, LooksBackOver512BlocksInReversedOrder) { expect_look_back(512, true); }

TEST_F(Spin, LooksBackInOtherSchedules) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    simt::set_schedule(seed);
    expect_look_back(100, false);
  }
}

__global__ void count_under_lock(int* lock, int* count) {
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  __threadfence();
  const int seen = *static_cast<volatile int*>(count);
  __nanosleep(100);  // others run while this thread holds the lock
  *static_cast<volatile int*>(count) = seen + 1;
  __threadfence();
  atomicExch(lock, 0);
}

TEST_F(Spin, LocksBetweenLanesWarpsAndBlocks) {
  Managed<int> lock(1), count(1);
  count_under_lock<<<3, 70>>>(lock.get(), count.get());
  EXPECT_EQ(count[0], 210);
}

// A barrier of the whole grid, built from an atomic counter: older than cooperative launches.
__global__ void meet_by_counter(unsigned* arrived, int* data) {
  if (threadIdx.x == 0) data[blockIdx.x] = static_cast<int>(blockIdx.x);
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    atomicAdd(arrived, 1);
    while (atomicAdd(arrived, 0) < gridDim.x) {
    }
  }
  __syncthreads();
  int sum = 0;
  if (threadIdx.x == 1) {
    for (unsigned block = 0; block < gridDim.x; ++block) sum += data[block];
    data[gridDim.x + blockIdx.x] = sum;
  }
}

TEST_F(Spin, MeetsAtAnAtomicCounter) {
  Managed<unsigned> arrived(1);
  Managed<int> data(200);
  meet_by_counter<<<100, 64>>>(arrived.get(), data.get());
  for (int block = 0; block < 100; ++block) EXPECT_EQ(data[100 + block], 4950);
}

__global__ void wait_by_cache_hint(int* flags) {
  if (threadIdx.x + 1 < blockDim.x) {
    while (__ldcg(&flags[threadIdx.x + 1]) == 0) {
    }
  }
  __stcg(&flags[threadIdx.x], 1);
}

__global__ void wait_by_warp_vote(volatile int* flags) {
  if (threadIdx.x < 32) {
    while (!__all_sync(0xffffffffu, flags[threadIdx.x])) {
    }
    flags[32] = 1;
  } else {
    flags[threadIdx.x - 32] = 1;
  }
}

__global__ void wait_by_block_vote(volatile int* flags) {
  if (blockIdx.x == 0) {
    while (!__syncthreads_and(flags[threadIdx.x])) {
    }
    flags[64] = 1;
  } else {
    flags[threadIdx.x] = 1;
  }
}

TEST_F(Spin, WaitsInEveryManner) {
  Managed<int> flags(128);
  wait_by_cache_hint<<<1, 128>>>(flags.get());
  cudaDeviceSynchronize();
  EXPECT_EQ(std::count(flags.get(), flags.get() + 128, 1), 128);
  std::fill_n(flags.get(), 128, 0);
  wait_by_warp_vote<<<1, 64>>>(flags.get());
  EXPECT_EQ(flags[32], 1);
  std::fill_n(flags.get(), 128, 0);
  wait_by_block_vote<<<2, 64>>>(flags.get());
  EXPECT_EQ(flags[64], 1);
}

__global__ void wait_for_time(long long* elapsed) {
  const long long start = clock64();
  while (clock64() - start < 100'000'000) {
  }
  elapsed[threadIdx.x] = clock64() - start;
}

TEST_F(Spin, LetsTimePassForThreadsThatReadTheClock) {
  Managed<long long> elapsed(64);
  wait_for_time<<<1, 64>>>(elapsed.get());
  EXPECT_GE(elapsed[0], 100'000'000);
  EXPECT_LT(elapsed[0], 200'000'000);
}

__global__ void read_clock(long long* ticks) {
  const long long start = clock64();
  volatile int sum = 0;
  for (int i = 0; i < 1000; ++i) sum = sum + i;
  ticks[threadIdx.x] = clock64() - start;
}

TEST_F(Spin, MeasuresTheSameTimeEachRun) {
  Managed<long long> first(64), second(64);
  read_clock<<<1, 64>>>(first.get());
  read_clock<<<1, 64>>>(second.get());
  EXPECT_EQ(first.values(), second.values());
  EXPECT_GE(first[0], 1000);
}

// The first block waits for the second, which runs later here.
__global__ void wait_plainly(int* flag, int* out) {
  if (blockIdx.x == 0) {
    while (*flag == 0) {
    }
    *out = 1;
  } else {
    atomicExch(flag, 1);
  }
}

constexpr int kWaitLine = __LINE__ - 8;

__global__ void wait_by_volatile(int* flag, int* out) {
  if (blockIdx.x == 0) {
    while (*static_cast<volatile int*>(flag) == 0) {
    }
    *out = 1;
  } else {
    atomicExch(flag, 1);
  }
}

TEST_F(Spin, FindsAPlainLoadThatWaitsForAnAtomicStore) {
  simt::set_step_limit(100'000);
  Managed<int> flag(1), out(1);
  wait_plainly<<<2, 1>>>(flag.get(), out.get());
  EXPECT_EQ(out[0], 1);
  const simt::Finding finding = expect_finding(simt::FindingKind::kRace);
  EXPECT_EQ(finding.line, kWaitLine);
  EXPECT_NE(finding.message.find("may make once, before the loop"), std::string::npos)
      << finding.message;
  flag[0] = 0;
  wait_by_volatile<<<2, 1>>>(flag.get(), out.get());
  EXPECT_EQ(out[0], 1);
}

__global__ void wait_plainly_in_shared_memory(int* out) {
  extern __shared__ int flag[];
  if (threadIdx.x == 0) *flag = 0;
  __syncthreads();
  if (threadIdx.x == 0) {
    while (*flag == 0) {
    }
    *out = 1;
  } else if (threadIdx.x == 32) {
    atomicExch(flag, 1);
  }
}

// Each of the two words is read in the loop's only basic block.
__global__ void wait_plainly_for_one_of_two(int* flags, int which, int* out) {
  if (blockIdx.x == 0) {
    while ((flags[0] | flags[1]) == 0) {
    }
    *out = 1;
  } else {
    atomicExch(&flags[which], 1);
  }
}

TEST_F(Spin, FindsEachWordThatALoopWaitsFor) {
  simt::set_step_limit(100'000);
  for (const int which : {0, 1}) {
    Managed<int> flags(2), out(1);
    wait_plainly_for_one_of_two<<<2, 1>>>(flags.get(), which, out.get());
    EXPECT_EQ(out[0], 1);
    expect_finding(simt::FindingKind::kRace);
  }
}

TEST_F(Spin, FindsItInSharedMemory) {
  simt::set_step_limit(100'000);
  Managed<int> out(1);
  wait_plainly_in_shared_memory<<<1, 64, sizeof(int)>>>(out.get());
  EXPECT_EQ(out[0], 1);
  expect_finding(simt::FindingKind::kRace);
}

// The loop reads gridDim after the counter.
__global__ void meet_plainly(unsigned* arrived) {
  atomicAdd(arrived, 1);
  while (*arrived < gridDim.x) {
  }
}

TEST_F(Spin, FindsAPlainLoadInABarrierOfTheGrid) {
  simt::set_step_limit(100'000);
  Managed<unsigned> arrived(1);
  meet_plainly<<<3, 1>>>(arrived.get());
  EXPECT_EQ(arrived[0], 3u);
  expect_finding(simt::FindingKind::kRace);
}

// Each update begins with a plain load; the atomic operation finds out whether it was too old.
__global__ void update_optimistically(int* sum, int num_updates) {
  for (int i = 0; i < num_updates; ++i) {
    int old = *sum;
    for (int seen = 0; (seen = atomicCAS(sum, old, old + 1)) != old;) old = seen;
  }
}

TEST_F(Spin, DoesNotMistakeAnOptimisticLoadForWaiting) {
  simt::set_step_limit(1'000);
  Managed<int> sum(1);
  update_optimistically<<<4, 32>>>(sum.get(), 100);
  EXPECT_EQ(sum[0], 4 * 32 * 100);
}

// A long computation without any store is slow, but no deadlock.
__global__ void read_much(const int* in, int num_rounds, long long* out) {
  long long sum = 0;
  for (int round = 0; round < num_rounds; ++round) {
    for (int i = 0; i < 1000; ++i) sum += in[i] ^ round;
  }
  *out = sum;
}

TEST_F(Spin, DoesNotMistakeReadingForWaiting) {
  simt::set_step_limit(100'000);
  Managed<int> in(1000, 1);
  Managed<long long> out(1);
  read_much<<<1, 1>>>(in.get(), 1000, out.get());  // ten times the limit
  EXPECT_GT(out[0], 0);
}

// The same without any memory access.
__global__ void compute_much(int num_rounds, unsigned* out) {
  unsigned x = threadIdx.x;
  for (int round = 0; round < num_rounds; ++round) x = x * 1664525u + 1013904223u;
  out[threadIdx.x] = x;
}

TEST_F(Spin, DoesNotMistakeComputingForAnEndlessLoop) {
  Managed<unsigned> out(2);
  compute_much<<<1, 2>>>(50'000'000, out.get());
  EXPECT_NE(out[0], out[1]);
}

}  // namespace
}  // namespace simt_test::spin_test
