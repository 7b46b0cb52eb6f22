// SPDX-License-Identifier: MIT
// The primitives; the C++ interface is in <cuda/pipeline>.
#pragma once

#include "cuda_pipeline_primitives.h"
