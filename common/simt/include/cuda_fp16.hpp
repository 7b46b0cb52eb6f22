// SPDX-License-Identifier: MIT
// CUDA's other name for cuda_fp16.h.
#pragma once

#include "cuda_fp16.h"
