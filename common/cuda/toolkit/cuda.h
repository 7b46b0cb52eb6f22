// SPDX-License-Identifier: MIT
// The driver API is not offered. Programs include this for its version and for the names of the
// types that it shares with the runtime.
#pragma once

#include "cuda_runtime.h"

typedef cudaStream_t CUstream;
typedef cudaEvent_t CUevent;
