// SPDX-License-Identifier: MIT
// NVIDIA's headers that the emulator has no counterpart of.
#pragma once

#include <string_view>

#include "edits.h"
#include "token.h"

namespace simt::rewriter {

// What such a header belongs to: "cuBLAS"; empty for every other header.
std::string_view missing_library(std::string_view header);

// Whether the header belongs to CUB, to Thrust, or to libcu++, of which Thrust is made.
bool is_cubs(std::string_view header);
bool is_thrusts(std::string_view header);
bool is_libcuxxs(std::string_view header);

// Replaces the include of such a header by an #error that says what to do. Else the compiler might
// find the header of a CUDA that is installed, which does not fit the emulator's.
void refuse_closed_library(const Include& include, Edits& edits);

}  // namespace simt::rewriter
