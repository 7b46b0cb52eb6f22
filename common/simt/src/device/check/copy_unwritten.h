// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

namespace simt::device {

// The host copies [p, p + size_bytes) of the device's memory to itself: reports a part that was
// never written.
void check_copy_to_host(const void* p, std::size_t size_bytes);

}  // namespace simt::device
