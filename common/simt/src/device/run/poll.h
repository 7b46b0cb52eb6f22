// SPDX-License-Identifier: MIT
// Threads that wait for memory to change. A device runs all resident threads at once; here a thread
// that polls without success must let the others run, or it would wait for ever.
#pragma once

#include <cstdint>

namespace simt::device {

// False: the program has code of which neither accesses nor basic blocks are announced. It computes
// unseen, so that only the time it takes says whether it ever ends.
extern bool code_is_announced;

// True: none of the program's code is announced, so its threads' turns tell nothing.
extern bool code_is_silent;

// The running thread polls `address`. If this has gone on for a while and memory has not changed,
// others run before it returns. pc: the caller's, for messages.
void poll(const void* address, const void* pc);

// Lets all others run first. The threads' work since the last yield was idle, unless memory
// changes.
void yield(const void* pc);

// The same for a thread that waits for time to pass: that will happen, and is not idle.
void yield_for_time(const void* pc);

// The thread is about to write, in a kernel in which races were found: first all others run until
// they are about to write, too. So what two threads read and then write is updated once.
void hold_back(const void* pc);

// Idle work since the last reset, in basic blocks; a switch of fibers costs as much as some.
std::uint64_t idle_steps();
void reset_idle_steps();

// The thread has executed step_limit() basic blocks since the launch or the last alarm. If it
// neither touched memory nor waited all the while, it computes, or is in an endless loop: after
// many such alarms in a row, ends the kernel. Otherwise, if no thread has written to memory, lets
// others run: perhaps the thread polls with plain loads.
void alarm(const void* pc);

// Ends the kernel: the running thread is in an endless loop at `pc`.
[[noreturn]] void end_endless_loop(const void* pc);

// After so many seconds of processor time, one thread alone has run without a barrier or an end.
inline constexpr int kMaxTurnSeconds = 5;

// What a thread has taken: kMaxTurnSeconds; time_limit().
enum class TooLong { kNot, kTurn, kTime };
// Ends the kernel for one of these, at `pc`.
[[noreturn]] void end_too_long(TooLong what, const void* pc);
// The running thread's next basic block does so: there its line is known.
void end_at_next_step(TooLong what);

// Prepares for a launch.
void reset_alarm();

}  // namespace simt::device
