// SPDX-License-Identifier: MIT
// Where findings are, what threads are called, and what has been reported in this launch.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "memory/book.h"
#include "report/finding.h"
#include "report/memory_text.h"
#include "report/words.h"
#include "run/fault.h"
#include "run/findings.h"
#include "run/warp.h"

namespace check {

inline constexpr int kIllegalAddress = 700;     // cudaErrorIllegalAddress
inline constexpr int kMisalignedAddress = 716;  // cudaErrorMisalignedAddress

using run::place_of;

report::ThreadId thread_id(const run::Block& block, std::uint32_t thread);
std::string thread_name(const run::Block& block, std::uint32_t thread);

report::Place place_of(const memory::HostPlace& at);
report::Room room_of(const memory::Allocation& allocation);

// Instructions by their ids.
class Instructions {
 public:
  const code::Instruction& find(const code::Program& program, std::uint32_t id);
  void forget(const code::Program& program) { by_program_.erase(&program); }

 private:
  std::unordered_map<const code::Program*, std::vector<const code::Instruction*>> by_program_;
};

enum class Mistake : std::uint8_t {
  kOutOfBounds,
  kUninitialized,
  kUnfenced,
  kStillRead,
  kStillWritten,
  kOwnerEnds,
};

class Findings {
 public:
  void begin_launch() { reported_.clear(); }

  // Whether that mistake of the instruction has not been reported in this launch.
  bool is_new(const code::Instruction& instruction, Mistake mistake) {
    return reported_.emplace(instruction.id, mistake).second;
  }

 private:
  std::set<std::pair<std::uint32_t, Mistake>> reported_;
};

report::Finding finding_at(report::Kind kind, const run::Launch& launch,
                           const code::Instruction& instruction, std::string message);
void report_at(report::Kind kind, const run::Launch& launch, const code::Instruction& instruction,
               std::string message);
[[noreturn]] void end_kernel(report::Kind kind, const run::Launch& launch,
                             const code::Instruction& instruction, std::string message,
                             int error = kIllegalAddress);

}  // namespace check
