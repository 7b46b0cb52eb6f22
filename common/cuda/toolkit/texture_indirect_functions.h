// SPDX-License-Identifier: MIT
// CUDA's name for simt/texture_api.h.
#pragma once

#include "simt/texture_api.h"
