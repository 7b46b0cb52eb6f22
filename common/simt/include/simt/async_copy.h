// SPDX-License-Identifier: MIT
// The parts of asynchronous copies to shared memory. A thread's copies read their source when they
// begin, and arrive when the thread waits for their batch. A read before that is reported (a
// finding "race"). Copies that are tied to a barrier in memory arrive at once: for those, the
// checkers find only a missing wait for other threads.
#pragma once

#include <cstddef>
#include <cstdint>

#include "simt/keywords.h"

namespace simt {

// Words of 16 to 1 bytes that may stand for objects of any type.
struct alignas(16) CopyWord16 {
  std::uint64_t low, high;
} __attribute__((may_alias));
typedef std::uint64_t CopyWord8 __attribute__((may_alias));
typedef std::uint32_t CopyWord4 __attribute__((may_alias));
typedef std::uint16_t CopyWord2 __attribute__((may_alias));
typedef unsigned char CopyWord1 __attribute__((may_alias));

// Ends the kernel unless the hardware can copy that at once: size_bytes is 4, 8 or 16, both
// addresses are multiples of it, and zero_bytes are not more.
void check_copy(const void* destination, const void* source, std::size_t size_bytes,
                std::size_t zero_bytes);

// The running thread's [destination, destination + size_bytes), at most 16 bytes of shared memory,
// which was just written, arrives later. Elsewhere, and on the host, nothing happens. has_source:
// some of it was read, and not all set to zero.
void begin_copy(void* destination, std::size_t size_bytes, bool has_source = true);
// Ends the running thread's batch, to which its copies since the last one belong.
void commit_copies();
// Lets the copies of all but the last num_later_batches committed batches arrive.
void wait_for_copies(std::size_t num_later_batches);

enum class Arrival : unsigned char { kAtOnce, kLater };

// Copies the words number rank, rank + num_threads ...
template <class Word, Arrival arrival>
SIMT_INLINE void copy_words(void* destination, const void* source, std::size_t size_bytes,
                            std::size_t rank, std::size_t num_threads) {
  for (std::size_t i = rank; i < size_bytes / sizeof(Word); i += num_threads) {
    static_cast<Word*>(destination)[i] = static_cast<const Word*>(source)[i];
    if (arrival == Arrival::kLater) begin_copy(static_cast<Word*>(destination) + i, sizeof(Word));
  }
}

// Fewer than 16 bytes from an address that is a multiple of the next power of two, in as few words
// as possible.
SIMT_INLINE void copy_bytes(void* destination, const void* source, std::size_t size_bytes) {
  auto* const to = static_cast<CopyWord1*>(destination);
  const auto* const from = static_cast<const CopyWord1*>(source);
  const std::size_t after8 = size_bytes & 8, after4 = size_bytes & 12, after2 = size_bytes & 14;
  if ((size_bytes & 8) != 0) copy_words<CopyWord8, Arrival::kAtOnce>(to, from, 8, 0, 1);
  if ((size_bytes & 4) != 0) {
    copy_words<CopyWord4, Arrival::kAtOnce>(to + after8, from + after8, 4, 0, 1);
  }
  if ((size_bytes & 2) != 0) {
    copy_words<CopyWord2, Arrival::kAtOnce>(to + after4, from + after4, 2, 0, 1);
  }
  if ((size_bytes & 1) != 0) {
    copy_words<CopyWord1, Arrival::kAtOnce>(to + after2, from + after2, 1, 0, 1);
  }
}

// This thread's share of a copy by num_threads threads, in the widest words that fit.
template <Arrival arrival>
SIMT_INLINE void copy_share(void* destination, const void* source, std::size_t size_bytes,
                            std::size_t rank = 0, std::size_t num_threads = 1) {
  const auto bits = reinterpret_cast<std::uintptr_t>(destination) |
                    reinterpret_cast<std::uintptr_t>(source) | size_bytes;
  if (bits % 16 == 0) {
    copy_words<CopyWord16, arrival>(destination, source, size_bytes, rank, num_threads);
  } else if (bits % 8 == 0) {
    copy_words<CopyWord8, arrival>(destination, source, size_bytes, rank, num_threads);
  } else if (bits % 4 == 0) {
    copy_words<CopyWord4, arrival>(destination, source, size_bytes, rank, num_threads);
  } else {
    copy_words<CopyWord1, arrival>(destination, source, size_bytes, rank, num_threads);
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
