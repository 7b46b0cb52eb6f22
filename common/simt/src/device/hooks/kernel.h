// SPDX-License-Identifier: MIT
// A kernel from its launch to its end: launch.cpp begins it, set_aside.cpp lets it wait for the
// host.
#pragma once

#include <cstdint>
#include <memory>

#include "run/grid.h"
#include "run/launch.h"

namespace simt::device {

// A launch, and its blocks as far as they have come.
struct Kernel {
  Kernel(const Launch& launch_, std::uint64_t max_resident)
      : launch(launch_), grid(launch, max_resident) {}

  Launch launch;
  Grid grid;
};

// What the calling thread runs from now on; null: the host.
void give_device_to(Launch* launch);

// Lets the blocks run, as far as they come; see Grid::run().
void proceed(Kernel& kernel, std::uint64_t patience);

// The blocks have ended, or one of them has faulted.
void end(Kernel& kernel);

// Lets the host go on before a kernel that waits for it has ended. None may be set aside already.
void set_aside(std::unique_ptr<Kernel> kernel);
bool is_one_set_aside();

}  // namespace simt::device
