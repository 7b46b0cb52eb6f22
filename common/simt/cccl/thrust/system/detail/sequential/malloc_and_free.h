// SPDX-License-Identifier: MIT
// In the place of Thrust's header of that name: thrust::device_malloc gives memory of the emulated
// device.
#pragma once

#include <thrust/detail/config.h>
#include <thrust/detail/raw_pointer_cast.h>
#include <thrust/system/detail/sequential/execution_policy.h>

#include "simt/device_room.h"

THRUST_NAMESPACE_BEGIN
namespace system::detail::sequential {

template <class Policy>
void* malloc(execution_policy<Policy>&, std::size_t size_bytes) {
  return simt::take_device_room(size_bytes);
}

template <class Policy, class Pointer>
void free(execution_policy<Policy>&, Pointer room) {
  simt::return_device_room(thrust::raw_pointer_cast(room));
}

}  // namespace system::detail::sequential
THRUST_NAMESPACE_END
