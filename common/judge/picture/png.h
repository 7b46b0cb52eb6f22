// SPDX-License-Identifier: MIT
// Writes pictures that any browser shows, with no library: PNG (ISO/IEC 15948) over a small DEFLATE
// (RFC 1951). Files come out somewhat larger than zlib's.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

namespace judge {

// rgb: (height, width, 3) bytes; width and height at least 1.
std::string encode_png(std::span<const unsigned char> rgb, int width, int height);

// Writes the picture to a file, making its folder. Throws std::runtime_error.
void write_png(const std::filesystem::path& file, std::span<const unsigned char> rgb, int width,
               int height);

}  // namespace judge
