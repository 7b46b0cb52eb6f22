// SPDX-License-Identifier: MIT
// CUDA's name for simt/keywords.h.
#pragma once

#include "simt/keywords.h"
