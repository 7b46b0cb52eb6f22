// SPDX-License-Identifier: MIT
// The device's clock: counts basic blocks that device threads have executed, so two runs read the
// same times. C's own clock() is the device's inside a kernel and the processor's outside.
#pragma once

#include <ctime>

long long clock64();

namespace simt {

// The %globaltimer register: one tick per clock, in nanoseconds.
unsigned long long global_timer();

}  // namespace simt
