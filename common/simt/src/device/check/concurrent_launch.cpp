// SPDX-License-Identifier: MIT
#include "check/concurrent_launch.h"

#include <algorithm>

#include "run/stream_order.h"

namespace simt::device {

const char* concurrent_kernel_of(Stamp stamp) {
  const std::uint32_t block = ordinal_of(stamp);
  for (const internal::Work* const work : internal::concurrent_work()) {
    if (block >= work->first_block && block < work->end_block) return work->kernel;
  }
  return nullptr;
}

std::uint32_t first_concurrent_block(std::uint32_t otherwise) {
  std::uint32_t first = otherwise;
  for (const internal::Work* const work : internal::concurrent_work()) {
    if (work->first_block < work->end_block) first = std::min(first, work->first_block);
  }
  return first;
}

}  // namespace simt::device
