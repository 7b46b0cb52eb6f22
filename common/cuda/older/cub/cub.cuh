// SPDX-License-Identifier: MIT
// Names of CUB that CUDA 12 has and CCCL 3, which we take, has no more: most public programs use
// them. Each is what NVIDIA's guide to the change names instead.
#pragma once

#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <cstddef>
#include_next <cub/cub.cuh>
#include <cuda/functional>
#include <cuda/std/functional>

namespace cub {

using Sum = ::cuda::std::plus<>;
using Difference = ::cuda::std::minus<>;
using Equality = ::cuda::std::equal_to<>;
using Inequality = ::cuda::std::not_equal_to<>;
using Max = ::cuda::maximum<>;
using Min = ::cuda::minimum<>;

template <class Value, class Operation, class Iterator, class Offset = std::ptrdiff_t>
using TransformInputIterator = ::thrust::transform_iterator<Operation, Iterator, Value, Value>;
template <class Value, class Offset = std::ptrdiff_t>
using CountingInputIterator = ::thrust::counting_iterator<Value>;
template <class Value, class Offset = std::ptrdiff_t>
using ConstantInputIterator = ::thrust::constant_iterator<Value>;

}  // namespace cub
