// SPDX-License-Identifier: MIT
#include <numeric>
#include <set>

#include "device_test.h"
#include "run/schedule.h"

namespace simt_test::schedule_test {
namespace {

class Schedule : public DeviceTest {};

__global__ void draw_numbers(unsigned* next, unsigned* numbers) {
  numbers[blockIdx.x * blockDim.x + threadIdx.x] = atomicAdd(next, 1);
}

// The order in which 5 blocks of 100 threads run.
std::vector<unsigned> order(std::uint64_t seed) {
  simt::set_schedule(seed);
  Managed<unsigned> next(1), numbers(500);
  draw_numbers<<<5, 100>>>(next.get(), numbers.get());
  return numbers.values();
}

TEST_F(Schedule, IsNaturalWithoutASeed) {
  std::vector<unsigned> expected(500);
  std::iota(expected.begin(), expected.end(), 0u);
  EXPECT_EQ(order(0), expected);
}

TEST_F(Schedule, RepeatsForASeedAndDiffersBetweenSeeds) {
  std::set<std::vector<unsigned>> orders = {order(0)};
  for (const std::uint64_t seed : {1, 2, 3, 99}) {
    const std::vector<unsigned> first = order(seed);
    EXPECT_EQ(order(seed), first);
    EXPECT_TRUE(orders.insert(first).second) << seed;
    EXPECT_EQ(std::set<unsigned>(first.begin(), first.end()).size(), 500u);
  }
}

TEST_F(Schedule, PermutesLanesWarpsAndBlocks) {
  const std::vector<unsigned> numbers = order(7);
  bool lanes = false, warps = false, blocks = false;
  for (int i = 0; i + 1 < 500; ++i) lanes |= i % 100 % 32 != 31 && numbers[i] > numbers[i + 1];
  for (int i = 0; i + 64 < 500; ++i) warps |= i % 100 < 36 && numbers[i] > numbers[i + 64];
  for (int i = 0; i + 100 < 500; ++i) blocks |= numbers[i] > numbers[i + 100];
  EXPECT_TRUE(lanes && blocks);
  EXPECT_TRUE(warps);
}

__global__ void neighbour_without_barrier(int* out) {
  __shared__ int items[64];
  items[threadIdx.x] = threadIdx.x;
  out[threadIdx.x] = threadIdx.x == 0 ? 0 : items[threadIdx.x - 1];
}

TEST_F(Schedule, ShowsAMissingBarrierThatTheNaturalOrderHides) {
  Managed<int> out(64);
  const auto result = [&](std::uint64_t seed) {
    simt::set_schedule(seed);
    neighbour_without_barrier<<<1, 64>>>(out.get());
    return out.values();
  };
  EXPECT_EQ(result(0)[63], 62);
  EXPECT_NE(result(5), result(0));
  for (const simt::Finding& finding : simt::take_findings()) {
    EXPECT_TRUE(finding.kind == simt::FindingKind::kRace ||
                finding.kind == simt::FindingKind::kUninitializedRead)
        << simt::finding_kind_name(finding.kind);
  }
}

// Notes how many blocks have ended when a block is between its two barriers.
__global__ void meet_others(unsigned* ended, unsigned* seen) {
  __syncthreads();
  if (threadIdx.x == 0) seen[blockIdx.x] = atomicAdd(ended, 0);
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(ended, 1);
}

TEST_F(Schedule, LetsBlocksMeetHalfDone) {
  constexpr unsigned kNumBlocks = 40;
  const auto seen_by = [&](std::uint64_t seed) {
    simt::set_schedule(seed);
    Managed<unsigned> ended(1), seen(kNumBlocks);
    meet_others<<<kNumBlocks, 64>>>(ended.get(), seen.get());
    EXPECT_EQ(ended.values()[0], kNumBlocks);
    return seen.values();
  };
  std::vector<unsigned> one_by_one(kNumBlocks);
  std::iota(one_by_one.begin(), one_by_one.end(), 0u);
  EXPECT_EQ(seen_by(0), one_by_one);
  for (const std::uint64_t seed : {1, 2, 3}) {
    const std::vector<unsigned> seen = seen_by(seed);
    EXPECT_EQ(seen_by(seed), seen);
    // One after another, in any order, they would see as many numbers as there are blocks.
    EXPECT_LT(std::set<unsigned>(seen.begin(), seen.end()).size(), kNumBlocks) << seed;
  }
  // All that are under way when the first block reads have had their turn ended at a barrier.
  const std::vector<unsigned> all_meet = seen_by(simt::kTurnAtEveryBarrier);
  EXPECT_GE(std::count(all_meet.begin(), all_meet.end(), 0u), 5);
}

// Look-back over the blocks before, whose flags the caller may have left set.
__global__ void wait_for_predecessor(volatile int* flags, int* ticket, int* seen, bool is_late) {
  __shared__ int shared_ticket;
  if (is_late) __syncthreads();
  if (threadIdx.x == 0) shared_ticket = atomicAdd(ticket, 1);
  __syncthreads();
  const int block = shared_ticket;
  if (threadIdx.x != 0) return;
  if (block > 0) {
    while (flags[block - 1] == 0) {
    }
    seen[block] = flags[block - 1];
  }
  __threadfence();
  flags[block] = 2;
}

TEST_F(Schedule, LetsSuccessorsRunAheadOfWhomTheyWaitFor) {
  constexpr int kNumBlocks = 3;
  const auto seen_by = [&](std::uint64_t seed, int left_over, bool is_late) {
    simt::set_schedule(seed);
    Managed<int> flags(kNumBlocks), ticket(1), seen(kNumBlocks);
    for (int i = 0; i < kNumBlocks; ++i) flags.get()[i] = left_over;
    wait_for_predecessor<<<kNumBlocks, 64>>>(flags.get(), ticket.get(), seen.get(), is_late);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    return seen.values()[kNumBlocks - 1];
  };
  constexpr std::uint64_t kAny = 0x5150;
  for (std::uint64_t seed = kAny | simt::kSuccessorsFirst; seed < kAny + 0x1000; seed += 0x100) {
    EXPECT_EQ(seen_by(seed, 0, false), 2);
    EXPECT_EQ(seen_by(seed, 1, false), 1) << "its predecessor had not written yet";
    EXPECT_EQ(seen_by(seed | simt::kTurnAtEveryBarrier, 0, true), 2);
    EXPECT_EQ(seen_by(seed | simt::kTurnAtEveryBarrier, 1, true), 1);
  }
}

__device__ void publish(volatile int* word, int state, bool by_exchange) {
  if (by_exchange) {
    atomicExch(const_cast<int*>(word), state);
  } else {
    *word = state;
  }
}

// A block publishes 1, looks back until it reads 2, publishes 2 and keeps how far it looked.
__global__ void look_back(volatile int* words, int* distance, bool by_exchange) {
  const int block = blockIdx.x;
  publish(&words[block], block == 0 ? 2 : 1, by_exchange);
  int predecessor = block - 1;
  while (predecessor >= 0 && words[predecessor] != 2) {
    if (words[predecessor] == 1) --predecessor;
  }
  distance[block] = block - predecessor;
  publish(&words[block], 2, by_exchange);
}

TEST_F(Schedule, HoldsPublicationsSoThatEveryLookBackIsLong) {
  constexpr int kNumBlocks = 12;
  const auto furthest = [&](std::uint64_t seed, bool by_exchange) {
    simt::set_schedule(seed);
    Managed<int> words(kNumBlocks), distance(kNumBlocks);
    for (int i = 0; i < kNumBlocks; ++i) words.get()[i] = 0;
    look_back<<<kNumBlocks, 1>>>(words.get(), distance.get(), by_exchange);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    return distance.values()[kNumBlocks - 1];
  };
  for (const bool by_exchange : {false, true}) {
    EXPECT_EQ(furthest(0, by_exchange), 1);
    EXPECT_EQ(furthest(simt::kHoldPublications, by_exchange), kNumBlocks - 1);
  }
}

TEST(Permutation, CanRunBackwards) {
  for (const std::uint64_t size : {1, 2, 3, 100}) {
    const auto backwards = simt::device::Permutation::reversed(size);
    for (std::uint64_t i = 0; i < size; ++i) EXPECT_EQ(backwards(i), size - 1 - i);
  }
}

TEST(Permutation, VisitsEveryNumberOnce) {
  for (const std::uint64_t size : {1, 2, 3, 6, 32, 97, 1000}) {
    for (const std::uint64_t seed : {0, 1, 2, 3, 4}) {
      const simt::device::Permutation permutation(size, seed);
      std::set<std::uint64_t> seen;
      for (std::uint64_t i = 0; i < size; ++i) seen.insert(permutation(i));
      ASSERT_EQ(seen.size(), size);
      ASSERT_LT(*seen.rbegin(), size);
      if (seed == 0) {
        EXPECT_TRUE(permutation.is_identity());
      }
    }
  }
}

__global__ void wait_for_the_block_before(unsigned* done) {
  if (threadIdx.x != 0) return;
  while (blockIdx.x > 0 && atomicAdd(&done[blockIdx.x - 1], 0) == 0) {
  }
  atomicExch(&done[blockIdx.x], 1);
}

TEST_F(Schedule, ABusyDeviceHasRoomForFewBlocksUnlessTheLaunchIsCooperative) {
  simt::set_step_limit(100'000);  // the default, 20 million, takes seconds
  Managed<unsigned> done(20);
  unsigned* d_done = done.get();
  void* arguments[] = {&d_done};
  for (const std::uint64_t busy : {std::uint64_t{0}, simt::kBusyDevice}) {
    simt::set_schedule(simt::kSuccessorsFirst | busy | 1);
    cudaMemset(d_done, 0, 20 * sizeof(unsigned));
    EXPECT_EQ(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(wait_for_the_block_before), 20,
                                          1024, arguments, 0, nullptr),
              cudaSuccess);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    cudaMemset(d_done, 0, 20 * sizeof(unsigned));
    wait_for_the_block_before<<<20, 1024>>>(d_done);
    if (busy == 0) EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  }
  const simt::Finding finding = expect_fault(cudaErrorLaunchTimeout, simt::FindingKind::kDeadlock);
  EXPECT_TRUE(contains(finding.message,
                       "18 blocks have not started, because the device holds 2 "
                       "at a time next to other programs"));
}

}  // namespace
}  // namespace simt_test::schedule_test
