// SPDX-License-Identifier: MIT
// CUDA's name for simt/vector_functions.h.
#pragma once

#include "simt/vector_functions.h"
