// SPDX-License-Identifier: MIT
// Which line a finding names.
#pragma once

#include <string>

#include "report/finding.h"
#include "report/words.h"
#include "run/warp.h"

namespace run {

// The innermost line of a user's file that led to the instruction: its own, one that it was inlined
// into, or a call by the part that is at it (null: another time's). If there is none, its line in a
// header of the labs, or else that of the launch.
report::Place place_of(const Launch& launch, const Part* part,
                       const code::Instruction& instruction);
inline report::Place place_of(const Launch& launch, const code::Instruction& instruction) {
  return place_of(launch, nullptr, instruction);
}
// Without a launch: unknown if it is in a library.
report::Place place_in(const code::Program& program, const code::Instruction& instruction);

// A kernel of a lab's header does what its caller's arguments say: the finding names the call.
report::Finding finding_at(report::Kind kind, const Launch& launch, const report::Place& place,
                           std::string message);

}  // namespace run
