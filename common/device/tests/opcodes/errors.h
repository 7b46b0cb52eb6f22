// SPDX-License-Identifier: MIT
// The errors that PTX allows to approximations, and how results of a tensor core may differ.
#pragma once

#include <cstdint>
#include <string>

#include "tests/opcodes/cases.h"

namespace opcodes {

// What is wrong with `result`, or an empty string. sources: bits. check: the kind of Case.
std::string error_of(const std::string& check, const std::uint64_t* sources, std::uint64_t result,
                     bool ftz);

// Compares values of the machine with those that a GPU gave (condensed): each within the error that
// is allowed of the exact result, and those of a matrix within the error of a tensor core.
std::string difference_of(const Case& made, const Values& values, const std::string& gpu);

}  // namespace opcodes
