// SPDX-License-Identifier: MIT
// What all asynchronous copies to shared memory are made of. They are done when they are issued; a
// program that forgets to wait for its own copies is not caught, one that forgets to wait for other
// threads' copies has a race.
#pragma once

#include <cstddef>
#include <cstdint>

#include "simt/keywords.h"

namespace simt {

// Words of 16, 8, 4 and 1 bytes that may stand for objects of any type.
struct alignas(16) CopyWord16 {
  std::uint64_t low, high;
} __attribute__((may_alias));
typedef std::uint64_t CopyWord8 __attribute__((may_alias));
typedef std::uint32_t CopyWord4 __attribute__((may_alias));
typedef unsigned char CopyWord1 __attribute__((may_alias));

// Copies the words number rank, rank + num_threads ...
template <class Word>
SIMT_INLINE void copy_words(void* destination, const void* source, std::size_t size_bytes,
                            std::size_t rank, std::size_t num_threads) {
  for (std::size_t i = rank; i < size_bytes / sizeof(Word); i += num_threads) {
    static_cast<Word*>(destination)[i] = static_cast<const Word*>(source)[i];
  }
}

// This thread's share of a copy by num_threads threads, in the widest words that fit.
SIMT_INLINE void copy_share(void* destination, const void* source, std::size_t size_bytes,
                            std::size_t rank = 0, std::size_t num_threads = 1) {
  const auto bits = reinterpret_cast<std::uintptr_t>(destination) |
                    reinterpret_cast<std::uintptr_t>(source) | size_bytes;
  if (bits % 16 == 0) {
    copy_words<CopyWord16>(destination, source, size_bytes, rank, num_threads);
  } else if (bits % 8 == 0) {
    copy_words<CopyWord8>(destination, source, size_bytes, rank, num_threads);
  } else if (bits % 4 == 0) {
    copy_words<CopyWord4>(destination, source, size_bytes, rank, num_threads);
  } else {
    copy_words<CopyWord1>(destination, source, size_bytes, rank, num_threads);
  }
}

}  // namespace simt

namespace cuda {

// A size that is known to be a multiple of `alignment`, as the pointers that come with it.
template <std::size_t alignment>
struct aligned_size_t {
  std::size_t value;
  constexpr explicit aligned_size_t(std::size_t size_bytes) : value(size_bytes) {}
  constexpr operator std::size_t() const { return value; }
};

}  // namespace cuda
