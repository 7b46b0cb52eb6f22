// SPDX-License-Identifier: MIT
// How many bytes of global memory a launch asks for, lane by lane: what a posed clock goes by.
#pragma once

#include <bit>
#include <cstdint>

#include "run/monitor.h"

namespace count {

class Traffic final : public run::Monitor {
 public:
  std::uint64_t bytes() const { return bytes_; }

  void launch_begins(run::Launch&) override { bytes_ = 0; }
  void access(run::Warp&, run::Access& access) override {
    if (access.space != run::Space::kGlobal) return;
    bytes_ += std::uint64_t{access.size_bytes} * static_cast<unsigned>(std::popcount(access.lanes));
  }

 private:
  std::uint64_t bytes_ = 0;
};

}  // namespace count
