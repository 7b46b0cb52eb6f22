// SPDX-License-Identifier: MIT
// The programs that tests start.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "process/process.h"

namespace judge {

// A worker of misbehaving_calls.cpp, started by these words (none: as it is), with a device process
// without kernels.
inline Commands misbehaving(std::vector<std::string> words = {MISBEHAVING_WORKER}) {
  return {std::move(words), {DEVICE_PROGRAM, "--ptx=" NO_KERNELS}};
}

}  // namespace judge
