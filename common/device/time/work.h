// SPDX-License-Identifier: MIT
// What the warps of a block ask of their multiprocessor, which serves them one after the other.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <utility>

#include "time/instruction_cost.h"
#include "time/path.h"

namespace timing {

inline constexpr std::uint64_t kSchedulers = 4;  // of a multiprocessor

using Slots = std::array<std::uint32_t, kNumPipes>;

// What a warp does after a barrier until it needs a load's result, or one of an earlier region.
struct Lead {
  std::uint32_t slots = 0;
  std::uint32_t shared_words = 0;  // that a lane needs; without conflicts as many wavefronts
  Path wait;                       // by itself; below {} if it is there before
  bool is_over = false;

  void end(const Path& first_wait, std::uint32_t words) {
    if (!is_over) *this = {slots, words, first_wait, true};
  }
  Lead& operator+=(const Lead& more) {
    if (!is_over) *this = {slots + more.slots, more.shared_words, more.wait, more.is_over};
    return *this;
  }
};

class Work {
 public:
  void add(const Slots& slots) {
    for (std::size_t pipe = 0; pipe < kNumPipes; ++pipe) slots_[pipe] += slots[pipe];
  }
  void add_wavefronts(std::uint64_t count) { wavefronts_ += count; }
  void add_multiply_adds(std::uint64_t count) { multiply_adds_ += count; }
  // Of one more warp.
  void add_lead(const Lead& lead) {
    if (lead.slots == 0) return;
    if (num_leads_ == 0 || lead.wait < first_wait_) first_wait_ = lead.wait;
    all_wait_ = all_wait_ && lead.is_over;
    lead_slots_ += lead.slots;
    shared_words_ += lead.shared_words;
    ++num_leads_;
  }

  // How long the multiprocessor needs for it: most of the other times hide under the longest.
  // Shared memory answers the first loads of all warps one after the other, which delays what needs
  // them, but not shared memory itself.
  Path path() const {
    const auto of = [&](Pipe pipe) { return slots_[std::size_t(pipe)]; };
    const double data = static_cast<double>(wavefronts_ + of(Pipe::kExchange));
    const double all = together({static_cast<double>(cycles_of_pipes()), data,
                                 static_cast<double>(multiply_adds_) / kProductsPerCycle});
    const auto queue = std::min(static_cast<double>(shared_words_), all - data);
    return Path{std::llround(all), 0} + common_wait(std::llround(queue));
  }

 private:
  static constexpr double kNominalNorm = 2.85;  // that of the whole launch is fitted

  static double together(std::initializer_list<double> times) {
    double sum = 0;
    for (const double time : times) sum += std::pow(time, kNominalNorm);
    return std::pow(sum, 1 / kNominalNorm);
  }
  // At the rates of compute capability 9.0, as instruction_cost.cpp has its latencies: those of the
  // CUDA Programming Guide, and what calibrate.cu measures of tensor cores.
  std::int64_t cycles_of_pipes() const {
    std::uint64_t issued = 0;
    for (const std::uint64_t slots : slots_) issued += slots;
    const auto of = [&](Pipe pipe) { return slots_[std::size_t(pipe)]; };
    return static_cast<std::int64_t>(
        std::max({issued / kSchedulers, (of(Pipe::kInteger) + of(Pipe::kAlu)) / 2,
                  of(Pipe::kFp64) / 2, of(Pipe::kSpecial) * 2, of(Pipe::kAdu) * 2}));
  }
  // After a barrier all warps need at about the same time what they load first: nothing hides this
  // wait but what the other warps issue before theirs.
  Path common_wait(std::int64_t queue) const {
    if (num_leads_ == 0 || !all_wait_) return {};
    const std::uint64_t before = lead_slots_ / kSchedulers, own = lead_slots_ / num_leads_;
    const auto hidden = static_cast<std::int64_t>(before - std::min(before, own));
    if (first_wait_.loads != 0) queue = 0;
    return longer({}, first_wait_ + Path{queue - hidden, 0});
  }

  std::array<std::uint64_t, kNumPipes> slots_ = {};
  std::uint64_t wavefronts_ = 0;  // of shared memory and the first cache
  std::uint64_t multiply_adds_ = 0;
  std::uint64_t num_leads_ = 0, lead_slots_ = 0, shared_words_ = 0;
  bool all_wait_ = true;
  Path first_wait_;  // the shortest
};

}  // namespace timing
