// SPDX-License-Identifier: MIT
// CUB's way to ask for temporary memory.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "lab/cuda_error.cuh"
#include "lab/scratch.cuh"

namespace lab {

// Calls `call(d_temporary, temporary_bytes)` twice: first with null, which returns the memory it
// needs, then with that much of `scratch`. Throws CudaError, std::bad_alloc.
template <class Call>
void call_cub(Scratch& scratch, const Call& call) {
  std::size_t temporary_bytes = 0;
  check(call(static_cast<void*>(nullptr), temporary_bytes));
  check(call(static_cast<void*>(scratch.allocate<char>(temporary_bytes)), temporary_bytes));
}

}  // namespace lab
