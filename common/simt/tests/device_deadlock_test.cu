// SPDX-License-Identifier: MIT
#include <limits>

#include "device_test.h"

namespace simt_test::deadlock_test {
namespace {

class Deadlock : public DeviceTest {};

__global__ void wait_for_ever(volatile int* flag) {
  if (threadIdx.x >= 8) __syncthreads();
  while (flag[0] == 0) {  // kWaitLine
  }
}
constexpr int kWaitLine = __LINE__ - 3;

TEST_F(Deadlock, NamesBlockThreadsAndLines) {
  Managed<int> flag(1);
  wait_for_ever<<<3, 40>>>(flag.get());
  const simt::Finding finding = expect_fault(cudaErrorLaunchTimeout, simt::FindingKind::kDeadlock);
  EXPECT_EQ(finding.line, kWaitLine);
  EXPECT_EQ(finding.file, "device_deadlock_test.cu");
  EXPECT_EQ(finding.kernel, "wait_for_ever");
  const std::string line = std::to_string(kWaitLine);
  EXPECT_TRUE(
      contains(finding.message, "deadlock in block 0: threads 0-7 poll memory in line " + line));
  EXPECT_TRUE(contains(finding.message, "threads 8-39 wait at the block's barrier in line " +
                                            std::to_string(kWaitLine - 1)));
  EXPECT_TRUE(contains(finding.message, "2 more blocks are under way"));
}

// Both locks are taken in opposite orders.
__global__ void lock_crosswise(int* locks) {
  const int mine = static_cast<int>(threadIdx.x);
  atomicExch(&locks[mine], 1);
  __syncthreads();
  while (atomicCAS(&locks[1 - mine], 0, 1) != 0) {
  }
  atomicExch(&locks[mine], 0);
}

TEST_F(Deadlock, IsFoundAmongLocks) {
  Managed<int> locks(2);
  lock_crosswise<<<1, 2>>>(locks.get());
  expect_fault(cudaErrorLaunchTimeout, simt::FindingKind::kDeadlock);
}

__global__ void step_by_nothing(int* counts, int num_items, int step) {
  for (int item = 0; item < num_items; item += step) {
    counts[item] = item;  // kStepLine
  }
}
constexpr int kStepLine = __LINE__ - 3;

// It writes memory all the time, so that no other rule calls it endless.
TEST_F(Deadlock, ALoopThatWritesForEverIsNamedWithItsLine) {
  simt::set_step_limit(100'000);
  Managed<int> counts(8);
  step_by_nothing<<<1, 32>>>(counts.get(), 8, 0);
  const simt::Finding finding = expect_fault(cudaErrorLaunchTimeout, simt::FindingKind::kTimeout);
  EXPECT_TRUE(finding.line == kStepLine || finding.line == kStepLine - 1) << finding.line;
  EXPECT_TRUE(contains(finding.message, "does this loop ever end?"));
}

__global__ void count_rounds(int* count) {
  for (;;) {  // kRoundsLine
    __syncthreads();
    if (threadIdx.x == 0) *count += 1;
  }
}
constexpr int kRoundsLine = __LINE__ - 5;

// Its threads take turns and write, so that only the time that it takes can end it.
TEST_F(Deadlock, ALoopOfBarriersIsNamedAtTheTimeLimit) {
  simt::set_time_limit(0.2);
  Managed<int> count(1);
  count_rounds<<<1, 64>>>(count.get());
  simt::set_time_limit(std::numeric_limits<double>::infinity());
  const simt::Finding finding = expect_fault(cudaErrorLaunchTimeout, simt::FindingKind::kTimeout);
  EXPECT_TRUE(finding.line >= kRoundsLine && finding.line <= kRoundsLine + 2) << finding.line;
  EXPECT_TRUE(contains(finding.message, "of processor time")) << finding.message;
}

__global__ void wait_without_looking(const int* flag, int* out) {
  int value = 1;
  while (*flag == 0) value *= 3;  // the compiler reads the flag once
  *out = value;
}

TEST_F(Deadlock, IsFoundInALoopThatTheCompilerTookTheLoadOutOf) {
  simt::set_step_limit(100'000);
  Managed<int> flag(2);
  wait_without_looking<<<1, 32>>>(&flag[0], &flag[1]);
  const simt::Finding finding = expect_fault(cudaErrorLaunchTimeout, simt::FindingKind::kDeadlock);
  EXPECT_TRUE(contains(finding.message, "thread 0 of block 0 is in an endless loop"));
  EXPECT_NE(finding.line, 0);
}

struct Node {
  Node* next;
  int value;
};

__global__ void walk(const Node* node, int* out) {
  int sum = 0;
  for (; node != nullptr; node = node->next) sum += node->value;
  *out = sum;
}

TEST_F(Deadlock, IsFoundInAListThatIsARing) {
  simt::set_step_limit(10'000);
  Managed<Node> nodes(2);
  nodes[0] = {&nodes[1], 1};
  nodes[1] = {&nodes[0], 2};
  Managed<int> out(1);
  walk<<<1, 4>>>(nodes.get(), out.get());
  expect_fault(cudaErrorLaunchTimeout, simt::FindingKind::kDeadlock);
}

// 512 threads per block: 64 blocks are resident. Block 0 waits for the last of 65.
__global__ void wait_for_block(volatile int* flags) {
  if (blockIdx.x != gridDim.x - 1 && threadIdx.x == 0) {
    while (flags[gridDim.x - 1] == 0) {
    }
  }
  flags[blockIdx.x] = 1;
}

TEST_F(Deadlock, IsFoundWhenABlockWaitsForOneThatFindsNoRoom) {
  simt::set_step_limit(100'000);
  Managed<int> flags(65);
  wait_for_block<<<64, 512>>>(flags.get());
  EXPECT_EQ(flags[0], 1);
  std::fill_n(flags.get(), 65, 0);
  wait_for_block<<<65, 512>>>(flags.get());
  const simt::Finding finding = expect_fault(cudaErrorLaunchTimeout, simt::FindingKind::kDeadlock);
  EXPECT_TRUE(
      contains(finding.message, "1 block has not started, because the device holds 64 at a time"));
}

// The upper half waits for the lower one, which is at the barrier behind the branch.
__global__ void shuffle_in_a_branch(int* out) {
  int value = static_cast<int>(threadIdx.x);
  if (threadIdx.x % 32 >= 16) value += __shfl_xor_sync(0xffffffff, value, 16);  // kShuffleLine
  __syncthreads();
  out[threadIdx.x] = value;
}
constexpr int kShuffleLine = __LINE__ - 4;

__global__ void shuffle_half_in_a_branch(int* out) {
  int value = static_cast<int>(threadIdx.x);
  if (threadIdx.x % 32 >= 16) value += __shfl_xor_sync(0xffff0000, value, 1);
  __syncthreads();
  out[threadIdx.x] = value;
}

TEST_F(Deadlock, AccusesTheWarpOperationInABranch) {
  Managed<int> out(64);
  shuffle_half_in_a_branch<<<1, 64>>>(out.get());
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(out[16], 33);
  shuffle_in_a_branch<<<1, 64>>>(out.get());
  const simt::Finding finding = expect_fault(cudaErrorLaunchTimeout, simt::FindingKind::kDeadlock);
  EXPECT_EQ(finding.line, kShuffleLine);
  const std::string line = std::to_string(kShuffleLine);
  EXPECT_TRUE(contains(finding.message, "threads 0-15, 32-47 wait at the block's barrier in line " +
                                            std::to_string(kShuffleLine + 1)))
      << finding.message;
  EXPECT_TRUE(contains(finding.message, "the mask in line " + line +
                                            " names threads 0-15, which do not come there. Call "
                                            "the warp operation outside of the branch"))
      << finding.message;
}

// The trip count differs by lane, and so does the number of votes.
__global__ void vote_in_a_loop(int* out) {
  int votes = 0;
  for (int i = 0; i < static_cast<int>(threadIdx.x % 2); ++i) {
    votes += __popc(__ballot_sync(0xffffffff, true));  // kVoteLine
  }
  __syncthreads();
  out[threadIdx.x] = votes;
}
constexpr int kVoteLine = __LINE__ - 5;

TEST_F(Deadlock, AccusesTheWarpOperationInALoop) {
  Managed<int> out(32);
  vote_in_a_loop<<<1, 32>>>(out.get());
  const simt::Finding finding = expect_fault(cudaErrorLaunchTimeout, simt::FindingKind::kDeadlock);
  EXPECT_EQ(finding.line, kVoteLine) << finding.message;
}

// The barrier comes first in the loop: the lower half waits there in the second round.
__global__ void sync_behind_the_barrier(int* out) {
  for (int round = 0; round < 2; ++round) {
    __syncthreads();
    if (threadIdx.x >= 16) __syncwarp();  // kSyncLine
    out[threadIdx.x] = round;
  }
}
constexpr int kSyncLine = __LINE__ - 4;

TEST_F(Deadlock, AccusesTheWarpOperationWhereTheBarrierIsThatOfTheNextRound) {
  Managed<int> out(32);
  sync_behind_the_barrier<<<1, 32>>>(out.get());
  const simt::Finding finding = expect_fault(cudaErrorLaunchTimeout, simt::FindingKind::kDeadlock);
  EXPECT_EQ(finding.line, kSyncLine) << finding.message;
}

// The other way round: the barrier is in the branch, and the warp operation behind it.
__global__ void barrier_in_a_branch(int* out) {
  if (threadIdx.x >= 16) __syncthreads();  // kBarrierLine
  __syncwarp();
  out[threadIdx.x] = 1;
}
constexpr int kBarrierLine = __LINE__ - 4;

TEST_F(Deadlock, AccusesTheBarrierInABranchBeforeAWarpOperation) {
  Managed<int> out(32);
  barrier_in_a_branch<<<1, 32>>>(out.get());
  const simt::Finding finding = expect_fault(cudaErrorLaunchTimeout, simt::FindingKind::kDeadlock);
  EXPECT_EQ(finding.line, kBarrierLine) << finding.message;
  EXPECT_FALSE(contains(finding.message, "not come there")) << finding.message;
}

__global__ void write_index(int* out) { out[threadIdx.x] = threadIdx.x; }

TEST_F(Deadlock, LeavesTheDeviceUsable) {
  Managed<int> flag(64);
  wait_for_ever<<<1, 40>>>(flag.get());
  write_index<<<1, 64>>>(flag.get());  // the sticky error forbids it
  EXPECT_EQ(flag[63], 0);
  expect_fault(cudaErrorLaunchTimeout, simt::FindingKind::kDeadlock);
  write_index<<<1, 64>>>(flag.get());
  EXPECT_EQ(flag[63], 63);
}

}  // namespace
}  // namespace simt_test::deadlock_test
