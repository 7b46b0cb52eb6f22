// SPDX-License-Identifier: MIT
// The order in which the emulator runs what a device may run in any order.
#pragma once

#include <cstdint>

namespace simt {

// 0 (the default): lanes, warps and blocks in natural order. Otherwise the seed picks other orders
// of all three, and lets blocks take turns, as two of its bits say:
//   none                 at half of their barriers
//   kTurnAtEveryBarrier  at all of them: blocks meet others that are half done as often as possible
//   kSuccessorsFirst     only at their first barrier. Then successor blocks run first, until they
//                        end or wait: a block that looks back finds that nothing is done yet.
//                        Blocks start from the last to the first. So a look-back by blockIdx
//                        always deadlocks, if there are more blocks than fit at a time
//   both                 the same at their second barrier, for blocks that take tickets late
// With kHoldPublications, which alone keeps the natural order, blocks take turns, and all that fit
// start together. A thread's turn ends before it stores to global memory by a volatile, an atomic
// or a __stcg store, or changes it by an atomic operation. So all blocks that look back find
// aggregates, and the first prefix only at the end: the longest look-back.
// With kBusyDevice, a launch has the room of one multiprocessor, as if other programs used the
// rest. Only to a cooperative launch CUDA promises room for all of its blocks: what else waits for
// blocks that have not started deadlocks, with few of them already. The same seed gives the same
// run. Takes effect with the next launch.
inline constexpr std::uint64_t kTurnAtEveryBarrier = 2;
inline constexpr std::uint64_t kSuccessorsFirst = 4;
inline constexpr std::uint64_t kHoldPublications = 8;
inline constexpr std::uint64_t kBusyDevice = 16;
void set_schedule(std::uint64_t seed);

// Once a race has been found in a kernel, its later launches run in an order that shows what the
// race can do: before a thread writes, all others run until they are about to write, too. So an
// update by two threads (`sum[0] += x`) is lost, as on a device. Not while launches are counted.
// This call returns all kernels to the order of set_schedule.
void forget_races();

// How long a kernel may make no progress before it counts as a deadlock, in basic blocks of threads
// that poll memory. A thread that neither waits nor touches memory may compute 50 times as long.
inline constexpr std::uint64_t kDefaultStepLimit = 20'000'000;
void set_step_limit(std::uint64_t basic_blocks_without_memory_change);

// From now on the process may use so many seconds of processor time. A kernel that still runs then
// is ended, with a finding at the line that it has reached. Infinity (the default): no limit.
void set_time_limit(double seconds);

}  // namespace simt
