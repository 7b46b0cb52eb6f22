// SPDX-License-Identifier: MIT
// When the device's memory is closed to the host: see simt/closed_device.h.
#pragma once

namespace simt::internal {

// Returns whether the memory was closed.
bool open_device();

// Outside of the program's turn it stays open.
void close_device();

}  // namespace simt::internal
