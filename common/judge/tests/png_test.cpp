// SPDX-License-Identifier: MIT
// Decodes what png.cpp wrote with a reader of its own, checksums included.
#include "picture/png.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "fixture/test_data.h"

namespace judge {
namespace {

const Bytef* bytes_of(const std::string& text) {
  return reinterpret_cast<const Bytef*>(text.data());
}

// The data of the only chunk of this type, whose checksum must be right.
std::string chunk(const std::string& png, const std::string& type) {
  const auto number = [&](std::size_t at) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      value = value << 8 | static_cast<unsigned char>(png.at(at + i));
    }
    return value;
  };
  std::size_t at = 8;
  while (png.substr(at + 4, 4) != type) at += 12 + number(at);
  const std::uint32_t size = number(at);
  const std::string body = png.substr(at + 4, 4 + size);
  EXPECT_EQ(number(at + 8 + size), crc32(0, bytes_of(body), static_cast<uInt>(body.size())));
  return body.substr(4);
}

// Undoes the Paeth filter as ISO/IEC 15948 defines it: x is the byte to restore, a the one to its
// left, b the one above and c the one above a.
std::vector<unsigned char> decode(const std::string& png, std::size_t width, std::size_t height) {
  const std::string packed = chunk(png, "IDAT");
  const std::size_t row_bytes = 3 * width;
  std::vector<unsigned char> lines((row_bytes + 1) * height);
  uLongf size = lines.size();
  EXPECT_EQ(uncompress(lines.data(), &size, bytes_of(packed), packed.size()), Z_OK);
  EXPECT_EQ(size, lines.size());
  std::vector<unsigned char> rgb(row_bytes * height);
  for (std::size_t y = 0; y < height; ++y) {
    EXPECT_EQ(lines[y * (row_bytes + 1)], 4) << "the filter of row " << y;
    for (std::size_t i = 0; i < row_bytes; ++i) {
      const std::size_t x = y * row_bytes + i;
      const int a = i >= 3 ? rgb[x - 3] : 0;
      const int b = y > 0 ? rgb[x - row_bytes] : 0;
      const int c = i >= 3 && y > 0 ? rgb[x - row_bytes - 3] : 0;
      const int pa = std::abs(b - c);
      const int pb = std::abs(a - c);
      const int pc = std::abs(a + b - 2 * c);
      const int expected = pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
      rgb[x] = static_cast<unsigned char>(lines[y * (row_bytes + 1) + 1 + i] + expected);
    }
  }
  return rgb;
}

TEST(Png, HoldsThePicture) {
  const std::vector<unsigned char> rgb = {255, 0, 0, 0, 255, 0, 0, 0, 255,
                                          9,   8, 7, 6, 5,   4, 3, 2, 1};
  const std::string png = encode_png(rgb, 3, 2);
  EXPECT_EQ(png.substr(0, 8), "\x89PNG\r\n\x1a\n");
  EXPECT_EQ(chunk(png, "IHDR"), std::string("\0\0\0\3\0\0\0\2\x8\2\0\0\0", 13));
  EXPECT_EQ(decode(png, 3, 2), rgb);
  // The end of every PNG there is, checksum included.
  EXPECT_EQ(png.substr(png.size() - 12), std::string("\0\0\0\0IEND\xAE\x42\x60\x82", 12));
  EXPECT_THROW(encode_png(rgb, 3, 3), std::runtime_error);
}

TEST(Png, GivesBackPicturesOfEveryShape) {
  const int shapes[][2] = {{1, 1}, {1, 40}, {40, 1}, {17, 23}, {300, 200}};
  for (const auto& [width, height] : shapes) {
    std::vector<unsigned char> rgb(std::size_t{3} * width * height);
    const std::string plain = encode_png(rgb, width, height);
    EXPECT_EQ(decode(plain, width, height), rgb) << width << " x " << height;
    for (std::size_t i = 0; i < rgb.size(); ++i) {
      rgb[i] = static_cast<unsigned char>(random_bits(7, i));
    }
    const std::string noise = encode_png(rgb, width, height);
    EXPECT_EQ(decode(noise, width, height), rgb) << width << " x " << height;
    EXPECT_LE(plain.size(), noise.size()) << "a plain picture packs better";
  }
}

}  // namespace
}  // namespace judge
