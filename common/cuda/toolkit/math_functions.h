// SPDX-License-Identifier: MIT
// CUDA's name for simt/math.h.
#pragma once

#include "simt/math.h"
