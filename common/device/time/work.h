// SPDX-License-Identifier: MIT
// What the warps of a block ask of their multiprocessor, which serves them one after the other.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "time/instruction_cost.h"

namespace timing {

using Slots = std::array<std::uint32_t, kNumPipes>;

class Work {
 public:
  void add(const Slots& slots) {
    for (std::size_t pipe = 0; pipe < kNumPipes; ++pipe) slots_[pipe] += slots[pipe];
  }
  void add_wavefronts(std::uint64_t count) { wavefronts_ += count; }
  void add_multiply_adds(std::uint64_t count) { multiply_adds_ += count; }

  // At the rates of compute capability 9.0, as instruction_cost.cpp has its latencies: those of the
  // CUDA Programming Guide, and what calibrate.cu measures of tensor cores.
  std::int64_t cycles() const {
    std::uint64_t issued = 0;
    for (const std::uint64_t slots : slots_) issued += slots;
    const auto of = [&](Pipe pipe) { return slots_[std::size_t(pipe)]; };
    return static_cast<std::int64_t>(
        std::max({issued / 4, (of(Pipe::kInteger) + of(Pipe::kAlu)) / 2, of(Pipe::kFp64) / 2,
                  of(Pipe::kSpecial) * 2, of(Pipe::kAdu) * 2, of(Pipe::kExchange), wavefronts_,
                  multiply_adds_ / kProductsPerCycle}));
  }

 private:
  std::array<std::uint64_t, kNumPipes> slots_ = {};
  std::uint64_t wavefronts_ = 0;  // of shared memory
  std::uint64_t multiply_adds_ = 0;
};

}  // namespace timing
