// SPDX-License-Identifier: MIT
// CUDA's name for simt/surface_api.h.
#pragma once

#include "simt/surface_api.h"
