// SPDX-License-Identifier: MIT
// How many bytes of global memory a launch asks for, lane by lane. The posed clock takes the
// launch's time from them.
#pragma once

#include <cstdint>

#include "count/request.h"
#include "run/monitor.h"

namespace serve {

class AskedBytes final : public run::Monitor {
 public:
  std::uint64_t of_launch() const { return bytes_; }  // the last one

  void launch_begins(run::Launch&) override { bytes_ = 0; }
  void access(run::Warp&, run::Access& access) override {
    if (access.space != run::Space::kGlobal) return;
    bytes_ += access.size_bytes * count::num_lanes(access.lanes);
  }

 private:
  std::uint64_t bytes_ = 0;
};

}  // namespace serve
