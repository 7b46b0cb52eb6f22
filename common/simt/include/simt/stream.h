// SPDX-License-Identifier: MIT
// Streams. All work here runs to completion when it is issued; what may overlap on a
// device is kept for the race checker (src/device/run/stream_order.h).
#pragma once

struct CUstream_st;
typedef CUstream_st* cudaStream_t;

namespace simt {

// True for nullptr, cudaStreamLegacy, cudaStreamPerThread and every
// created, not yet destroyed stream.
bool is_valid_stream(cudaStream_t stream);

}  // namespace simt
