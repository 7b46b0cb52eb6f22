// SPDX-License-Identifier: MIT
// cudaProfilerStart and cudaProfilerStop.
#pragma once

#include "simt/device_api.h"
