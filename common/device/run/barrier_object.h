// SPDX-License-Identifier: MIT
// Barrier objects in shared memory: mbarrier.
#pragma once

#include <cstddef>
#include <cstdint>

#include "run/access.h"

namespace run {

code::Handler barrier_object_handler(code::Op& op, const code::Instruction& instruction,
                                     code::Function& function);

// What the phase of an object still lacks: arrivals, and bytes of bulk copies (negative: too many).
struct MissingAtObject {
  std::uint32_t arrivals = 0;
  std::int64_t bytes = 0;
};
MissingAtObject missing_at(const std::byte* object);

// `object`: its 8 bytes. Arrivals at it.
void arrive_at(Warp& warp, const code::Instruction& instruction, std::byte* object,
               std::uint32_t count);
// The bytes of the lane's bulk copy have arrived. A thread that sees the phase complete sees them.
void complete_bytes(Warp& warp, const code::Instruction& instruction, int lane,
                    const SharedPlace& object, std::uint32_t size_bytes);

}  // namespace run
