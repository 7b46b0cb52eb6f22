// SPDX-License-Identifier: MIT
// The contract of rungs 01 to 04: functions on the host, in plain C++, that say what the machine
// does with a grid. No kernel, no device memory.
//
// What holds for all of them:
//   h_...    host memory; inputs are read only, outputs are overwritten, no array overlaps another.
//            May be null where it has no items
//   numbers  in the ranges given no result overflows an int; an intermediate may, where noted
#pragma once

namespace lab {

inline constexpr int kWarpSize = 32;

// ---- 01_residency

// What an SM gives registers to: a whole block at once (before Fermi), or each warp by itself.
enum class RegisterOwner { kBlock, kWarp };

// What one SM (streaming multiprocessor) has room for. architectures.cuh has the real ones.
struct SmLimits {
  int max_threads_per_block;
  int max_warps;   // resident on the SM; 32 threads each, also where the last warp is not full
  int max_blocks;  // resident on the SM

  int num_registers;  // of the SM, each of 32 bits
  int max_registers_per_thread;
  int register_unit;             // registers are handed out in multiples of this many ...
  RegisterOwner register_owner;  // ... to a block, or to a warp
  int warp_unit;  // kBlock: for registers, a block's warps are rounded up to a multiple of this
                  // many. kWarp: this many partitions have an equal share of the registers

