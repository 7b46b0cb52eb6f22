// SPDX-License-Identifier: MIT
#include "picture/png.h"

#include <zlib.h>

#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <vector>

namespace judge {
namespace {

constexpr int kBytesPerPixel = 3;

std::string big_endian(std::uint32_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) {
    bytes.push_back(static_cast<char>(value >> shift & 0xFF));
  }
  return bytes;
}

std::uint32_t checksum(const std::string& bytes) {
  const auto* const data = reinterpret_cast<const Bytef*>(bytes.data());
  return static_cast<std::uint32_t>(crc32(0, data, static_cast<uInt>(bytes.size())));
}

std::string compressed(const std::vector<unsigned char>& bytes) {
  uLongf size = compressBound(bytes.size());
  std::string packed(size, '\0');
  if (compress2(reinterpret_cast<Bytef*>(packed.data()), &size, bytes.data(), bytes.size(),
                Z_BEST_COMPRESSION) != Z_OK) {
    throw std::runtime_error("zlib cannot compress a picture");
  }
  packed.resize(size);
  return packed;
}

std::string chunk(const std::string& type, const std::string& data) {
  const std::string body = type + data;
  return big_endian(static_cast<std::uint32_t>(data.size())) + body + big_endian(checksum(body));
}

// The neighbour (left, above, above left) that is nearest to left + above - above_left.
int paeth(int left, int above, int above_left) {
  const int estimate = left + above - above_left;
  const int to_left = std::abs(estimate - left);
  const int to_above = std::abs(estimate - above);
  const int to_corner = std::abs(estimate - above_left);
  if (to_left <= to_above && to_left <= to_corner) return left;
  return to_above <= to_corner ? above : above_left;
}

// Subtracts from each byte a prediction from its neighbours: small differences compress better.
std::vector<unsigned char> filtered(std::span<const unsigned char> rgb, int width, int height) {
  constexpr unsigned char kPaethFilter = 4;
  const std::size_t row_bytes = static_cast<std::size_t>(width) * kBytesPerPixel;
  std::vector<unsigned char> bytes;
  bytes.reserve((row_bytes + 1) * height);
  for (std::size_t y = 0; y < static_cast<std::size_t>(height); ++y) {
    bytes.push_back(kPaethFilter);
    for (std::size_t i = 0; i < row_bytes; ++i) {
      const bool has_left = i >= kBytesPerPixel;
      const std::size_t at = y * row_bytes + i;
      const int left = has_left ? rgb[at - kBytesPerPixel] : 0;
      const int above = y > 0 ? rgb[at - row_bytes] : 0;
      const int above_left = has_left && y > 0 ? rgb[at - row_bytes - kBytesPerPixel] : 0;
      bytes.push_back(static_cast<unsigned char>(rgb[at] - paeth(left, above, above_left)));
    }
  }
  return bytes;
}

}  // namespace

std::string encode_png(std::span<const unsigned char> rgb, int width, int height) {
  if (width < 1 || height < 1 ||
      rgb.size() != static_cast<std::size_t>(width) * height * kBytesPerPixel) {
    throw std::runtime_error("a picture's bytes do not fit its width and height");
  }
  // 8 bits per channel, red green blue, the only compression and filter method, not interlaced.
  const std::string layout = {8, 2, 0, 0, 0};
  return "\x89PNG\r\n\x1a\n" + chunk("IHDR", big_endian(width) + big_endian(height) + layout) +
         chunk("IDAT", compressed(filtered(rgb, width, height))) + chunk("IEND", "");
}

void write_png(const std::filesystem::path& file, std::span<const unsigned char> rgb, int width,
               int height) {
  std::error_code ignored;
  std::filesystem::create_directories(file.parent_path(), ignored);
  const std::string bytes = encode_png(rgb, width, height);
  std::ofstream out(file, std::ios::binary);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  if (!out) throw std::runtime_error("cannot write " + file.string());
}

}  // namespace judge
