// SPDX-License-Identifier: MIT
// Copies of boxes, and when copies run.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <functional>

#include "allocation.h"
#include "serve/box.h"

namespace runtime {

inline serve::Box plane(const void* base, std::size_t pitch) { return {number(base), pitch, 0}; }

inline serve::Box box_at(const cudaPitchedPtr& pitched, cudaPos position) {
  const std::uint64_t row = position.z * pitched.ysize + position.y;
  return {number(pitched.ptr) + row * pitched.pitch + position.x, pitched.pitch, pitched.ysize};
}

// When the host goes on.
enum class Host { kGoesOn, kWaits };

// What a copy is, so that a graph can keep it.
struct BoxCopy {
  serve::Box to;
  serve::Box from;
  cudaExtent extent;
  cudaMemcpyKind kind;
};

// Copies as a piece of work of the stream, and records what came of it. Behind a kernel that waits
// for the host it runs later. A stream that captures takes it as a node, which is like `like`.
// Ordinary memory of the host has been read, or is filled, when the call returns.
cudaError_t copy_on(cudaStream_t stream, const BoxCopy& copy, const cudaMemcpy3DParms& like,
                    Host host = Host::kGoesOn);

struct BoxFill {
  serve::Box to;
  cudaExtent extent;
  unsigned value;
  unsigned element_bytes;
};
cudaError_t fill_on(cudaStream_t stream, const BoxFill& fill, const cudaMemsetParams& like,
                    Host host = Host::kGoesOn);

// A copy as a node describes it.
inline cudaMemcpy3DParms plain_copy(void* destination, const void* source, std::size_t size_bytes,
                                    cudaMemcpyKind kind) {
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = {const_cast<void*>(source), size_bytes, size_bytes, 1};
  copy.dstPtr = {destination, size_bytes, size_bytes, 1};
  copy.extent = {size_bytes, 1, 1};
  copy.kind = kind;
  return copy;
}

// cudaMemset for elements of 1, 2 or 4 bytes.
cudaError_t fill_elements(const cudaMemsetParams& fill, cudaStream_t stream);

}  // namespace runtime
