// SPDX-License-Identifier: MIT
// Turns CUDA's return codes into exceptions, so that no error is lost between a call and its check.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <exception>

namespace lab {

// A CUDA call or launch failed. what() names the error and says what it means.
// A std::exception with a text of its own, since <stdexcept> would make every rung compile longer.
class CudaError : public std::exception {
 public:
  explicit CudaError(cudaError_t code) : code_(code) {
    std::snprintf(what_, sizeof what_, "%s: %s", cudaGetErrorName(code), cudaGetErrorString(code));
  }
  cudaError_t code() const { return code_; }
  const char* what() const noexcept override { return what_; }

 private:
  cudaError_t code_;
  char what_[256];  // the longest that CUDA 13 has is shorter
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
