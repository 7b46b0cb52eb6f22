// SPDX-License-Identifier: MIT
// Details of the last error, for reports, and how a worker clears them between two calls. Not in
// error.h, which every rung includes: <string> would make each rung compile 20% longer.
#pragma once

#include <string>

#include "simt/call_stack.h"
#include "simt/error.h"

namespace simt {

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

// Where an allocation first failed since clear_errors(); an empty stack if none has.
const ErrorOrigin& failed_allocation();

// Forgets both (cudaDeviceReset, and a worker between two calls).
void clear_errors();

}  // namespace simt
