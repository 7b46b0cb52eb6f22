// SPDX-License-Identifier: MIT
#pragma once

#include "cub/iterator/input_iterators.cuh"
