// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace simt::device {

struct Warp;

// The lanes of `group` have made a warp operation together, and lanes that their mask names have
// left the kernel: reports one that was last in the same call, with another mask. All lanes that a
// mask names must give the same mask.
void check_absent_lanes(const Warp& warp, std::uint32_t group);

}  // namespace simt::device
