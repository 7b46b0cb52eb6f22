// SPDX-License-Identifier: MIT
// Decodes what png.cpp wrote with a reader of its own, checksums included.
#include "picture/png.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "fixture/test_data.h"
#include "picture/deflate.h"

namespace judge {
namespace {

// Reads one block of fixed codes, bit by bit, straight from RFC 1951, section 3.2.
class Inflater {
 public:
  explicit Inflater(const std::string& packed) : packed_(packed) {}

  std::vector<unsigned char> unpack() {
    EXPECT_EQ(packed_.substr(0, 2), "\x78\x01");
    EXPECT_EQ(number(1), 1U) << "one block only";
    EXPECT_EQ(number(2), 1U) << "of fixed codes";
    for (int symbol = literal_or_length(); symbol != 256; symbol = literal_or_length()) {
      if (symbol < 256) {
        bytes_.push_back(static_cast<unsigned char>(symbol));
      } else {
        copy(symbol);
      }
    }
    return bytes_;
  }
  std::size_t bytes_read() const { return (at_ + 7) / 8; }

 private:
  unsigned bit() {
    const auto byte = static_cast<unsigned char>(packed_.at(at_ / 8));
    return byte >> at_++ % 8 & 1;
  }
  unsigned number(int num_bits) {
    unsigned value = 0;
    for (int i = 0; i < num_bits; ++i) value |= bit() << i;
    return value;
  }
  int literal_or_length() {
    int code = 0;
    for (int i = 0; i < 7; ++i) code = code << 1 | static_cast<int>(bit());
    if (code <= 0b0010111) return 256 + code;
    code = code << 1 | static_cast<int>(bit());
    if (code <= 0b10111111) return code - 0b00110000;
    if (code <= 0b11000111) return 280 + code - 0b11000000;
    return 144 + (code << 1 | static_cast<int>(bit())) - 0b110010000;
  }
  // Base values by adding up: each symbol's range is as long as its extra bits say.
  int ranged(int symbol, int base, int bits_of_symbol(int)) {
    for (int i = 0; i < symbol; ++i) base += 1 << bits_of_symbol(i);
    return base + static_cast<int>(number(bits_of_symbol(symbol)));
  }
  void copy(int symbol) {
    const int length =
        symbol == 285 ? 258 : ranged(symbol - 257, 3, [](int i) { return i < 8 ? 0 : i / 4 - 1; });
    int code = 0;
    for (int i = 0; i < 5; ++i) code = code << 1 | static_cast<int>(bit());
    const int distance = ranged(code, 1, [](int i) { return i < 4 ? 0 : i / 2 - 1; });
    for (int i = 0; i < length; ++i) bytes_.push_back(bytes_.at(bytes_.size() - distance));
  }

  const std::string& packed_;
  std::size_t at_ = 16;  // bits; behind zlib's header
  std::vector<unsigned char> bytes_;
};

void expect_round_trip(const std::vector<unsigned char>& bytes) {
  const std::string packed = compress(bytes);
  Inflater inflater(packed);
  EXPECT_EQ(inflater.unpack(), bytes);
  EXPECT_EQ(inflater.bytes_read() + 4, packed.size()) << "the checksum is all that is left";
}

std::vector<unsigned char> noise(std::size_t count, unsigned num_values) {
  std::vector<unsigned char> bytes(count);
  for (std::size_t i = 0; i < count; ++i) {
    bytes[i] = static_cast<unsigned char>(random_bits(7, i) % num_values);
  }
  return bytes;
}

TEST(Deflate, GivesBackWhatWasPacked) {
  for (const std::size_t count : {0, 1, 2, 3, 4, 257, 258, 259, 260, 1000, 70000}) {
    expect_round_trip(std::vector<unsigned char>(count, 0x41));
    expect_round_trip(noise(count, 256));
    expect_round_trip(noise(count, 3));
  }
}

TEST(Deflate, CopiesFromFarBack) {
  // Twice the same noise, at every magnitude of distance and at the longest that there is.
  for (const std::size_t distance : {5, 24, 100, 1000, 5000, 20000, 32768}) {
    std::vector<unsigned char> bytes = noise(distance, 256);
    bytes.insert(bytes.end(), bytes.begin(), bytes.begin() + 5);
    expect_round_trip(bytes);
    EXPECT_LT(compress(bytes).size(), compress(noise(distance + 5, 256)).size());
  }
}

TEST(Deflate, ChecksumIsAdler32) {
  const std::string text = "Wikipedia";  // the usual example: 0x11E60398
  const std::string packed =
      compress({reinterpret_cast<const unsigned char*>(text.data()), text.size()});
  EXPECT_EQ(packed.substr(packed.size() - 4), "\x11\xE6\x03\x98");
}

TEST(Png, HoldsThePicture) {
  const std::vector<unsigned char> rgb = {255, 0, 0, 0, 255, 0, 0, 0, 255,
                                          9,   8, 7, 6, 5,   4, 3, 2, 1};
  const std::string png = encode_png(rgb, 3, 2);
  EXPECT_EQ(png.substr(0, 8), "\x89PNG\r\n\x1a\n");
  EXPECT_EQ(png.substr(12, 4), "IHDR");
  EXPECT_EQ(png.substr(16, 8), std::string("\0\0\0\3\0\0\0\2", 8));
  // The end of every PNG there is, checksum included.
  EXPECT_EQ(png.substr(png.size() - 12), std::string("\0\0\0\0IEND\xAE\x42\x60\x82", 12));
  EXPECT_THROW(encode_png(rgb, 3, 3), std::runtime_error);
}

}  // namespace
}  // namespace judge
