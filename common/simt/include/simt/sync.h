// SPDX-License-Identifier: MIT
// Barriers of a block and of a grid, memory fences and waiting.
#pragma once

#ifndef __CUDA__
#include <source_location>
#endif

namespace simt {

// Which call of a barrier it is: two calls in one line are two barriers, and a call that the
// compiler copies is one.
#ifndef __CUDA__
using BarrierCall = std::source_location;
#else  // clang's CUDA mode, in an editor, has its own __syncthreads()
struct BarrierCall {
  static constexpr BarrierCall current() { return {}; }
};
#endif

}  // namespace simt

// Waits until every thread of the block that has not exited is here. Threads that meet at different
// calls are reported (barrier_divergence) and go on, as on a device.
#ifndef __CUDA__
void __syncthreads(simt::BarrierCall call = simt::BarrierCall::current());
#else
void __syncthreads();
inline void __syncthreads(simt::BarrierCall /*call*/) { __syncthreads(); }
#endif
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
