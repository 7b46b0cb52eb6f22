// SPDX-License-Identifier: MIT
// Decides whether a variable of the program belongs to the device or to the host.
#pragma once

#include <cstddef>
#include <cstdint>

namespace simt::device {

// kManaged: the device's and the host's.
enum class Owner : std::uint8_t { kUnknown, kDevice, kManaged, kConstant, kHost };

// Of the variable at an address of the program. The source decides: the rewriter lists what it
// declares with __device__, __constant__ or __managed__. Where it cannot list all, any may be
// managed. The program's constants, and all variables of the emulator and of libraries, count as
// the device's.
Owner owner_of_variable(std::uintptr_t address);

// What the program's __constant__ variables take together.
std::size_t constant_bytes();

}  // namespace simt::device
