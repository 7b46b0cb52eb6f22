// SPDX-License-Identifier: MIT
// Counters of threads that wait for each other: polls, publications, barriers and warp operations.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include <cuda/barrier>
#include <utility>

#include "device_counting.h"

namespace simt_test::wait_counters_test {
namespace {

class WaitCounters : public CountingTest {};

// ---- polling

__global__ void look_back_by_lanes(const volatile int* words, int num_words, int* out) {
  int sum = 0;
  for (int first = 0; first < num_words; first += 32) {
    if (first + threadIdx.x < num_words) sum += words[first + threadIdx.x];
  }
  out[threadIdx.x] = sum;
}

__global__ void look_back_by_thread(const volatile int* words, int num_words, int* out) {
  int sum = 0;
  for (int i = 0; threadIdx.x == 0 && i < num_words; ++i) sum += words[i];
  out[threadIdx.x] = sum;
}

__global__ void poll_one_word(const volatile int* words, int num_polls, int* out) {
  int sum = 0;
  for (int i = 0; i < num_polls; ++i) sum += words[0];
  out[threadIdx.x] = sum;
}

__global__ void read_plainly(const int* words, int num_words, int* out) {
  int sum = 0;
  for (int i = 0; i < num_words; ++i) sum += words[i];
  out[threadIdx.x] = sum;
}

__global__ void load_past_the_cache(const int* words, int num_words, int* out) {
  int sum = 0;
  for (int i = 0; i < num_words; ++i) sum += __ldcg(words + i);
  out[threadIdx.x] = sum;
}

TEST_F(WaitCounters, PollsOfOtherWordsCountOnceEach) {
  Managed<int> words(64, 1), out(32);
  const auto polls = [&](auto kernel, int count) {
    const KernelCounters counters =
        counted([&] { kernel<<<4, 32>>>(words.get(), count, out.get()); });
    return counters.counters[Counter::kPollsMaxPerWarp];
  };
  EXPECT_EQ(polls(look_back_by_lanes, 20), 1u);
  EXPECT_EQ(polls(look_back_by_lanes, 64), 2u);
  EXPECT_EQ(polls(look_back_by_thread, 20), 20u);
  EXPECT_EQ(polls(poll_one_word, 20), 1u);
  EXPECT_EQ(polls(read_plainly, 20), 0u);
  EXPECT_EQ(polls(load_past_the_cache, 20), 20u);
}

// Each block waits for numbers of all blocks before, or for the sum of the one before. Thread 0
// reads them, and thread 40, which learns of it at the barrier, publishes the block's sum.
__global__ void publish_sums(volatile int* words, bool has_numbers) {
  const int block = static_cast<int>(blockIdx.x);
  if (threadIdx.x == 0) {
    if (has_numbers) words[block] = 1;
    for (int before = block - 1; before >= 0; --before) {
      while (words[before] == 0) {
      }
      if (!has_numbers) break;
    }
  }
  __syncthreads();
  if (threadIdx.x == 40) words[(has_numbers ? gridDim.x : 0) + block] = 2;
}

__global__ void publish_by_exchange(int* words) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x > 0) {
    while (atomicAdd(&words[blockIdx.x - 1], 0) == 0) {
    }
  }
  atomicExch(&words[blockIdx.x], 1);
}

// Each block sleeps until the one before has published, so that it finds the word at its first
// look.
__global__ void sleep_first(volatile int* words) {
  for (unsigned i = 0; i < 1000 * blockIdx.x; ++i) __nanosleep(100);
  words[blockIdx.x] = blockIdx.x == 0 || words[blockIdx.x - 1] != 0;
}

// The same with atomic operations that change the word which they read.
__global__ void take_by_atomics(int* words) {
  if (blockIdx.x > 0) {
    while (atomicExch(&words[blockIdx.x - 1], 0) == 0) {
    }
  }
  atomicAdd(&words[blockIdx.x], 1);
}

__global__ void publish_past_the_cache(int* words) {
  if (blockIdx.x > 0) {
    while (__ldcg(&words[blockIdx.x - 1]) == 0) {
    }
  }
  __stcg(&words[blockIdx.x], 1);
}

