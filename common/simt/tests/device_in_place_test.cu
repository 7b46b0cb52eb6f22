// SPDX-License-Identifier: MIT
// Plain accesses that are decided in their hooks leave the findings that the long way leaves
// (check/in_place.h repeats rules of check/race_shadow.cpp): small random patterns, both ways.
#include <random>
#include <string>
#include <vector>

#include "device_test.h"

namespace simt::device {
extern bool may_decide_in_place;  // check/way.h
}

namespace simt_test::in_place_test {
namespace {

constexpr int kBlocks = 3;
constexpr int kThreads = 64;
constexpr int kSteps = 5;
constexpr int kBytes = 1024;  // of each of the two arrays

enum Meeting { kNone, kBlockBarrier, kWarpSync, kHalfWarpSync, kNumMeetings };
enum Way { kRead, kWrite, kUpdate, kVolatileRead, kVolatileWrite, kAtomic, kFence, kNumWays };

// One access of one thread.
struct Step {
  int way;
  int size_log2;
  bool is_shared;
  int at;  // in bytes
  int value;
};

// All of a launch: what separates step i from the one before, and each thread's accesses.
struct Pattern {
  Meeting meetings[kSteps];
  Step steps[kSteps][kBlocks * kThreads];
};

template <class T>
__device__ void access(const Step& step, T* place, int* sum) {
  const T value = static_cast<T>(step.value);
  if (step.way == kRead) *sum += static_cast<int>(*place);
  if (step.way == kWrite) *place = value;
  if (step.way == kUpdate) *place += value;
  if (step.way == kVolatileRead) *sum += static_cast<int>(*static_cast<volatile T*>(place));
  if (step.way == kVolatileWrite) *static_cast<volatile T*>(place) = value;
}

__device__ void access_vector(const Step& step, int4* place, int* sum) {
  if (step.way == kRead) *sum += place->x;
  if (step.way == kWrite) *place = make_int4(step.value, step.value, step.value, step.value);
}

__device__ void make_step(const Step& step, unsigned char* array, int* sum) {
  unsigned char* const place = array + step.at;
  if (step.way == kFence) return __threadfence();
  if (step.way == kAtomic) {
    atomicAdd(reinterpret_cast<int*>(array + step.at / 4 * 4), step.value);
    return;
  }
  if (step.size_log2 == 0) access(step, place, sum);
  if (step.size_log2 == 1) access(step, reinterpret_cast<short*>(place), sum);
  if (step.size_log2 == 2) access(step, reinterpret_cast<int*>(place), sum);
  if (step.size_log2 == 3) access(step, reinterpret_cast<long long*>(place), sum);
  if (step.size_log2 == 4) access_vector(step, reinterpret_cast<int4*>(place), sum);
}

__device__ void meet(Meeting meeting) {
  if (meeting == kBlockBarrier) __syncthreads();
  if (meeting == kWarpSync) __syncwarp();
  if (meeting == kHalfWarpSync && threadIdx.x % 32 < 16) __syncwarp(0x0000ffff);
}

__global__ void pattern_kernel(const Pattern* pattern, unsigned char* array, int* sums) {
  __shared__ alignas(16) unsigned char tile[kBytes];
  for (int i = threadIdx.x; i < kBytes / 4; i += kThreads) reinterpret_cast<int*>(tile)[i] = 0;
  __syncthreads();
  const int thread = blockIdx.x * kThreads + threadIdx.x;
  int sum = 0;
  for (int i = 0; i < kSteps; ++i) {
    meet(pattern->meetings[i]);
    const Step& step = pattern->steps[i][thread];
    make_step(step, step.is_shared ? tile : array, &sum);
  }
  sums[thread] = sum;
}

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  int below(int end) { return static_cast<int>(engine_() % static_cast<unsigned>(end)); }

 private:
  std::mt19937 engine_;
};

// Few accesses of a pattern meet others, so that its first findings do not hide all further ones;
// most threads keep to places of their own.
void draw(Random& random, Pattern& pattern) {
  const int sharing = 1 << random.below(6);
  const bool is_plain = random.below(2) == 0;
  for (int i = 0; i < kSteps; ++i) {
    pattern.meetings[i] = static_cast<Meeting>(random.below(kNumMeetings));
    for (int thread = 0; thread < kBlocks * kThreads; ++thread) {
      const int size_log2 = random.below(5);
      const bool is_own = random.below(64) >= sharing;
      const int cell = is_own ? thread % kThreads : random.below(kThreads);
      const int way = is_own && is_plain ? random.below(2) : random.below(kNumWays);
      const bool is_shared = is_own || random.below(2) == 0;  // blocks share the other array
      const int inside = random.below(16) >> size_log2 << size_log2;
      pattern.steps[i][thread] = {way, size_log2, is_shared, cell * 16 + inside, random.below(3)};
    }
  }
}

std::vector<std::string> findings_of(const Pattern* pattern, bool in_place, unsigned schedule) {
  Managed<unsigned char> array(kBytes, 0);
  Managed<int> sums(kBlocks * kThreads);
  simt::forget_races();
  simt::set_schedule(schedule);
  simt::device::may_decide_in_place = in_place;
  pattern_kernel<<<kBlocks, kThreads>>>(pattern, array.get(), sums.get());
  cudaDeviceSynchronize();
  simt::device::may_decide_in_place = true;
  std::vector<std::string> findings;
  for (const simt::Finding& finding : simt::take_findings()) {
    findings.push_back(std::string(simt::finding_kind_name(finding.kind)) + " in line " +
                       std::to_string(finding.line) + ": " + finding.message);
  }
  for (const int sum : sums.values()) findings.push_back(std::to_string(sum));
  return findings;
}

class InPlace : public DeviceTest {};

TEST_F(InPlace, FindsWhatTheLongWayFinds) {
  constexpr int kPatterns = 600;
  int num_clean = 0;
  Managed<Pattern> pattern(1);
  for (int seed = 0; seed < kPatterns; ++seed) {
    Random random(static_cast<unsigned>(seed));
    draw(random, pattern[0]);
    const unsigned schedule = seed % 3 == 0 ? 0 : static_cast<unsigned>(seed);
    const std::vector<std::string> expected = findings_of(pattern.get(), false, schedule);
    ASSERT_EQ(findings_of(pattern.get(), true, schedule), expected) << "pattern " << seed;
    num_clean += expected.size() == kBlocks * kThreads;
  }
  EXPECT_GT(num_clean, kPatterns / 50);
  EXPECT_LT(num_clean, kPatterns / 2);
}

}  // namespace
}  // namespace simt_test::in_place_test
