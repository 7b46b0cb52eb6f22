// SPDX-License-Identifier: MIT
// Compresses bytes into zlib's format (RFC 1950), which PNG files hold.
#pragma once

#include <span>
#include <string>

namespace judge {

std::string compress(std::span<const unsigned char> bytes);

}  // namespace judge
