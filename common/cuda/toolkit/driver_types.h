// SPDX-License-Identifier: MIT
// The runtime's types come with its functions.
#pragma once

#include "cuda_runtime.h"
