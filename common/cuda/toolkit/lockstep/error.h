// SPDX-License-Identifier: MIT
// Error codes, with CUDA's numeric values, and the runtime's error state.
#pragma once

enum cudaError {
#define LOCKSTEP_ERROR(name, value, text) name = value,
#include "lockstep/error_codes.inc"
#undef LOCKSTEP_ERROR
};
typedef enum cudaError cudaError_t;

// Returns the last error and resets it to cudaSuccess; a sticky error stays.
LOCKSTEP_API cudaError_t cudaGetLastError();
// Returns the last error and keeps it.
LOCKSTEP_API cudaError_t cudaPeekAtLastError();
// The enumerator's name ("cudaErrorInvalidValue") and CUDA's one-
// line description of it; never null.
LOCKSTEP_API const char* cudaGetErrorName(cudaError_t error);
LOCKSTEP_API const char* cudaGetErrorString(cudaError_t error);
