// SPDX-License-Identifier: MIT
// When the device's memory is closed to the host: see simt/closed_device.h.
#pragma once

#include <cstddef>
#include <cstdint>

namespace simt::internal {

// Returns whether the memory was closed.
bool open_device();

// Outside of the program's turn it stays open.
void close_device();

// Whether each page of managed and pinned memory that the host uses is noted, as it is between the
// two functions of simt/closed_device.h.
bool is_host_watched();

// Notes a use that a hook sees: the memory may be open then, as in an argument of a launch.
void note_hosts_use(std::uintptr_t address, std::size_t size_bytes);

// Whether the host has used the page (its address over page_bytes()) since the last call of the
// second function.
bool has_host_used(std::uintptr_t page);
void forget_hosts_uses();

}  // namespace simt::internal
