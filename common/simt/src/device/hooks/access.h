// SPDX-License-Identifier: MIT
// Accesses of code that g++ does not announce, as of a library's function. Call before they happen.
#pragma once

#include <cstddef>

#include "program/place.h"

namespace simt::device {

void announce_read(const void* from, std::size_t size_bytes, Place place);
void announce_write(const void* to, std::size_t size_bytes, Place place);

}  // namespace simt::device
