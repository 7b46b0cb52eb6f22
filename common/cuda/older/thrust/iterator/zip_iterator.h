// SPDX-License-Identifier: MIT
// In CCCL 3.5, which we take, this header no longer has thrust::tuple.
#pragma once

#include_next <thrust/iterator/zip_iterator.h>
#include <thrust/tuple.h>
