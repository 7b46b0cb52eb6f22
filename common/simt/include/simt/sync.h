// SPDX-License-Identifier: MIT
// Barriers of a block and of a grid, memory fences and waiting.
#pragma once

#include <source_location>

namespace simt {

// Which call of a barrier it is: two calls in one line are two barriers, and a call that the
// compiler copies is one.
using BarrierCall = std::source_location;

}  // namespace simt

// Waits until every thread of the block that has not exited is here. Threads that meet at different
// calls are reported (barrier_divergence) and go on, as on a device.
void __syncthreads(simt::BarrierCall call = simt::BarrierCall::current());
// The same; returns to every thread the number of threads whose predicate is not 0 ...
int __syncthreads_count(int predicate, simt::BarrierCall call = simt::BarrierCall::current());
// ... whether all have one that is not 0, and whether any has.
int __syncthreads_and(int predicate, simt::BarrierCall call = simt::BarrierCall::current());
int __syncthreads_or(int predicate, simt::BarrierCall call = simt::BarrierCall::current());

// Order this thread's memory accesses, as seen by its block, the device, the whole system.
void __threadfence_block();
void __threadfence();
void __threadfence_system();

// Lets other threads run; the device's clock advances by `ns` nanoseconds.
void __nanosleep(unsigned ns);

namespace simt {

// cooperative_groups' grid.sync(): waits until all threads of all blocks are here. A block that has
// ended, or that finds no room next to those that wait, never arrives: a deadlock.
void sync_grid();

// True in a kernel that was launched cooperatively.
bool is_cooperative_launch();

}  // namespace simt
