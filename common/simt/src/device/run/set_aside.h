// SPDX-License-Identifier: MIT
// A kernel that waits for the host. On a device a launch is asynchronous: the host may write the
// flag that the kernel's threads poll. So a kernel that stands still while threads poll memory that
// the host can reach is set aside, and the host goes on. It gets further turns while the host
// executes code of its own, and must end when the host waits for it: a deadlock is what stands
// still then.
//
// Defined in hooks/set_aside.cpp. The first two do nothing when no kernel has been set aside.
#pragma once

#include <functional>

namespace simt::internal {

// The host waits for the kernel that was set aside, and for what runs behind it. If other threads
// of the host might yet write what it polls, they get time to do so.
void finish_set_aside();

// Lets the kernel go on for one turn, if it is the calling thread's.
void try_set_aside();

// Keeps an operation that the stream orders behind that kernel, until it has ended.
void run_behind_set_aside(std::function<void()> operation);

}  // namespace simt::internal
