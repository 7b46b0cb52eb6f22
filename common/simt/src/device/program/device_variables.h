// SPDX-License-Identifier: MIT
// Whose the program's variables are: the device's, or the host's.
#pragma once

#include <cstdint>

namespace simt::device {

enum class Owner : std::uint8_t { kUnknown, kDevice, kConstant, kHost };

// Of the variable at an address of the program. The source decides: the rewriter lists what it
// declares with __device__, __constant__ or __managed__. Constants of the program, and what is the
// emulator's or a library's, count as the device's.
Owner owner_of_variable(std::uintptr_t address);

}  // namespace simt::device
