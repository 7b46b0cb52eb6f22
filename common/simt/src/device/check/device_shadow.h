// SPDX-License-Identifier: MIT
// What the checkers remember about the emulated device's global memory. It follows what the host
// API does, through a MemoryObserver that exists from the program's start.
#pragma once

#include "check/byte_flags.h"

namespace simt::device {

// For each byte of the device's range, whether it may be read: it lies in a live allocation and was
// written since. One flag answers both questions.
extern ByteFlags device_flags;

}  // namespace simt::device
