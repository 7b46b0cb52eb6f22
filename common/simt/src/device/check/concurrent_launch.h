// SPDX-License-Identifier: MIT
// Kernels on other streams that may still run (see run/stream_order.h).
#pragma once

#include <cstdint>

#include "check/stamp.h"

namespace simt::device {

// The one that made the access; null if there is none.
const char* concurrent_kernel_of(Stamp stamp);

// The first block of any such kernel; `otherwise` if there is none.
std::uint32_t first_concurrent_block(std::uint32_t otherwise);

}  // namespace simt::device
