// SPDX-License-Identifier: MIT
// Turning CUDA's return codes into exceptions, so that no error is lost between a call and its
// check.
#pragma once

#include <cuda_runtime.h>

#include <stdexcept>
#include <string>

namespace lab {

// A CUDA call or launch failed. what() names the error and says what it means.
class CudaError : public std::runtime_error {
 public:
  explicit CudaError(cudaError_t code)
      : std::runtime_error(std::string(cudaGetErrorName(code)) + ": " + cudaGetErrorString(code)),
        code_(code) {}
  cudaError_t code() const { return code_; }

 private:
  cudaError_t code_;
};

// Throws CudaError unless `code` is cudaSuccess. Wrap every runtime call: check(cudaMemcpy(...)).
inline void check(cudaError_t code) {
  if (code == cudaSuccess) return;
  cudaGetLastError();  // clears the error, or the next check_launch() would report it a second time
  throw CudaError(code);
}

// Call after each <<<...>>>, which has no return value. Reports a launch that could not start (too
// many threads, too much shared memory); a fault inside the kernel shows up at the next
// synchronisation.
inline void check_launch() { check(cudaGetLastError()); }

}  // namespace lab
