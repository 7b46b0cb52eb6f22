// SPDX-License-Identifier: MIT
#include "check/async_copies.h"

#include <algorithm>

namespace check {

AsyncCopies::Thread& AsyncCopies::thread(std::uint32_t number) {
  if (threads_.size() <= number) threads_.resize(number + 1);
  return threads_[number];
}

void AsyncCopies::begin(const Copy& copy, SharedShadow& shadow) {
  Thread& own = thread(copy.thread);
  own.under_way.push_back(copy);
  own.under_way.back().batch = own.num_batches;
  shadow.clear_written(copy.offset, copy.size_bytes);
}

void AsyncCopies::commit(std::uint32_t number) { ++thread(number).num_batches; }

void AsyncCopies::wait(std::uint32_t number, std::uint32_t num_left) {
  Thread& own = thread(number);
  own.num_batches_waited = own.num_batches;
  own.num_left = num_left;
}

void AsyncCopies::arrive(const Copy& copy, SharedShadow& shadow) {
  std::vector<Copy>& under_way = thread(copy.thread).under_way;
  const auto found = std::ranges::find_if(under_way, [&](const Copy& other) {
    return other.offset == copy.offset && other.size_bytes == copy.size_bytes;
  });
  if (found != under_way.end()) under_way.erase(found);
  shadow.shadow().written.set(copy.offset, copy.size_bytes);
}

std::optional<AsyncCopies::Late> AsyncCopies::find(std::uint64_t offset,
                                                   std::uint64_t size_bytes) const {
  for (const Thread& own : threads_) {
    const auto found = std::ranges::find_if(own.under_way, [&](const Copy& copy) {
      return copy.offset < offset + size_bytes && offset < copy.offset + copy.size_bytes;
    });
    if (found == own.under_way.end()) continue;
    const bool was_left = found->batch < own.num_batches_waited;
    return Late{&*found, found->batch < own.num_batches, was_left ? own.num_left : 0};
  }
  return std::nullopt;
}

}  // namespace check
