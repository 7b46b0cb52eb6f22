// SPDX-License-Identifier: MIT
// How CUB's functions for the whole device run: as a kernel of one thread, which does the work in
// order. So its accesses are checked as any kernel's, and its results are the same in each run.
#pragma once

#include <cstdint>
#include <optional>

#include "cub/thread/thread_operators.cuh"
#include "cub/util_type.cuh"

namespace cub::detail {

using Call = simt::BarrierCall;  // where the program calls

// The protocol of two calls: without room a call says how much it needs. Nothing: go on.
inline std::optional<cudaError_t> asked(void* room, std::size_t& room_bytes, std::size_t needed) {
  if (room == nullptr) {
    room_bytes = needed;
    return cudaSuccess;
  }
  if (room_bytes < needed) return cudaErrorInvalidValue;
  return std::nullopt;
}

// Much less than a GPU needs, but never 0.
inline std::size_t usual_room(std::size_t num_items) { return 256 + num_items / 64; }

template <class Body>
void one_thread(Body body) {
  body();
}

template <class Body>
cudaError_t run(const char* name, Call call, cudaStream_t stream, void* room, std::size_t needed,
                Body body) {
  const auto work = [=] {
    static_cast<char*>(room)[0] = 0;
    static_cast<char*>(room)[needed - 1] = 0;
    body();
  };
  const simt::LaunchSite site = {name, call.file_name(), static_cast<int>(call.line())};
  return simt::detail::run_with(site, simt::LaunchConfig(1, 1, 0, stream),
                                &one_thread<decltype(work)>, work);
}

}  // namespace cub::detail
