// SPDX-License-Identifier: MIT
#include "reference_residency.h"

#include <algorithm>
#include <cmath>

#include "reference.h"

namespace lab_judge {
namespace {

// Typical mistakes; without one, the right result.
enum class Mistake {
  kNone,
  kThreadsNotWarps,
  kWarpsRoundedDown,
  kRegistersNotRounded,
  kRegistersToBlocks,
  kRegistersToWarps,
  kPartitionsForgotten,
  kWarpUnitForgotten,
  kSharedNotRounded,
  kReservedForgotten,
  kReservedOnlyIfUsed,
  kBlocksForgotten,
  kRegistersForgotten,
  kSharedForgotten,
  kTooLargeUnchecked,
  kLastOfTies,
};

struct Hypothesis {
  Mistake mistake;
  const char* clause;
};
constexpr Hypothesis kHypotheses[] = {
    {Mistake::kThreadsNotWarps,
     "threads are counted where warps are: "
     "a block's last warp takes the room of 32 threads, full or not"},
    {Mistake::kWarpsRoundedDown,
     "a block's warps are rounded down: "
     "its last threads are a warp too (does a division round down?)"},
    {Mistake::kRegistersNotRounded,
     "registers are given out one by one, not in multiples of register_unit"},
    {Mistake::kRegistersToBlocks,
     "a block gets registers as a whole, even if each warp should get its own"},
    {Mistake::kRegistersToWarps,
     "each warp gets registers, even if the block should get them as a whole"},
    {Mistake::kPartitionsForgotten,
     "a warp may have registers of several partitions: warp_unit does not count for kWarp"},
    {Mistake::kWarpUnitForgotten,
     "a block's warps are not rounded up to a multiple of warp_unit for its registers (kBlock)"},
    {Mistake::kSharedNotRounded,
     "shared memory is given out byte by byte, not in multiples of shared_unit"},
    {Mistake::kReservedForgotten, "reserved_shared_bytes are not counted"},
    {Mistake::kReservedOnlyIfUsed,
     "reserved_shared_bytes are counted only for blocks that ask for shared memory"},
    {Mistake::kBlocksForgotten, "max_blocks is not a limit"},
    {Mistake::kRegistersForgotten, "registers are not a limit"},
    {Mistake::kSharedForgotten, "shared memory is not a limit"},
    {Mistake::kTooLargeUnchecked,
     "a block that is too large by itself is not refused: "
     "nothing checks the maximum per block or per thread"},
    {Mistake::kLastOfTies,
     "of several limits that allow equally many blocks the last one is named, not the first"},
};

int round_up(int items, int unit) {
  const int rest = items % unit;
  return rest == 0 ? items : items + unit - rest;
}

int warps_per_block(const Launch& launch, Mistake mistake) {
  const int threads = launch.kernel.threads_per_block;
  return mistake == Mistake::kWarpsRoundedDown ? threads / lab::kWarpSize
                                               : divide_up(threads, lab::kWarpSize);
}

int by_registers(const Launch& launch, int warps, Mistake mistake) {
  const lab::SmLimits& sm = launch.sm;
  const int per_warp = lab::kWarpSize * launch.kernel.registers_per_thread;
  const int unit = mistake == Mistake::kRegistersNotRounded ? 1 : sm.register_unit;
  bool by_block = sm.register_owner == lab::RegisterOwner::kBlock;
  if (mistake == Mistake::kRegistersToBlocks) by_block = true;
  if (mistake == Mistake::kRegistersToWarps) by_block = false;
  if (by_block) {
    const int padded =
        mistake == Mistake::kWarpUnitForgotten ? warps : round_up(warps, sm.warp_unit);
    return sm.num_registers / round_up(padded * per_warp, unit);
  }
  const int partitions = mistake == Mistake::kPartitionsForgotten ? 1 : sm.warp_unit;
  return partitions * (sm.num_registers / partitions / round_up(per_warp, unit)) / warps;
}

Limits limits_with(const Launch& launch, Mistake mistake) {
  const auto& [machine, sm, kernel] = launch;
  const int warps = warps_per_block(launch, mistake);
  if (warps == 0) return {0, 0, 0, 0};  // of a mistake: never a match
  const bool checks = mistake != Mistake::kTooLargeUnchecked;

  Limits limits = {sm.max_warps / warps, sm.max_blocks, by_registers(launch, warps, mistake),
                   kNoLimit};
  if (mistake == Mistake::kThreadsNotWarps) {
    limits[0] = sm.max_warps * lab::kWarpSize / kernel.threads_per_block;
  }
  const bool is_used = kernel.shared_bytes_per_block > 0;
  const bool reserves = mistake != Mistake::kReservedForgotten &&
                        (mistake != Mistake::kReservedOnlyIfUsed || is_used);
  const int shared =
      round_up(kernel.shared_bytes_per_block + (reserves ? sm.reserved_shared_bytes : 0),
               mistake == Mistake::kSharedNotRounded ? 1 : sm.shared_unit);
  if (shared > 0) limits[3] = sm.shared_bytes / shared;

  if (checks && kernel.threads_per_block > sm.max_threads_per_block) limits[0] = 0;
  if (checks && kernel.registers_per_thread > sm.max_registers_per_thread) limits[2] = 0;
  if (checks && kernel.shared_bytes_per_block > sm.max_shared_bytes_per_block) limits[3] = 0;
  if (mistake == Mistake::kBlocksForgotten) limits[1] = kNoLimit;
  if (mistake == Mistake::kRegistersForgotten) limits[2] = kNoLimit;
  if (mistake == Mistake::kSharedForgotten) limits[3] = kNoLimit;
  return limits;
}

lab::Residency residency_with(const Launch& launch, Mistake mistake) {
  const Limits limits = limits_with(launch, mistake);
  auto least = std::ranges::min_element(limits);
  if (mistake == Mistake::kLastOfTies) {
    least = std::prev(std::ranges::min_element(limits.rbegin(), limits.rend()).base());
  }
  const int num_warps = *least * warps_per_block(launch, mistake);
  return {*least, num_warps, static_cast<lab::Limiter>(least - limits.begin()),
          static_cast<double>(num_warps) / launch.sm.max_warps};
}

}  // namespace

Limits limits(const Launch& launch) { return limits_with(launch, Mistake::kNone); }
lab::Residency residency(const Launch& launch) { return residency_with(launch, Mistake::kNone); }

std::string name(lab::Limiter limiter) {
  switch (limiter) {
    case lab::Limiter::kThreads:
      return "kThreads";
    case lab::Limiter::kBlocks:
      return "kBlocks";
    case lab::Limiter::kRegisters:
      return "kRegisters";
    case lab::Limiter::kSharedMemory:
      return "kSharedMemory";
  }
  return std::to_string(static_cast<int>(limiter)) + ", which is none";
}

bool same(Part part, const lab::Residency& left, const lab::Residency& right) {
  switch (part) {
    case Part::kNumBlocks:
      return left.num_blocks == right.num_blocks;
    case Part::kNumWarps:
      return left.num_warps == right.num_warps;
    case Part::kLimiter:
      return left.limiter == right.limiter;
    case Part::kOccupancy:
      return std::abs(left.occupancy - right.occupancy) <= 1e-9;  // false for a NaN
  }
  return false;
}

std::string explain(Part part, const std::vector<Launch>& launches,
                    const std::vector<lab::Residency>& results) {
  const auto all_are = [&](const auto& made_by) {
    for (std::size_t i = 0; i < launches.size(); ++i) {
      if (!same(part, results[i], made_by(launches[i], results[i]))) return false;
    }
    return true;
  };
  for (const Hypothesis& hypothesis : kHypotheses) {
    const auto made_by = [&](const Launch& launch, const lab::Residency&) {
      return residency_with(launch, hypothesis.mistake);
    };
    if (all_are(made_by)) return hypothesis.clause;
  }
  if (part != Part::kOccupancy) return {};
  if (all_are([](const Launch& launch, lab::Residency result) {
        const int rounded_down = result.num_warps / launch.sm.max_warps;
        result.occupancy = rounded_down;
        return result;
      })) {
    return "occupancy is the quotient of two integers: a division that rounds down to 0";
  }
  if (all_are([](const Launch& launch, lab::Residency result) {
        result.occupancy = static_cast<double>(result.num_blocks) / launch.sm.max_blocks;
        return result;
      })) {
    return "occupancy counts blocks, not warps";
  }
  if (all_are([](const Launch& launch, lab::Residency result) {
        result.occupancy =
            static_cast<double>(result.num_blocks * launch.kernel.threads_per_block) /
            (launch.sm.max_warps * lab::kWarpSize);
        return result;
      })) {
    return "occupancy counts threads, not warps";
  }
  return {};
}

}  // namespace lab_judge
