// SPDX-License-Identifier: MIT
// CUDA's name for simt/vector_types.h.
#pragma once

#include "simt/vector_types.h"
