// SPDX-License-Identifier: MIT
// DEFLATE with its fixed Huffman codes: each byte as itself, or as a copy of what came before.
#include "picture/deflate.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace judge {
namespace {

constexpr std::size_t kWindow = 32768;  // how far back a copy may begin
constexpr std::size_t kMinCopy = 3;
constexpr std::size_t kMaxCopy = 258;
constexpr int kMaxCandidates = 16;  // earlier places that are compared
constexpr std::size_t kHashSize = 1 << 15;
constexpr std::size_t kNowhere = ~std::size_t{0};
constexpr int kEndOfBlock = 256;
constexpr std::uint32_t kAdlerModulus = 65521;

// Lengths and distances are sent as a symbol and some extra bits: symbol i begins at kBase[i].
constexpr std::array<int, 29> kLengthBase = {3,  4,  5,  6,   7,   8,   9,   10,  11, 13,
                                             15, 17, 19, 23,  27,  31,  35,  43,  51, 59,
                                             67, 83, 99, 115, 131, 163, 195, 227, 258};
constexpr std::array<int, 29> kLengthBits = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                             2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
constexpr std::array<int, 30> kDistanceBase = {
    1,   2,   3,   4,   5,   7,    9,    13,   17,   25,   33,   49,   65,    97,    129,
    193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
constexpr std::array<int, 30> kDistanceBits = {0, 0, 0, 0, 1, 1, 2, 2,  3,  3,  4,  4,  5,  5,  6,
                                               6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13};

class BitWriter {
 public:
  // Numbers go out with the lowest bit first, Huffman codes with the highest.
  void number(unsigned value, int num_bits) {
    for (int i = 0; i < num_bits; ++i) bit(value >> i & 1);
  }
  void code(unsigned value, int num_bits) {
    for (int i = num_bits - 1; i >= 0; --i) bit(value >> i & 1);
  }
  void literal_or_length(int symbol) {  // the fixed code
    if (symbol < 144) return code(0x30 + symbol, 8);
    if (symbol < 256) return code(0x190 + symbol - 144, 9);
    if (symbol < 280) return code(symbol - 256, 7);
    code(0xC0 + symbol - 280, 8);
  }
  void copy(std::size_t length, std::size_t distance) {
    const int of_length = symbol(kLengthBase, length);
    literal_or_length(kEndOfBlock + 1 + of_length);
    number(static_cast<unsigned>(length) - kLengthBase[of_length], kLengthBits[of_length]);
    const int of_distance = symbol(kDistanceBase, distance);
    code(of_distance, 5);
    number(static_cast<unsigned>(distance) - kDistanceBase[of_distance],
           kDistanceBits[of_distance]);
  }
  std::string finish() {
    while (num_bits_ != 0) bit(0);
    return std::move(bytes_);
  }

 private:
  template <std::size_t size>
  static int symbol(const std::array<int, size>& base, std::size_t value) {
    const auto next = std::upper_bound(base.begin(), base.end(), static_cast<int>(value));
    return static_cast<int>(next - base.begin()) - 1;
  }
  void bit(unsigned value) {
    byte_ |= value << num_bits_;
    if (++num_bits_ < 8) return;
    bytes_.push_back(static_cast<char>(byte_));
    byte_ = 0;
    num_bits_ = 0;
  }

  std::string bytes_;
  unsigned byte_ = 0;
  int num_bits_ = 0;
};

// Finds the longest copy among the latest places that began with the same three bytes.
class History {
 public:
  explicit History(std::span<const unsigned char> bytes)
      : bytes_(bytes), latest_(kHashSize, kNowhere), earlier_(bytes.size(), kNowhere) {}

  struct Copy {
    std::size_t length = 0;
    std::size_t distance = 0;
  };
  Copy find(std::size_t at) const {
    Copy best;
    const std::size_t longest = std::min(kMaxCopy, bytes_.size() - at);
    if (longest < kMinCopy) return best;
    std::size_t place = latest_[hash(at)];
    for (int i = 0; i < kMaxCandidates && place != kNowhere && at - place <= kWindow; ++i) {
      std::size_t length = 0;
      while (length < longest && bytes_[place + length] == bytes_[at + length]) ++length;
      if (length > best.length) best = {length, at - place};
      place = earlier_[place];
    }
    return best;
  }
  void remember(std::size_t at) {
    if (bytes_.size() - at < kMinCopy) return;
    std::size_t& latest = latest_[hash(at)];
    earlier_[at] = latest;
    latest = at;
  }

 private:
  std::size_t hash(std::size_t at) const {
    const std::uint32_t key = bytes_[at] | bytes_[at + 1] << 8 | bytes_[at + 2] << 16;
    return key * 2654435761U >> 17;  // Knuth's multiplicative hash, 15 bits
  }

  std::span<const unsigned char> bytes_;
  std::vector<std::size_t> latest_;
  std::vector<std::size_t> earlier_;
};

std::uint32_t adler32(std::span<const unsigned char> bytes) {
  std::uint32_t a = 1;
  std::uint32_t b = 0;
  for (const unsigned char byte : bytes) {
    a = (a + byte) % kAdlerModulus;
    b = (b + a) % kAdlerModulus;
  }
  return b << 16 | a;
}

}  // namespace

std::string compress(std::span<const unsigned char> bytes) {
  BitWriter out;
  History history(bytes);
  out.number(1, 1);  // the last block
  out.number(1, 2);  // of fixed codes
  for (std::size_t at = 0; at < bytes.size();) {
    const History::Copy copy = history.find(at);
    std::size_t step = 1;
    if (copy.length >= kMinCopy) {
      out.copy(copy.length, copy.distance);
      step = copy.length;
    } else {
      out.literal_or_length(bytes[at]);
    }
    for (; step > 0; --step) history.remember(at++);
  }
  out.literal_or_length(kEndOfBlock);

  std::string packed = "\x78\x01" + out.finish();  // zlib's header: 32 KiB window, no dictionary
  const std::uint32_t check = adler32(bytes);
  for (int shift = 24; shift >= 0; shift -= 8) {
    packed.push_back(static_cast<char>(check >> shift & 0xFF));
  }
  return packed;
}

}  // namespace judge
