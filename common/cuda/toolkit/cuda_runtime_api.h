// SPDX-License-Identifier: MIT
// The runtime's host functions; there is no separate C interface here.
#pragma once

#include "cuda_runtime.h"
