// SPDX-License-Identifier: MIT
#include <bit>
#include <cstdint>

#include "device_test.h"

namespace simt_test::warp_test {
namespace {

class Warp : public DeviceTest {};

constexpr unsigned kFullWarp = 0xffffffffu;

enum class Form { kIndex, kUp, kDown, kXor };

template <class T>
__global__ void shuffle_kernel(Form form, T scale, int distance, int width, T* out) {
  const T value = static_cast<T>(threadIdx.x % 32 + 1) * scale;
  T result{};
  switch (form) {
    case Form::kIndex:
      result = __shfl_sync(kFullWarp, value, distance, width);
      break;
    case Form::kUp:
      result = __shfl_up_sync(kFullWarp, value, distance, width);
      break;
    case Form::kDown:
      result = __shfl_down_sync(kFullWarp, value, distance, width);
      break;
    case Form::kXor:
      result = __shfl_xor_sync(kFullWarp, value, distance, width);
      break;
  }
  out[threadIdx.x] = result;
}

// The source lane, according to CUDA's documentation.
int source_lane(Form form, int lane, int distance, int width) {
  const int first = lane / width * width;
  int source = lane;
  switch (form) {
    case Form::kIndex:
      return first + distance % width;
    case Form::kUp:
      source = lane - distance;
      return source < first ? lane : source;
    case Form::kDown:
      source = lane + distance;
      return source >= first + width ? lane : source;
    case Form::kXor:
      source = lane ^ distance;
      return source >= first + width ? lane : source;
  }
  return source;
}

template <class T>
void expect_shuffles(T scale) {
  Managed<T> out(64);
  for (const Form form : {Form::kIndex, Form::kUp, Form::kDown, Form::kXor}) {
    for (const int width : {32, 16, 8, 2, 1}) {
      for (const int distance : {0, 1, 3, 7, 16, 31}) {
        shuffle_kernel<T><<<1, 64>>>(form, scale, distance, width, out.get());
        for (int thread = 0; thread < 64; ++thread) {
          const int source = source_lane(form, thread % 32, distance, width);
          ASSERT_EQ(out[thread], static_cast<T>(source + 1) * scale)
              << "form " << int(form) << " width " << width << " distance " << distance
              << " thread " << thread;
        }
      }
    }
  }
}

TEST_F(Warp, ShufflesEveryTypeInEveryForm) {
  expect_shuffles<int>(-7);
  expect_shuffles<unsigned>(3000000019u);
  expect_shuffles<long long>(-10000000000ll);
  expect_shuffles<unsigned long>(10000000000000000000ul);
  expect_shuffles<float>(0.37f);
  expect_shuffles<double>(1e-200);
}

struct Half {  // as the half types: a class of 2 bytes
  std::uint16_t bits;
};

__global__ void shuffle_halves(Half* data) {
  data[threadIdx.x] = __shfl_xor_sync(kFullWarp, data[threadIdx.x], 1);
}

TEST_F(Warp, ShufflesHalfPrecisionClasses) {
  Managed<Half> data(32);
  for (int i = 0; i < 32; ++i) data[i].bits = static_cast<std::uint16_t>(1000 + i);
  shuffle_halves<<<1, 32>>>(data.get());
  for (int i = 0; i < 32; ++i) EXPECT_EQ(data[i].bits, 1000 + (i ^ 1));
}

// Sums of each half of a warp, with the mask of that half only, while the other half does other
// work.
__global__ void reduce_halves(const int* in, int* out) {
  const int lane = threadIdx.x % 32;
  const unsigned mask = lane < 16 ? 0x0000ffffu : 0xffff0000u;
  int sum = in[threadIdx.x];
  if (lane < 16) {
    for (int distance = 8; distance > 0; distance /= 2)
      sum += __shfl_down_sync(mask, sum, distance, 16);
  } else {
    for (int distance = 1; distance < 16; distance *= 2)
      sum += __shfl_xor_sync(mask, sum, distance);
  }
  if (lane % 16 == 0) out[threadIdx.x / 16] = sum;
}

TEST_F(Warp, LetsPartsOfAWarpWorkApart) {
  Managed<int> in(64), out(4);
  for (int i = 0; i < 64; ++i) in[i] = i * i;
  reduce_halves<<<1, 64>>>(in.get(), out.get());
  for (int half = 0; half < 4; ++half) {
    int expected = 0;
    for (int i = 0; i < 16; ++i) expected += (half * 16 + i) * (half * 16 + i);
    EXPECT_EQ(out[half], expected);
  }
}

struct Votes {
  unsigned ballot, any, all, match_any, match_all;
  int match_all_predicate;
};

__global__ void vote_kernel(unsigned mask, const int* in, Votes* out) {
  if (!(mask >> threadIdx.x & 1)) return;
  const int value = in[threadIdx.x];
  Votes votes;
  votes.ballot = __ballot_sync(mask, value > 0);
  votes.any = __any_sync(mask, value > 0);
  votes.all = __all_sync(mask, value > 0);
  votes.match_any = __match_any_sync(mask, value);
  votes.match_all = __match_all_sync(mask, value, &votes.match_all_predicate);
  out[threadIdx.x] = votes;
}

TEST_F(Warp, VotesAndMatchesWithinTheMask) {
  Managed<int> in(32, 5);
  Managed<Votes> out(32);
  const unsigned mask = 0x00ff00f0u;
  in[0] = -1;  // not in the mask
  vote_kernel<<<1, 32>>>(mask, in.get(), out.get());
  EXPECT_EQ(out[4].ballot, mask);
  EXPECT_EQ(out[4].all, 1u);
  EXPECT_EQ(out[23].match_all, mask);
  EXPECT_EQ(out[23].match_all_predicate, 1);
  in[5] = in[20] = 0;
  vote_kernel<<<1, 32>>>(mask, in.get(), out.get());
  const unsigned zeros = 1u << 5 | 1u << 20;
  EXPECT_EQ(out[7].ballot, mask & ~zeros);
  EXPECT_EQ(out[7].any, 1u);
  EXPECT_EQ(out[7].all, 0u);
  EXPECT_EQ(out[5].match_any, zeros);
  EXPECT_EQ(out[6].match_any, mask & ~zeros);
  EXPECT_EQ(out[6].match_all, 0u);
  EXPECT_EQ(out[6].match_all_predicate, 0);
}

struct Reductions {
  unsigned add, min, max, bit_and, bit_or, bit_xor;
  int signed_add, signed_min, signed_max;
};

__global__ void reduce_kernel(unsigned mask, const int* in, Reductions* out) {
  if (!(mask >> threadIdx.x & 1)) return;
  const int value = in[threadIdx.x];
  const auto bits = static_cast<unsigned>(value);
  out[threadIdx.x] = {__reduce_add_sync(mask, bits),  __reduce_min_sync(mask, bits),
                      __reduce_max_sync(mask, bits),  __reduce_and_sync(mask, bits),
                      __reduce_or_sync(mask, bits),   __reduce_xor_sync(mask, bits),
                      __reduce_add_sync(mask, value), __reduce_min_sync(mask, value),
                      __reduce_max_sync(mask, value)};
}

TEST_F(Warp, ReducesWithinTheMask) {
  for (const unsigned mask : {kFullWarp, 0x80000001u, 0x0f0f0f0fu}) {
    Managed<int> in(32);
    Managed<Reductions> out(32);
    Reductions expected{0, ~0u, 0, ~0u, 0, 0, 0, INT32_MAX, INT32_MIN};
    for (int i = 0; i < 32; ++i) {
      in[i] = (i * 2654435761u) ^ 0x5bd1e995u;
      if (!(mask >> i & 1)) continue;
      const auto bits = static_cast<unsigned>(in[i]);
      expected.add += bits;
      expected.min = std::min(expected.min, bits);
      expected.max = std::max(expected.max, bits);
      expected.bit_and &= bits;
      expected.bit_or |= bits;
      expected.bit_xor ^= bits;
      expected.signed_min = std::min(expected.signed_min, in[i]);
      expected.signed_max = std::max(expected.signed_max, in[i]);
    }
    expected.signed_add = static_cast<int>(expected.add);
    reduce_kernel<<<1, 32>>>(mask, in.get(), out.get());
    const Reductions& result = out[31 - std::countl_zero(mask)];
    EXPECT_EQ(std::memcmp(&result, &expected, sizeof expected), 0) << std::hex << mask;
  }
}

__global__ void ballot_after_exit(unsigned* out) {
  if (threadIdx.x % 3 == 0) return;
  out[threadIdx.x] = __ballot_sync(kFullWarp, 1);
}

TEST_F(Warp, DoesNotWaitForExitedOrMissingLanes) {
  Managed<unsigned> out(40);
  ballot_after_exit<<<1, 40>>>(out.get());
  unsigned expected = 0;
  for (int i = 0; i < 32; ++i) expected |= i % 3 != 0 ? 1u << i : 0;
  EXPECT_EQ(out[1], expected);
  EXPECT_EQ(out[32], 0b01101101u) << "of the last 8 threads 33, 36 and 39 have exited";
}

__global__ void active_in_branches(unsigned* out) {
  if (threadIdx.x % 4 == 1) {
    out[threadIdx.x] = __activemask();
  } else if (threadIdx.x % 4 == 2) {
    out[threadIdx.x] = __activemask();
  }
  __syncwarp();
  if (threadIdx.x % 4 == 3) out[threadIdx.x] = __activemask();
}

TEST_F(Warp, TellsWhichLanesRunTogether) {
  Managed<unsigned> out(32);
  active_in_branches<<<1, 32>>>(out.get());
  EXPECT_EQ(out[5], 0x22222222u);
  EXPECT_EQ(out[6], 0x44444444u);
  EXPECT_EQ(out[7], 0x88888888u);
}

// Adds the active lanes' count with one atomic, as compilers and libraries do.
__global__ void aggregate(const int* in, unsigned* count, unsigned* num_atomics) {
  if (in[threadIdx.x] == 0) return;
  const unsigned active = __activemask();
  if (static_cast<int>(threadIdx.x % 32) == __ffs(static_cast<int>(active)) - 1) {
    atomicAdd(count, static_cast<unsigned>(__popc(active)));
    atomicAdd(num_atomics, 1);
  }
}

TEST_F(Warp, AggregatesAtomicsByActiveLanes) {
  Managed<int> in(256);
  for (int i = 0; i < 256; ++i) in[i] = i % 5 < 2;
  Managed<unsigned> count(1), num_atomics(1);
  aggregate<<<1, 256>>>(in.get(), count.get(), num_atomics.get());
  EXPECT_EQ(count[0], static_cast<unsigned>(std::count(in.get(), in.get() + 256, 1)));
  EXPECT_EQ(num_atomics[0], 8u);
}

__global__ void sync_in_branches(int* out) {
  __shared__ volatile int items[32];
  items[threadIdx.x] = threadIdx.x;
  if (threadIdx.x < 16) {
    __syncwarp();  // calls at different places may meet
  } else {
    __syncwarp();
  }
  out[threadIdx.x] = items[31 - threadIdx.x];
}

TEST_F(Warp, SynchronisesLanesInDifferentBranches) {
  Managed<int> out(32);
  sync_in_branches<<<1, 32>>>(out.get());
  for (int i = 0; i < 32; ++i) EXPECT_EQ(out[i], 31 - i);
}

__global__ void lane_outside_mask() { __syncwarp(threadIdx.x < 8 ? 0xffu : 0x1ffu & ~0x100u); }

TEST_F(Warp, ReportsALaneOutsideItsOwnMask) {
  lane_outside_mask<<<1, 9>>>();
  const simt::Finding finding = expect_finding(simt::FindingKind::kBarrierDivergence);
  EXPECT_TRUE(contains(finding.message, "thread 8 of block 0, lane 8 of its warp"));
  EXPECT_TRUE(contains(finding.message, "mask 0x000000ff, which does not include it"));
}

__global__ void shuffle_after_exit(int first_exited, int distance, int* out) {
  if (threadIdx.x >= first_exited) return;
  out[threadIdx.x] = __shfl_down_sync(kFullWarp, static_cast<int>(threadIdx.x), distance);
}
constexpr int kLateShuffleLine = __LINE__ - 2;

TEST_F(Warp, ReportsAShuffleFromALaneThatHasExited) {
  Managed<int> out(8);
  shuffle_after_exit<<<1, 32>>>(8, 4, out.get());
  const simt::Finding finding = expect_finding(simt::FindingKind::kBarrierDivergence);
  EXPECT_EQ(finding.line, kLateShuffleLine);
  EXPECT_TRUE(contains(finding.message, "reads the value of lane 8, which mask 0xffffffff names"))
      << finding.message;
  EXPECT_EQ(out[3], 7) << "lanes that are there are read";
}

TEST_F(Warp, ReportsAShuffleFromALaneThatTheBlockLacks) {
  Managed<int> out(40);
  shuffle_after_exit<<<1, 40>>>(40, 4, out.get());
  EXPECT_TRUE(contains(expect_finding(simt::FindingKind::kBarrierDivergence).message,
                       "lane 4 of its warp"));
}

__global__ void sum_up_after_exit(int num_threads, int* out) {
  if (threadIdx.x >= num_threads) return;
  int sum = 1;
  for (int distance = 1; distance < 32; distance *= 2) {
    const int other = __shfl_up_sync(kFullWarp, sum, distance);
    if (threadIdx.x >= distance) sum += other;
  }
  out[threadIdx.x] = sum;
}

TEST_F(Warp, AllowsAMaskThatNamesExitedLanesWhichNobodyReads) {
  Managed<int> out(20);
  sum_up_after_exit<<<1, 32>>>(20, out.get());
  EXPECT_EQ(out[19], 20);
}

__global__ void different_masks(int* out) {
  const unsigned mask = threadIdx.x < 16 ? kFullWarp : 0xffff8000u;
  out[threadIdx.x] = __shfl_sync(mask, static_cast<int>(threadIdx.x), 0);
}

TEST_F(Warp, ReportsMasksThatDoNotMatch) {
  Managed<int> out(32);
  different_masks<<<1, 32>>>(out.get());
  const simt::Finding finding =
      expect_fault(cudaErrorLaunchTimeout, simt::FindingKind::kBarrierDivergence);
  EXPECT_TRUE(contains(finding.message,
                       "threads 0-15 wait in a warp operation for the lanes of mask 0xffffffff"));
  EXPECT_TRUE(contains(finding.message,
                       "threads 16-31 wait in a warp operation for the lanes of mask 0xffff8000"));
}

__global__ void vote_with_different_masks(unsigned* out) {
  out[threadIdx.x] = __ballot_sync(threadIdx.x % 2 == 0 ? kFullWarp : 0xaaaaaaaau, 1);
}

// The odd lanes agree among themselves and leave before the even ones.
TEST_F(Warp, ReportsAMaskOfLanesThatGaveAnotherOneAndLeft) {
  Managed<unsigned> out(32);
  vote_with_different_masks<<<1, 32>>>(out.get());
  cudaDeviceSynchronize();
  EXPECT_TRUE(contains(expect_finding(simt::FindingKind::kBarrierDivergence).message,
                       "with mask 0xffffffff, and lane 1, which that mask names, with mask "
                       "0xaaaaaaaa; all lanes of a mask must give the same mask"));
}

// Each pair has a mask of its own, and pairs are in different rounds.
__global__ void sum_by_pairs(int num_rounds, int* out) {
  int sum = 1;
  for (int distance = 1; distance < 1 << num_rounds; distance *= 2) {
    const unsigned pair = 1u << threadIdx.x | 1u << (threadIdx.x ^ distance);
    sum += __shfl_xor_sync(pair, sum, distance);
  }
  out[threadIdx.x] = sum;
}

TEST_F(Warp, AllowsMasksThatDifferBetweenRounds) {
  Managed<int> out(32);
  for (unsigned seed = 0; seed < 8; ++seed) {
    simt::set_schedule(seed);
    sum_by_pairs<<<1, 32>>>(5, out.get());
    cudaDeviceSynchronize();
    EXPECT_EQ(out[31], 32);
  }
}

}  // namespace
}  // namespace simt_test::warp_test
