// SPDX-License-Identifier: MIT
// Thrust's vectors bring fewer headers in CCCL 3.5, which we take, than in CUDA 13.0's. Public
// programs rely on these.
#pragma once

#include_next <thrust/device_vector.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/tuple.h>

#include <iostream>
