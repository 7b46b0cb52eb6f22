// SPDX-License-Identifier: MIT
// How far the kernels of a program are, for another process to read while they run.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

namespace simt {

// Lies in memory that both processes share. Another process may see a launch while it changes, so
// its figures are for people, and not exact.
struct Progress {
  std::atomic<std::uint64_t> num_launches;
  std::atomic<std::uint64_t> num_blocks;  // of the launch that runs; 0: none does
  std::atomic<std::uint64_t> num_ended;   // of its blocks
  std::array<char, 232> kernel;           // its name, cut to fit, and a zero
};

// Where progress is kept from now on; nowhere if null.
void show_progress(Progress* progress);

}  // namespace simt
