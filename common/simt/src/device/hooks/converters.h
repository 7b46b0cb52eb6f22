// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace simt::device {

// Whether this is one of the functions that turn numbers into text or back. The C++ library's
// templates for that call them by address.
bool is_converter(std::uintptr_t function);

}  // namespace simt::device