// Blocks that publish a number and then a sum, for several tickets.
__global__ void draw_tickets(int* ticket, volatile int* words) {
  for (;;) {
    const int tile = atomicAdd(ticket, 1);
    if (tile >= 16) return;
    words[tile] = 1;
    for (int before = tile - 1; before >= 0; --before) {
      int word;
      while ((word = words[before]) == 0) {
      }
      if (word == 2) break;
    }
    words[tile] = 2;
  }
}

TEST_F(WaitCounters, AChainOfPublicationsHasThoseThatFollowEachOther) {
  Managed<int> words(16);
  const auto chain = [&](auto launch) {
    std::fill_n(words.get(), 16, 0);
    return counted(launch).counters[Counter::kPublicationsMaxChain];
  };
  const auto sums = [&](bool has_numbers) {
    return chain([&] { publish_sums<<<8, 64>>>(words.get(), has_numbers); });
  };
  EXPECT_EQ(sums(false), 1u);  // one block after the other: each starts after the one before
  simt::set_schedule(simt::kHoldPublications);
  EXPECT_EQ(sums(true), 2u);  // a number, then a sum
  EXPECT_EQ(sums(false), 8u);
  EXPECT_EQ(chain([&] { publish_by_exchange<<<8, 32>>>(words.get()); }), 8u);
  EXPECT_EQ(chain([&] { sleep_first<<<8, 1>>>(words.get()); }), 8u);
  EXPECT_EQ(chain([&] { take_by_atomics<<<8, 1>>>(words.get()); }), 8u);
  EXPECT_EQ(chain([&] { publish_past_the_cache<<<8, 1>>>(words.get()); }), 8u);
  EXPECT_EQ(sums(true), 2u);  // a launch forgets those before
  Managed<int> ticket(1);
  EXPECT_EQ(chain([&] { draw_tickets<<<16, 1>>>(ticket.get(), words.get()); }), 3u);
  ticket[0] = 0;
  EXPECT_EQ(chain([&] { draw_tickets<<<8, 1>>>(ticket.get(), words.get()); }), 4u);
}

// ---- groups

namespace cg = cooperative_groups;

__global__ void meet(int num_rounds) {
  for (int round = 0; round < num_rounds; ++round) {
    cg::this_grid().sync();
  }
}
constexpr int kMeetLine = __LINE__ - 3;

TEST_F(WaitCounters, GridBarriersCountOnceABlock) {
  const KernelCounters kernel = counted([] {
    int num_rounds = 5;
    void* args[] = {&num_rounds};
    cudaLaunchCooperativeKernel(meet, dim3(3), dim3(100), args, 0, nullptr);
  });
  EXPECT_EQ(kernel.counters[Counter::kBarriers], 3u * 5);
  EXPECT_EQ(line_of(kernel, kMeetLine).counters[Counter::kBarriers], 3u * 5);
}

// Mirrors the 128 items of each block, in each round.
template <class Meet>
__device__ void mirror_rounds(int* data, int num_rounds, Meet meet) {
  __shared__ int tile[128];
  int* const own = data + 128 * blockIdx.x;
  for (int round = 0; round < num_rounds; ++round) {
    tile[threadIdx.x] = own[threadIdx.x];
    meet();
    own[threadIdx.x] = tile[127 - threadIdx.x];
    meet();
  }
}

__global__ void mirror_by_syncthreads(int* data, int num_rounds) {
  __syncthreads();
  mirror_rounds(data, num_rounds, [] { __syncthreads(); });
}

enum class Way { kAtOnce, kApart, kByTrying };

__global__ void mirror_by_object(int* data, int num_rounds, Way way) {
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  if (threadIdx.x == 0) init(&barrier, blockDim.x);
  __syncthreads();
  mirror_rounds(data, num_rounds, [&] {
    if (way == Way::kAtOnce) return barrier.arrive_and_wait();
    auto token = barrier.arrive();
    if (way == Way::kApart) return barrier.wait(std::move(token));
    while (!barrier.try_wait(token)) {
    }
  });
}

