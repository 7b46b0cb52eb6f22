// SPDX-License-Identifier: MIT
// What asynchronous copies to shared memory are made of. A thread's copies are read when they begin
// and arrive when the thread waits for their batch: nobody sees them before, and who looks is told
// (a finding "race"). Copies that are tied to a barrier in memory arrive at once: of those, only a
// missing wait for other threads is caught.
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

// The running thread's [destination, destination + size_bytes), at most 16 bytes of shared memory,
// which was just written, arrives later. Elsewhere, and on the host, nothing happens.
void begin_copy(void* destination, std::size_t size_bytes);
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
