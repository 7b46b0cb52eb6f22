// SPDX-License-Identifier: MIT
// Races of the host's own code, in managed and pinned memory, with kernels and copies of which the
// host does not know that they are done (see run/stream_order.h).
#pragma once

#include "program/access.h"

namespace simt::device {

// Checks an access of the host to allocated memory of the device's range, and reports a race. A
// volatile read may be of a flag, see note_flag_read().
void check_host_race(const Access& access);

// The host reads there what may be a flag, by which a kernel says that it has written something.
void note_flag_read(const void* address);

// Forgets what has been reported; for a new launch.
void reset_host_races();

}  // namespace simt::device
