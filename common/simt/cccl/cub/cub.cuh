// SPDX-License-Identifier: MIT
// The part of CUB that the emulator has, written from its documentation. docs/emulator.md lists it.
#pragma once

#include <chrono>  // NVIDIA's headers include it, and programs count on that

#include "cub/block/block_adjacent_difference.cuh"
#include "cub/block/block_exchange.cuh"
#include "cub/block/block_load.cuh"
#include "cub/block/block_radix_sort.cuh"
#include "cub/block/block_reduce.cuh"
#include "cub/block/block_scan.cuh"
#include "cub/block/block_store.cuh"
#include "cub/device/device_radix_sort.cuh"
#include "cub/device/device_reduce.cuh"
#include "cub/device/device_scan.cuh"
#include "cub/device/device_select.cuh"
#include "cub/iterator/input_iterators.cuh"
#include "cub/thread/thread_operators.cuh"
#include "cub/util_allocator.cuh"
#include "cub/util_debug.cuh"
#include "cub/util_traits.cuh"
#include "cub/util_type.cuh"
#include "cub/warp/warp_exchange.cuh"
#include "cub/warp/warp_reduce.cuh"
#include "cub/warp/warp_scan.cuh"
