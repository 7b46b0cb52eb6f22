// SPDX-License-Identifier: MIT
// Copies by all threads of a group. The contents are there for the group after wait().
#pragma once

#include <algorithm>

#include "cooperative_groups.h"
#include "simt/async_copy.h"

namespace cooperative_groups {

// size_bytes: a number or cuda::aligned_size_t.
template <class Group, class To, class From>
SIMT_INLINE void memcpy_async(const Group& group, To* destination, const From* source,
                              std::size_t size_bytes) {
  simt::copy_share<simt::Arrival::kLater>(destination, source, size_bytes, group.thread_rank(),
                                          group.size());
  simt::commit_copies();
}

// The lesser of both counts of elements.
template <class Group, class T>
SIMT_INLINE void memcpy_async(const Group& group, T* destination, std::size_t destination_count,
                              const T* source, std::size_t source_count) {
  memcpy_async(group, destination, source, std::min(destination_count, source_count) * sizeof(T));
}

template <class Group>
SIMT_INLINE void wait(const Group& group) {
  simt::wait_for_copies(0);
  group.sync();
}
template <unsigned num_later_copies, class Group>
SIMT_INLINE void wait_prior(const Group& group) {
  simt::wait_for_copies(num_later_copies);
  group.sync();
}

}  // namespace cooperative_groups
