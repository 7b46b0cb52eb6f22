// SPDX-License-Identifier: MIT
// A thread's own asynchronous copies to shared memory, in batches.
#pragma once

#include <cstring>

#include "simt/async_copy.h"
#include "simt/keywords.h"

// Copies size_bytes (4, 8 or 16, to and from addresses that are multiples of it), of which the last
// zero_bytes are not read but set to zero.
SIMT_INLINE void __pipeline_memcpy_async(void* destination, const void* source,
                                         std::size_t size_bytes, std::size_t zero_bytes = 0) {
  if (zero_bytes == 0) {
    simt::copy_share<simt::Arrival::kLater>(destination, source, size_bytes);
    return;
  }
  auto* const bytes = static_cast<unsigned char*>(destination);
  for (std::size_t i = 0; i < size_bytes; ++i) {
    bytes[i] = i < size_bytes - zero_bytes ? static_cast<const unsigned char*>(source)[i] : 0;
  }
  simt::begin_copy(destination, size_bytes);
}

SIMT_INLINE void __pipeline_commit() { simt::commit_copies(); }

// Waits for all but the last num_later batches that this thread has committed.
SIMT_INLINE void __pipeline_wait_prior(std::size_t num_later) { simt::wait_for_copies(num_later); }