  int shared_bytes;                // shared memory of the SM
  int max_shared_bytes_per_block;  // the most that a kernel may request
  int reserved_shared_bytes;       // taken by the system for each block, in addition
  int shared_unit;                 // both together are handed out in multiples of this many bytes
};

// What a kernel's launch requests.
struct KernelResources {
  int threads_per_block;       // at least 1
  int registers_per_thread;    // at least 1
  int shared_bytes_per_block;  // static and dynamic together, at least 0
};

enum class Limiter { kThreads, kBlocks, kRegisters, kSharedMemory };

struct Residency {
  int num_blocks;    // resident on one SM at a time, at most
  int num_warps;     // of these blocks
  Limiter limiter;   // what allows no further block
  double occupancy;  // num_warps / max_warps, within 1e-9
};

// How many blocks of a kernel are resident on an SM: the smallest of
//   kThreads       max_warps / the block's warps
//   kBlocks        max_blocks
//   kRegisters     kBlock: num_registers / the block's registers, which are
//                  (its warps, up to a multiple of warp_unit) * 32 * registers_per_thread, up to a
//                  multiple of register_unit.
//                  kWarp: the SM's warps / the block's warps. Each of the warp_unit partitions has
//                  room for (num_registers / warp_unit) / a warp's registers, which are
//                  32 * registers_per_thread, up to a multiple of register_unit
//   kSharedMemory  shared_bytes / (what the block requests + reserved_shared_bytes, up to a
//                  multiple of shared_unit); no limit where that is 0
// all divisions rounded down. If a block is too large by itself (threads_per_block,
// registers_per_thread or shared_bytes_per_block beyond its maximum), that limit is 0.
// The limiter is the one that allows the fewest blocks; of several, the first in the order above.
Residency residency(const SmLimits& sm, const KernelResources& kernel);

// ---- 02_latency_hiding

// How many warps issue for as long as one warp waits for latency_cycles. An SM of num_lanes lanes
// (processors) takes 32 / num_lanes cycles, rounded up, to issue an instruction for all 32 threads
// of a warp, and each warp has num_independent instructions that need not wait.
//   num_lanes [1, 32], num_independent [1, 1000], latency_cycles [0, 10^6]
int warps_to_cover(int num_lanes, int num_independent, int latency_cycles);

// How many warps each SM needs to keep a memory busy. By Little's law, bandwidth times latency are
// in flight at every moment, spread over num_sms SMs; a warp has loads_per_thread loads of
// bytes_per_load in flight for each of its threads. Rounded up.
//   gigabytes_per_second [1, 100000] (10^9 bytes), latency_ns [1, 100000], num_sms [1, 10000]
//   bytes_per_load       [1, 16], loads_per_thread [1, 64]
int warps_to_fill_memory(int gigabytes_per_second, int latency_ns, int num_sms, int bytes_per_load,
                         int loads_per_thread);

// The share of its time in which the SM of warps_to_cover issues, within 1e-9: each of num_warps
// warps issues its num_independent instructions, waits for latency_cycles from then on, and begins
// again. At most 1, when there is always one that can issue.
//   num_warps [0, 1000]
double utilization(int num_lanes, int num_independent, int latency_cycles, int num_warps);

// ---- 03_block_distribution

// A grid of equally long blocks on a device.
struct Waves {
  int num_resident;    // blocks that run at once, at first
  int most_on_an_sm;   // of these
  int least_on_an_sm;  // of these
  int num_waves;       // rounds until all blocks have run, all SMs together
  int last_wave;       // blocks in the last of them
  double efficiency;   // of the places for blocks over all rounds, the share that is used; 1e-9
};

// num_blocks [1, 10^8] blocks over num_sms SMs with room for blocks_per_sm each; both at least 1,
// num_sms * blocks_per_sm <= 10^6. Blocks are spread as evenly as they can be.
Waves waves(int num_blocks, int num_sms, int blocks_per_sm);

// The same with blocks of different length: a block takes h_durations[block] cycles wherever it
// runs. Blocks start in the order of their numbers, each as soon as any SM has room for it, on
// the SM with the fewest resident blocks; of several, on the one with the smallest number. A block
// that ends at cycle t has left by cycle t, when another may start. Returns the cycle at which the
// last block ends.
//   h_durations (num_blocks), each at least 1; their sum < 2^31
//   h_start     (num_blocks)  cycle in which each block starts; the first ones in cycle 0
//   h_sm        (num_blocks)  where
//   num_blocks  [0, 10^6]; num_sms and blocks_per_sm at least 1, num_sms * blocks_per_sm <= 10^6
int distribute(const int* h_durations, int num_blocks, int num_sms, int blocks_per_sm, int* h_start,
               int* h_sm);

// ---- 04_warp_scheduler

// An instruction occupies the scheduler for issue_cycles, at least 1. Its result is there `latency`
// cycles after the first of these, latency >= issue_cycles.
struct Instruction {
  int issue_cycles;
  int latency;
};

// A warp's program: h_instructions[first_instruction] and on. It is there from cycle `arrival` on.
struct Warp {
  int arrival;  // at least 0
  int first_instruction;
  int num_instructions;  // at least 0
};

enum class Policy { kRoundRobin, kGreedyThenOldest };

inline constexpr int kIdle = -1;

struct Schedule {
  int num_cycles;  // until the last result of all warps is there; 0 without instructions
  int num_idle;    // of these, those in which no warp occupies the scheduler
};

// One scheduler, which issues the instructions of num_warps warps, one at a time. A warp's
// instructions depend on each other: the first may issue once the warp has arrived; each later one,
// once the previous result is there. A warp whose next instruction may issue is ready. In every
// cycle in which no instruction occupies the scheduler, it issues the next one of a ready warp:
//   kRoundRobin        the first ready warp that comes after the one that issued last, by number;
//                      after the last warp comes warp 0. In the beginning, warp 0 is the first
//   kGreedyThenOldest  the warp that issued last, if it is ready; else the ready warp that arrived
//                      first; of several, the one with the smallest number
// If no warp is ready, the cycle is idle.
//   h_timeline  h_timeline[cycle], for each of num_cycles cycles: the warp whose instruction
//               occupies the scheduler, or kIdle; there is room for them, and no more is written
Schedule schedule_warps(Policy policy, const Warp* h_warps, int num_warps,
                        const Instruction* h_instructions, int* h_timeline);

}  // namespace lab
