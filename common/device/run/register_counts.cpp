// SPDX-License-Identifier: MIT
// The machine has registers for all, so no warp waits for them. It reports a wait without an end,
// and what PTX does not define, when the block ends.
// Source: PTX ISA 8.7, "Miscellaneous Instructions: setmaxnreg".
#include "run/register_counts.h"

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace run {
namespace {

using code::Instruction;
using code::Op;

constexpr std::uint32_t kRegisters = 65536;  // of a multiprocessor
constexpr std::uint32_t kMostPerThread = 256;

const Op* set_count(Warp& warp, const Op* op, std::uint32_t lanes) {
  require_all_lanes(warp, instruction_of(warp, op), lanes);
  warp.registers = {&instruction_of(warp, op), static_cast<std::uint32_t>(op->immediate)};
  return op + 1;
}

}  // namespace

code::Handler register_count_handler(Op& op, const Instruction& instruction) {
  if (instruction.words.front() != "setmaxnreg") return nullptr;
  const std::uint64_t count = instruction.operands.at(0).bits;
  if (!instruction.operands.at(0).is_immediate || count < 24 || count > 256 || count % 8 != 0) {
    throw std::runtime_error("the number must be a multiple of 8, from 24 to 256");
  }
  op.immediate = static_cast<std::int64_t>(count);
  return set_count;
}

void check_register_counts(RunningBlock& block) {
  const auto has_set = [](const auto& warp) { return warp->registers.set_by != nullptr; };
  const auto end = block.warps.begin() + (block.num_threads + kWarpSize - 1) / kWarpSize;
  const auto first = std::find_if(block.warps.begin(), end, has_set);
  if (first == end) return;
  for (auto warp = first; warp != end; ++warp) {
    const auto group = block.warps.begin() + (*warp)->id / kWarpsPerGroup * kWarpsPerGroup;
    if (!has_set(*warp) || (group + kWarpsPerGroup <= end &&
                            std::all_of(group, group + kWarpsPerGroup, [&](const auto& other) {
                              return other->registers.count == (*warp)->registers.count;
                            }))) {
      continue;
    }
    return report_at(**warp, *(*warp)->registers.set_by, report::Kind::kBarrierDivergence,
                     thread_name(**warp, 0) +
                         " executes setmaxnreg, but not all four warps of its warpgroup do so "
                         "with the same number. They must execute it together: 128 threads, the "
                         "first of them a multiple of 128");
  }
  // With the most that a launch can have given to each thread.
  const std::uint32_t at_launch = std::min(kMostPerThread, kRegisters / block.num_threads / 8 * 8);
  const Warp* most = nullptr;
  std::uint32_t wanted = 0;
  for (auto warp = block.warps.begin(); warp != end; ++warp) {
    wanted += kWarpSize * (has_set(*warp) ? (*warp)->registers.count : at_launch);
    if (has_set(*warp) && (most == nullptr || (*warp)->registers.count > most->registers.count)) {
      most = warp->get();
    }
  }
  const std::uint32_t available = at_launch * block.num_threads;
  if (wanted <= available) return;
  report_at(const_cast<Warp&>(*most), *most->registers.set_by, report::Kind::kDeadlock,
            thread_name(*most, 0) + " waits for registers that never become free: with its " +
                std::to_string(most->registers.count) + " per thread, the block's threads need " +
                std::to_string(wanted) + ", and a launch gives this block at most " +
                std::to_string(available) +
                ". Other warpgroups must give enough of theirs (setmaxnreg.dec)");
}

}  // namespace run
