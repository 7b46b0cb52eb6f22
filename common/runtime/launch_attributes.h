// SPDX-License-Identifier: MIT
// What a launch, or all launches into a stream, ask of the device besides their size.
#pragma once

#include "launch.h"

namespace runtime {

cudaError_t read_attributes(const cudaLaunchConfig_t& wanted, LaunchConfig* config);

}  // namespace runtime
