// SPDX-License-Identifier: MIT
// Keys as unsigned numbers in the same order, and a stable sort by a range of their bits.
#pragma once

#include "cub/util_traits.cuh"
#include "cub/util_type.cuh"

namespace cub::detail {

// Of a floating-point number: negative ones reversed, and below the others. -0 equals 0.
template <class Key>
SIMT_UNTRACED inline UnsignedOf<sizeof(Key)> bits_in_order(Key key) {
  using Bits = UnsignedOf<sizeof(Key)>;
  constexpr Bits kSign = Bits(Bits(1) << (sizeof(Key) * CHAR_BIT - 1));
  const Bits bits = __builtin_bit_cast(Bits, key);
  if (!std::is_integral_v<Key> && bits == kSign) return kSign;
  return Traits<Key>::TwiddleIn(bits);
}

// Which bits of the keys count, and in which direction.
struct KeyOrder {
  int begin_bit, end_bit;
  bool descends;

  template <class Key>
  SIMT_UNTRACED std::uint64_t place_of(Key key) const {
    const std::uint64_t bits = bits_in_order(key);
    const std::uint64_t upper = end_bit >= 64 ? bits : bits & ((std::uint64_t{1} << end_bit) - 1);
    const std::uint64_t part = upper >> begin_bit;
    return descends ? ~part : part;
  }
};

// The order of keys [0, count) as indices, by merging ever longer runs; `room` is as long as
// `order`, and one of both holds the result.
template <class Key, class Index>
SIMT_UNTRACED Index* sorted_order(const Key* keys, std::size_t count, Index* order, Index* room,
                                  KeyOrder by) {
  for (std::size_t i = 0; i < count; ++i) order[i] = static_cast<Index>(i);
  for (std::size_t run = 1; run < count; run *= 2) {
    for (std::size_t begin = 0; begin < count; begin += 2 * run) {
      const std::size_t middle = begin + run < count ? begin + run : count;
      const std::size_t end = middle + run < count ? middle + run : count;
      std::size_t left = begin, right = middle;
      for (std::size_t to = begin; to < end; ++to) {
        const bool takes_right =
            left == middle ||
            (right < end && by.place_of(keys[order[right]]) < by.place_of(keys[order[left]]));
        room[to] = order[takes_right ? right++ : left++];
      }
    }
    Index* const sorted = room;
    room = order;
    order = sorted;
  }
  return order;
}

}  // namespace cub::detail
