// SPDX-License-Identifier: MIT
// Names as people write them, and whose a source file is.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "code/program.h"

namespace code {

// "_ZN3lab12_GLOBAL__N_14copyIiEEvPT_" -> "copy": without scopes and arguments.
std::string function_name(std::string_view mangled);
// "_ZZN3lab4copyEPfE4tile" -> "tile"; a name in C is itself.
std::string variable_name(std::string_view mangled);

// What __cluster_dims__ of the toolkit's keywords.h puts into a kernel's name; zeros: it has none.
// Throws std::runtime_error if it is no number.
std::array<std::uint32_t, 3> cluster_in_name(std::string_view mangled);

SourceFile source_file(const std::string& path);

}  // namespace code
