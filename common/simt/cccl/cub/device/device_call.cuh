// SPDX-License-Identifier: MIT
// How CUB's functions for the whole device run: as a kernel of one thread, which does the work in
// order. So its accesses are checked as any kernel's, and its results are the same in each run.
#pragma once

#include <cstdint>

#include "cub/thread/thread_operators.cuh"
#include "cub/util_type.cuh"

namespace cub::detail {

using Call = simt::BarrierCall;  // where the program calls

template <class Body>
void one_thread(Body body) {
  body();
}

// The protocol of two calls: without room a call says how much it needs, and else does the work.
template <class Body>
cudaError_t run_with_room(const char* name, Call call, cudaStream_t stream, void* room,
                          std::size_t& room_bytes, std::size_t needed, Body body) {
  if (room == nullptr) {
    room_bytes = needed;
    return cudaSuccess;
  }
  if (room_bytes < needed) return cudaErrorInvalidValue;
  const auto work = [=] {
    static_cast<char*>(room)[0] = 0;
    static_cast<char*>(room)[needed - 1] = 0;
    body();
  };
  const simt::LaunchSite site = {name, call.file_name(), static_cast<int>(call.line())};
  return simt::detail::run_with(site, simt::LaunchConfig(1, 1, 0, stream),
                                &one_thread<decltype(work)>, work);
}

// The same with much less room than a GPU needs, but never none.
template <class Body>
cudaError_t run(const char* name, Call call, cudaStream_t stream, void* room,
                std::size_t& room_bytes, std::int64_t num_items, Body body) {
  const std::size_t needed = 256 + static_cast<std::size_t>(num_items) / 64;
  return run_with_room(name, call, stream, room, room_bytes, needed, body);
}

}  // namespace cub::detail
