// SPDX-License-Identifier: MIT
// Atomics; cuda_runtime.h has them all.
#pragma once

#include "cuda_runtime.h"
