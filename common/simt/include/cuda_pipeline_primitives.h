// SPDX-License-Identifier: MIT
// A thread's own asynchronous copies to shared memory, in batches.
#pragma once

#include <cstring>

#include "simt/async_copy.h"
#include "simt/keywords.h"

namespace simt {

// Copies one word, but sets its last zero_bytes to zero instead of reading them.
template <class Word>
SIMT_INLINE void copy_word(void* destination, const void* source, std::size_t zero_bytes) {
  if (zero_bytes == 0) {
    return copy_words<Word, Arrival::kLater>(destination, source, sizeof(Word), 0, 1);
  }
  Word word = {};
  copy_bytes(&word, source, sizeof(Word) - zero_bytes);
  *static_cast<Word*>(destination) = word;
  begin_copy(destination, sizeof(Word), zero_bytes < sizeof(Word));
}

}  // namespace simt

// Copies size_bytes (4, 8 or 16, to and from addresses that are multiples of it), but sets the last
// zero_bytes to zero instead of reading them.
SIMT_INLINE void __pipeline_memcpy_async(void* destination, const void* source,
                                         std::size_t size_bytes, std::size_t zero_bytes = 0) {
  simt::check_copy(destination, source, size_bytes, zero_bytes);
  if (size_bytes == 16) {
    simt::copy_word<simt::CopyWord16>(destination, source, zero_bytes);
  } else if (size_bytes == 8) {
    simt::copy_word<simt::CopyWord8>(destination, source, zero_bytes);
  } else {
    simt::copy_word<simt::CopyWord4>(destination, source, zero_bytes);
  }
}

SIMT_INLINE void __pipeline_commit() { simt::commit_copies(); }

// Waits for all but the last num_later batches that this thread has committed.
SIMT_INLINE void __pipeline_wait_prior(std::size_t num_later) { simt::wait_for_copies(num_later); }
