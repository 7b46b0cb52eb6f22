// SPDX-License-Identifier: MIT
// For functions that the judge runs on either side.
#pragma once

#ifdef __NVCC__
#define LOCKSTEP_HOST_DEVICE __host__ __device__
#else
#define LOCKSTEP_HOST_DEVICE
#endif
