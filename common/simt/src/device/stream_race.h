// SPDX-License-Identifier: MIT
// Races between streams: a kernel, a copy or a fill meets the memory of work on another stream that
// may still run (see host/stream_order.h).
#pragma once

#include <cstddef>
#include <cstdint>

#include "memory_check.h"
#include "stamp.h"

namespace simt::device {

// A launch begins, or has begun: whether copies on other streams may still run.
void look_for_concurrent_copies();
extern bool copies_may_run;

// The kernel on another stream that may run beside this one and made the access; null if there is
// none.
const char* concurrent_kernel_of(Stamp stamp);

// The first block of any such kernel; `otherwise` if there is none.
std::uint32_t first_concurrent_block(std::uint32_t otherwise);

// Holds a kernel's access against the copies. Call only if copies_may_run.
void check_concurrent_copies(const Access& access);

// The running copy or fill reads or writes device memory: holds that against concurrent work, and
// notes it.
void note_copied(std::uintptr_t address, std::size_t size_bytes, bool is_written);

// How findings of this kind end.
inline constexpr const char* kStreamRemedy =
    "; nothing orders the two streams: let one wait for an event of the other (cudaEventRecord, "
    "cudaStreamWaitEvent), or the host for the first (cudaStreamSynchronize)";

}  // namespace simt::device
