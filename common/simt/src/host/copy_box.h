// SPDX-License-Identifier: MIT
// Copies of boxes, and when copies run. Not for use outside src/host.
#pragma once

#include <cstddef>
#include <functional>

#include "simt/copy_api.h"
#include "simt/graph_nodes.h"

namespace simt::internal {

// Rows, `pitch` bytes apart, in slices of slice_rows rows. The extent of a copy says how much of
// it is used.
struct Box {
  char* base;
  std::size_t pitch;
  std::size_t slice_rows;

  char* row(std::size_t y, std::size_t z) const { return base + (z * slice_rows + y) * pitch; }
};

inline Box plane(const void* base, std::size_t pitch) {
  return {static_cast<char*>(const_cast<void*>(base)), pitch, 0};
}
inline Box box_at(const cudaPitchedPtr& pitched, cudaPos position) {
  const Box whole = {static_cast<char*>(pitched.ptr), pitched.pitch, pitched.ysize};
  return {whole.row(position.y, position.z) + position.x, pitched.pitch, pitched.ysize};
}

cudaError_t copy_box(Box to, Box from, cudaExtent extent, cudaMemcpyKind kind);

// Runs `operation` if the stream exists, and records what came of it. Behind a kernel that waits
// for the host it runs later. A stream that captures takes it as a node, which is like `like`.
cudaError_t on_stream(cudaStream_t stream, const cudaMemcpy3DParms& like,
                      const std::function<cudaError_t()>& operation);
cudaError_t on_stream(cudaStream_t stream, const cudaMemsetParams& like,
                      const std::function<cudaError_t()>& operation);

// Copies that are not Async begin when the stream's work is done, and return when they are.
cudaError_t wait_for(const std::function<cudaError_t()>& copy);

// So do asynchronous ones to ordinary memory of the host ...
void wait_if_pageable(const void* destination, cudaStream_t stream);

// ... and asynchronous ones from there have read it when they return.
void stage_if_pageable(const void* source, cudaStream_t stream);

}  // namespace simt::internal
