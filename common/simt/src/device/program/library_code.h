// SPDX-License-Identifier: MIT
// Thrust's algorithms run on the host here, with Thrust's own backend for C++, and stand for work
// of the device. What they access, the program's functors that they call included, counts as
// accessed by the device.
#pragma once

namespace simt::device {

// Whether the host's code that returns to `pc` runs on Thrust's behalf. Remembered by place, so a
// function that is called both ways counts as it was called first.
bool runs_for_thrust(const void* pc);

}  // namespace simt::device
