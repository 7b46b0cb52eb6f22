// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

namespace judge {

// Device memory that is free for buffers. On cpu it is a fixed, modest figure.
std::size_t free_device_bytes();

}  // namespace judge
