// SPDX-License-Identifier: MIT
// Until when bulk copies from shared to global memory read their source. Each thread puts its
// copies into groups, and waits for these. The machine has copied long before; the monitors learn
// when the hardware may still read.
#pragma once

#include "run/engine.h"

namespace run {

// The lane starts a copy of these bytes of its block's shared memory.
void begin_bulk_read(Warp& warp, const code::Instruction& copy, int lane, std::uint64_t offset,
                     std::uint32_t size_bytes);

// The block has ended: reports a copy that may still read its shared memory.
void end_bulk_reads(RunningBlock& block);

// cp.async.bulk.commit_group and .wait_group; null: another instruction.
code::Handler bulk_group_handler(code::Op& op, const code::Instruction& instruction);

}  // namespace run
