// SPDX-License-Identifier: MIT
// Writes pictures as PNG (ISO/IEC 15948), which any browser shows.
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
