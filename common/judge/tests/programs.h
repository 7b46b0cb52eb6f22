// SPDX-License-Identifier: MIT
// The programs that tests start.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "process/process.h"

namespace judge {

#ifdef DEVICE_PROGRAM
inline constexpr bool kHasDeviceProcess = true;
#else
inline constexpr bool kHasDeviceProcess = false;
#endif

// A worker of misbehaving_calls.cpp, started by these words (none: as it is); on the machine with a
// device process without kernels.
inline Commands misbehaving(std::vector<std::string> words = {MISBEHAVING_WORKER}) {
#ifdef DEVICE_PROGRAM
  return {std::move(words), {DEVICE_PROGRAM, "--ptx=" NO_KERNELS}};
#else
  return words;
#endif
}

}  // namespace judge
