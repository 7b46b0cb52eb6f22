// SPDX-License-Identifier: MIT
#pragma once

#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "simt/matrix_fragment.h"
