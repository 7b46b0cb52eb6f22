// SPDX-License-Identifier: MIT
// Error codes, with CUDA's numeric values, and the runtime's error state.
#pragma once

enum cudaError {
#define SIMT_ERROR(name, value, text) name = value,
#include "simt/error_codes.inc"
#undef SIMT_ERROR
};
typedef enum cudaError cudaError_t;

// Returns the last error and resets it to cudaSuccess; a sticky error stays.
cudaError_t cudaGetLastError();
// Returns the last error and keeps it.
cudaError_t cudaPeekAtLastError();
// The enumerator's name ("cudaErrorInvalidValue") and CUDA's one-
// line description of it; never null.
const char* cudaGetErrorName(cudaError_t error);
const char* cudaGetErrorString(cudaError_t error);

namespace simt {

// Records `error` for cudaGetLastError and returns it; cudaSuccess records nothing. While a sticky
// error is set, that one is recorded and returned. Every API function returns through this.
cudaError_t set_last_error(cudaError_t error);

// The result of a function of streams or events, depending on whether its handle is valid.
inline cudaError_t set_handle_error(bool is_valid) {
  return set_last_error(is_valid ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

}  // namespace simt
