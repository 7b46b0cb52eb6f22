// SPDX-License-Identifier: MIT
// Races of copies, fills, allocations and frees with a kernel or another copy on another stream,
// which may still run (see run/stream_order.h).
#pragma once

#include <cstddef>
#include <cstdint>

#include "program/access.h"

namespace simt::device {

// A launch begins, or has begun: whether copies on other streams may still run.
void look_for_concurrent_copies();
extern bool copies_may_run;

// Checks a kernel's access against the copies. Call only if copies_may_run.
void check_concurrent_copies(const Access& access);

// The running copy or fill reads or writes device memory: checks that against concurrent work, and
// records it.
void note_copied(std::uintptr_t address, std::size_t size_bytes, bool is_written);

// Device memory is allocated: records that, if it is in the order of a stream.
void note_allocated(std::uintptr_t address, std::size_t size_bytes);

// Device memory is freed: checks that too, if it is in the order of a stream.
void note_freed(std::uintptr_t address, std::size_t size_bytes);

}  // namespace simt::device
