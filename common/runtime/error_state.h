// SPDX-License-Identifier: MIT
// The runtime's error state, and where errors came from.
#pragma once

#include <cuda_runtime_api.h>

#include <string>
#include <string_view>
#include <vector>

#include "report/finding.h"
#include "serve/commands.h"

namespace runtime {

// Records `error` for cudaGetLastError and returns it; cudaSuccess records nothing. While a sticky
// error is set, that one is recorded and returned. Every API function returns through this.
cudaError_t set_last_error(cudaError_t error);
// The same; `why` follows the name of the function that the program has called.
cudaError_t set_last_error(cudaError_t error, std::string_view why);

// The result of a function of streams or events, depending on whether its handle is valid.
inline cudaError_t set_handle_error(bool is_valid) {
  return set_last_error(is_valid ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

// A kernel has faulted: until cudaDeviceReset every API call returns this.
cudaError_t sticky_error();

// Where the last error that set_last_error recorded came from.
struct ErrorOrigin {
  serve::Place at;
  std::string kernel;  // of a launch that could not start
  std::string what;    // what failed, in words: "the launch of add_kernel"; may be empty
};
const ErrorOrigin& last_error_origin();

// Errors that cudaGetLastError has not taken, oldest first: of each place the last one of a kind.
struct UncheckedError {
  cudaError_t error;
  ErrorOrigin origin;
};
const std::vector<UncheckedError>& unchecked_errors();

// Says more about the error just recorded.
void explain_last_error(std::string_view what, std::string_view kernel = {});

// Where an allocation first failed since clear_errors(); line 0 if none has.
const ErrorOrigin& failed_allocation();

// Makes it a finding: of each line one for each error.
void report_launch_error(const ErrorOrigin& origin, const std::string& message,
                         cudaError_t error = cudaSuccess);
void report_about_host(report::Kind kind, const ErrorOrigin& origin, const std::string& message,
                       cudaError_t error = cudaSuccess);

// Forgets all of that.
void clear_errors();

}  // namespace runtime
