// SPDX-License-Identifier: MIT
#include "simt/integer_intrinsics.h"

namespace {

// Exchanges the bits under `mask` with those `shift` places above.
template <class T>
T swap_groups(T x, T mask, int shift) {
  return ((x >> shift) & mask) | ((x & mask) << shift);
}

template <class T>
T reverse_bits(T x) {
  for (int shift = 1; shift < static_cast<int>(8 * sizeof(T)); shift *= 2) {
    // 0101... for 1, 00110011... for 2: all ones, divided by 1 << shift, plus 1.
    x = swap_groups(x, static_cast<T>(~T{0} / ((T{1} << shift) + 1)), shift);
  }
  return x;
}

template <class T>
T byte_of(unsigned word, int index) {
  return static_cast<T>(word >> (8 * index));
}

}  // namespace

unsigned __brev(unsigned x) { return reverse_bits(x); }
unsigned long long __brevll(unsigned long long x) { return reverse_bits(x); }

unsigned __byte_perm(unsigned low, unsigned high, unsigned selector) {
  const std::uint64_t both = std::uint64_t{high} << 32 | low;
  unsigned result = 0;
  for (int index = 0; index < 4; ++index) {
    const unsigned nibble = selector >> (4 * index);
    unsigned byte = static_cast<unsigned>(both >> (8 * (nibble & 7))) & 0xff;
    if ((nibble & 8) != 0) byte = (byte & 0x80) != 0 ? 0xff : 0;  // the byte's sign, spread
    result |= byte << (8 * index);
  }
  return result;
}

unsigned __fns(unsigned mask, unsigned base, int n) {
  if (n == 0) return (mask >> base & 1) != 0 ? base : 0xffffffffu;
  const int step = n > 0 ? 1 : -1;
  for (int place = static_cast<int>(base); place >= 0 && place < 32; place += step) {
    if ((mask >> place & 1) != 0 && (n -= step) == 0) return static_cast<unsigned>(place);
  }
  return 0xffffffffu;
}

unsigned simt::extract_bits(unsigned x, unsigned mask) {
  unsigned result = 0;
  for (int place = 0; mask != 0; mask &= mask - 1, ++place) {
    const int lowest = std::countr_zero(mask);
    result |= (x >> lowest & 1) << place;
  }
  return result;
}

int __dp4a(int a, int b, int c) {
  for (int index = 0; index < 4; ++index) {
    c += byte_of<signed char>(static_cast<unsigned>(a), index) *
         byte_of<signed char>(static_cast<unsigned>(b), index);
  }
  return c;
}

unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
  for (int index = 0; index < 4; ++index) {
    c += unsigned{byte_of<unsigned char>(a, index)} * byte_of<unsigned char>(b, index);
  }
  return c;
}
