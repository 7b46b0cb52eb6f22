// SPDX-License-Identifier: MIT
// What each compilation of a kernel includes by itself, for the precompiled form.
#include <cuda_runtime.h>
