// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

namespace simt::device {

inline constexpr std::size_t kPrintBufferBytes = std::size_t{1} << 20;  // a launch; CUDA's default

// Writes what the kernel has printed to stdout, and reports how much was cut off.
void flush_prints();

}  // namespace simt::device
