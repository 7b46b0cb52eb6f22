// SPDX-License-Identifier: MIT
// Error codes, with CUDA's numeric values, and the runtime's error state.
#pragma once

#include <string>

#include "simt/call_stack.h"

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
// error is set, it is what is recorded and returned. Every API function returns through this.
cudaError_t set_last_error(cudaError_t error);

// The result of a function of streams or events, by whether the handle that it got is one.
inline cudaError_t set_handle_error(bool is_valid) {
  return set_last_error(is_valid ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

// A kernel has faulted: until cudaDeviceReset every later API call returns `error`. The first wins.
void set_sticky_error(cudaError_t error);

// The sticky error, or cudaSuccess.
cudaError_t sticky_error();

// Where the last error that set_last_error recorded came from.
struct ErrorOrigin {
  CallStack stack;
  std::string kernel;  // of a launch that could not start
  std::string what;    // what failed, in words: "the launch of add_kernel"; may be empty
};
const ErrorOrigin& last_error_origin();

// Says more about the error just recorded.
void explain_last_error(std::string what, const char* kernel = "");

// Forgets both (cudaDeviceReset, and a worker between two calls).
void clear_errors();

}  // namespace simt
