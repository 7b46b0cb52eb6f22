// SPDX-License-Identifier: MIT
// What nvcc includes by itself: the compile step includes it before a rung's first line.
#include "cuda_runtime.h"
