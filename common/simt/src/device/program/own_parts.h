// SPDX-License-Identifier: MIT
// The program's own code and variables: those of a rung, without the emulator and the libraries.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <vector>

namespace simt::device {

// Where the functions of the program's begin, in order; in `memory`. A program that was not
// gathered by gather.ld has none.
std::pmr::vector<std::uintptr_t> own_functions(std::pmr::memory_resource* memory);

bool is_own_code(std::uintptr_t address);

// The sections of its variables that are not constant, in words of 8 bytes.
std::array<std::span<const std::byte>, 2> own_variables();

// Whether all these bytes are of variables of the program's that are not constant.
bool is_own_variable(std::uintptr_t address, std::size_t size_bytes);

}  // namespace simt::device
