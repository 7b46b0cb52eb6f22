// SPDX-License-Identifier: MIT
// Textures and surfaces are read through caches that a kernel's own writes need not reach.
#pragma once

#include "check/device_shadow.h"
#include "check/findings.h"
#include "run/monitor.h"

namespace check {

// Reports the first lane that reads what a block from first_block to before end_block has written.
void check_own_writes(const DeviceShadow& device, Instructions& instructions, const run::Warp& warp,
                      const run::Access& access, std::uint32_t first_block,
                      std::uint32_t end_block);

}  // namespace check
