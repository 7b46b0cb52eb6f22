// SPDX-License-Identifier: MIT
// Copies by all threads of a group. The contents are there for the group after wait().
#pragma once

#include "cooperative_groups.h"
#include "cuda_pipeline_primitives.h"

#ifdef __CUDA__

namespace lockstep {

// This thread's share of a copy by num_threads threads, in the widest words that fit: of 16, 8 or 4
// bytes, which the hardware copies to shared memory by itself, or single bytes, which it does not.
template <class Word>
LOCKSTEP_DEVICE void copy_words(void* destination, const void* source, size_t size_bytes,
                                size_t rank, size_t num_threads) {
  const bool is_shared = __nvvm_isspacep_shared(destination);
  Word* const to = static_cast<Word*>(destination);
  const Word* const from = static_cast<const Word*>(source);
  for (size_t i = rank; i < size_bytes / sizeof(Word); i += num_threads) {
    if (sizeof(Word) > 1 && is_shared && __nvvm_isspacep_global(source)) {
      __pipeline_memcpy_async(to + i, from + i, sizeof(Word));
    } else {
      to[i] = from[i];
    }
  }
}

LOCKSTEP_DEVICE void copy_share(void* destination, const void* source, size_t size_bytes,
                                size_t rank, size_t num_threads) {
  const size_t bits =
      reinterpret_cast<size_t>(destination) | reinterpret_cast<size_t>(source) | size_bytes;
  if (bits % 16 == 0) {
    copy_words<uint4>(destination, source, size_bytes, rank, num_threads);
  } else if (bits % 8 == 0) {
    copy_words<unsigned long long>(destination, source, size_bytes, rank, num_threads);
  } else if (bits % 4 == 0) {
    copy_words<unsigned int>(destination, source, size_bytes, rank, num_threads);
  } else {
    copy_words<unsigned char>(destination, source, size_bytes, rank, num_threads);
  }
}

}  // namespace lockstep

namespace cooperative_groups {
namespace __v1 {

// size_bytes: a number or cuda::aligned_size_t.
template <class Group, class To, class From>
LOCKSTEP_DEVICE void memcpy_async(const Group& group, To* destination, const From* source,
                                  size_t size_bytes) {
  lockstep::copy_share(destination, source, size_bytes, group.thread_rank(), group.size());
  __pipeline_commit();
}

// The lesser of both counts of elements.
template <class Group, class T>
LOCKSTEP_DEVICE void memcpy_async(const Group& group, T* destination, size_t destination_count,
                                  const T* source, size_t source_count) {
  const size_t count = destination_count < source_count ? destination_count : source_count;
  memcpy_async(group, destination, source, count * sizeof(T));
}

template <class Group>
LOCKSTEP_DEVICE void wait(const Group& group) {
  __pipeline_wait_prior(0);
  group.sync();
}
template <unsigned int num_later_copies, class Group>
LOCKSTEP_DEVICE void wait_prior(const Group& group) {
  __pipeline_wait_prior(num_later_copies);
  group.sync();
}

}  // namespace __v1
using namespace __v1;
}  // namespace cooperative_groups

#endif
