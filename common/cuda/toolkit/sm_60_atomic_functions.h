// SPDX-License-Identifier: MIT
// In CUDA a part of the runtime's header.
#pragma once

#include "cuda_runtime.h"
