// SPDX-License-Identifier: MIT
// CUDA's name for simt/channel_format.h.
#pragma once

#include "simt/channel_format.h"
