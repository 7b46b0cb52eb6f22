// SPDX-License-Identifier: MIT
// cuRAND's generators many steps ahead: common/cuda/toolkit/lockstep/random.h has the rest of them.
#pragma once

#include <array>
#include <cstdint>

namespace run {

using XorwowWords = std::array<std::uint32_t, 5>;
using MrgNumbers = std::array<std::uint32_t, 3>;  // of a recurrence, the oldest first

// What follows after steps * 2^log2_stride steps. log2_stride <= kMaxLog2Stride
inline constexpr int kMaxLog2Stride = 127;
XorwowWords skip_xorwow(const XorwowWords& words, std::uint64_t steps, int log2_stride);
MrgNumbers skip_first_mrg(const MrgNumbers& numbers, std::uint64_t steps, int log2_stride);
MrgNumbers skip_second_mrg(const MrgNumbers& numbers, std::uint64_t steps, int log2_stride);

}  // namespace run
