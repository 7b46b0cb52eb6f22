// SPDX-License-Identifier: MIT
// Barrier objects in shared memory: mbarrier.
#pragma once

#include <cstddef>
#include <cstdint>

#include "run/access.h"

namespace run {

code::Handler barrier_object_handler(code::Op& op, const code::Instruction& instruction,
                                     code::Function& function);

// The phase of an object that is not complete.
struct ObjectPhase {
  std::uint32_t parity = 0;
  std::uint32_t arrived = 0, expected = 0;
  std::int64_t missing_bytes = 0;  // of bulk copies; negative: too many have come
};
ObjectPhase phase_of(const std::byte* object);

// `object`: its 8 bytes. Arrivals at it.
void arrive_at(Warp& warp, const code::Instruction& instruction, std::byte* object,
               std::uint32_t count);
// The bytes of the lane's bulk copy have arrived. A thread that sees the phase complete sees them.
void complete_bytes(Warp& warp, const code::Instruction& instruction, int lane,
                    const SharedPlace& object, std::uint32_t size_bytes);

}  // namespace run
