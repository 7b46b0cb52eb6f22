// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace simt::device {

struct Lane;
struct Warp;

// Performs the operation that `lane` waits in, if all lanes it waits for are in the same one.
void complete_operation(Warp& warp, const Lane& lane);

// Performs the warp operations whose lanes are all there (after a lane has ended), and makes their
// lanes ready.
void complete_operations(Warp& warp);

// Makes one group of lanes ready that wait in the same call of __activemask.
void release_converged(Warp& warp);

}  // namespace simt::device
