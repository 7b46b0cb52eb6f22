// SPDX-License-Identifier: MIT
// Types of the driver's functions.
#pragma once

#include "cuda.h"

typedef decltype(&cuTensorMapEncodeTiled) PFN_cuTensorMapEncodeTiled;
typedef decltype(&cuTensorMapEncodeTiled) PFN_cuTensorMapEncodeTiled_v12000;
