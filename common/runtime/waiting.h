// SPDX-License-Identifier: MIT
// A kernel that waits for the host. On a device a launch is asynchronous: the host may write the
// flag that the kernel's threads poll. So the device sets a kernel aside when it makes no progress
// and its threads poll memory that the host can reach, and the host goes on. The kernel gets
// further turns while the host executes its own code. When the host waits for the kernel, it must
// end: if it makes no progress then, that is a deadlock.
#pragma once

#include <cstdint>
#include <functional>

namespace runtime {

// Whether that kernel has to end before what is issued to the stream now, or before the event.
bool is_stream_behind(std::uint64_t stream);
bool is_event_behind(std::uint64_t event);

// The host waits for the kernel that was set aside, and for what runs behind it. If other threads
// of the host might yet write what it polls, they get time to do so.
void finish_waiting();

// Lets the kernel go on for one turn.
void try_waiting();

// Keeps an operation that the stream orders behind that kernel, until it has ended.
void run_behind_waiting(std::function<void()> operation);

// The kernel may have ended meanwhile: then what waited for that runs. Before each call.
void look_after_waiting();

}  // namespace runtime
