// SPDX-License-Identifier: MIT
// Intrinsics; cuda_runtime.h has them all.
#pragma once

#include "cuda_runtime.h"
