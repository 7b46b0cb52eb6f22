// SPDX-License-Identifier: MIT
// The source line of a line of PTX, found in the text alone: for text that cannot be parsed.
#pragma once

#include <cstdint>
#include <string>

#include "ptx/module.h"

namespace ptx {

// Of the nearest .loc before it in its function; without a file: unknown.
SourceLine source_of(const std::string& text, std::uint32_t text_line);

}  // namespace ptx
