// SPDX-License-Identifier: MIT
// How far the kernels of a program are, for `./lab run` to read while they run.
#pragma once

#include <atomic>
#include <cstdint>

#include "run/monitor.h"
#include "run/warp.h"

namespace serve {

// Lies in memory that both processes share. Another process may see a launch while it changes, so
// its figures are for people, and not exact. student/program/progress.py reads it.
struct ProgressFigures {
  std::atomic<std::uint64_t> num_launches;
  std::atomic<std::uint64_t> num_blocks;  // of the launch that runs; 0: none does
  std::atomic<std::uint64_t> num_ended;   // of its blocks
  char kernel[232];                       // its name, cut to fit, and a zero
};

class Progress final : public run::Monitor {
 public:
  explicit Progress(const char* path);  // of a file of that size; without one nothing is shown

  bool is_shown() const { return figures_ != nullptr; }
  void launch_begins(run::Launch& launch) override;
  void launch_ends(run::Launch& launch) override;
  void block_ends(run::Block& block) override;

 private:
  ProgressFigures* figures_ = nullptr;
};

}  // namespace serve