TEST_F(WaitCounters, ABarrierObjectOfTheBlockCountsAsABarrier) {
  constexpr std::uint64_t kBlocks = 2, kWarps = 4, kRounds = 10;
  Managed<int> data(kBlocks * 128, 1);
  const KernelCounters plain =
      counted([&] { mirror_by_syncthreads<<<kBlocks, 128>>>(data.get(), kRounds); });
  EXPECT_EQ(plain.counters[Counter::kBarriersMaxPerBlock], 1 + 2 * kRounds);
  const auto object = [&](Way way) {
    return counted([&] { mirror_by_object<<<kBlocks, 128>>>(data.get(), kRounds, way); });
  };
  EXPECT_EQ(plain.counters[Counter::kGlobalReadRequests], kBlocks * kWarps * kRounds);
  for (const Way way : {Way::kAtOnce, Way::kApart, Way::kByTrying}) {
    const KernelCounters other = object(way);
    for (const Counter counter :
         {Counter::kBarriers, Counter::kBarriersMaxPerBlock, Counter::kGlobalReadRequests,
          Counter::kGlobalWriteRequests, Counter::kSharedAtomicRequests}) {
      EXPECT_EQ(other.counters[counter], plain.counters[counter]) << int(way);
    }
    // One thread calls init, which writes three words.
    EXPECT_LE(other.counters[Counter::kBusiestWarpsPasses],
              plain.counters[Counter::kBusiestWarpsPasses] + 4);
    const std::uint64_t arrivals = way == Way::kAtOnce ? 0 : kBlocks * 128 * 2 * kRounds;
    EXPECT_EQ(other.counters[Counter::kSharedAtomicLanes], arrivals);
  }
}

// A barrier of a warp is none of the block.
__global__ void meet_by_warps(int num_rounds) {
  __shared__ cuda::barrier<cuda::thread_scope_block> barriers[4];
  cuda::barrier<cuda::thread_scope_block>& own = barriers[threadIdx.x / 32];
  if (threadIdx.x % 32 == 0) init(&own, 32);
  __syncthreads();
  for (int round = 0; round < num_rounds; ++round) own.arrive_and_wait();
}

TEST_F(WaitCounters, ABarrierObjectOfAWarpDoesNot) {
  const auto counters = counted([] { meet_by_warps<<<1, 128>>>(10); }).counters;
  EXPECT_EQ(counters[Counter::kBarriers], 1u);
  EXPECT_EQ(counters[Counter::kSharedAtomicLanes], 128u * 10);
}

template <unsigned kSize>
__global__ void reduce_tiles(float* data) {
  const auto tile = cg::tiled_partition<kSize>(cg::this_thread_block());
  data[threadIdx.x] = cg::reduce(tile, data[threadIdx.x], cg::plus<float>());
}

__global__ void reduce_first(int num_lanes, float* data) {
  if (threadIdx.x >= num_lanes) return;
  const auto group = cg::coalesced_threads();
  data[threadIdx.x] = cg::reduce(group, data[threadIdx.x], cg::plus<float>());
}

// The warp operations of one warp; the sums must be those of the first lanes.
template <class Launch>
std::uint64_t operations_of_sum(int num_lanes, Launch launch) {
  Managed<float> data(32);
  float sum = 0;
  for (int i = 0; i < 32; ++i) data[i] = static_cast<float>(i * i % 37);
  for (int i = 0; i < num_lanes; ++i) sum += data[i];
  simt::take_counters();
  simt::set_counting(true);
  launch(data.get());
  simt::set_counting(false);
  for (int i = 0; i < num_lanes; ++i) EXPECT_EQ(data[i], sum) << i << " of " << num_lanes;
  return simt::take_counters().at(0).counters[Counter::kWarpOperations];
}

TEST_F(WaitCounters, ReductionsTakeOneShuffleALevel) {
  EXPECT_EQ(operations_of_sum(32, [](float* data) { reduce_tiles<32><<<1, 32>>>(data); }), 5u);
  EXPECT_EQ(operations_of_sum(16, [](float* data) { reduce_tiles<16><<<1, 32>>>(data); }), 4u);
  EXPECT_EQ(operations_of_sum(4, [](float* data) { reduce_tiles<4><<<1, 32>>>(data); }), 2u);
  EXPECT_EQ(operations_of_sum(1, [](float* data) { reduce_tiles<1><<<1, 32>>>(data); }), 0u);
  const auto first = [](int num_lanes) {
    return operations_of_sum(num_lanes,
                             [&](float* data) { reduce_first<<<1, 32>>>(num_lanes, data); });
  };
  // In groups of other sizes than powers of two the first thread shares the result.
  EXPECT_EQ(first(8), 3u);
  EXPECT_EQ(first(5), 3u + 1);
  EXPECT_EQ(first(31), 5u + 1);
}

}  // namespace
}  // namespace simt_test::wait_counters_test
