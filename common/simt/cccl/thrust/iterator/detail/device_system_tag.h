// SPDX-License-Identifier: MIT
// In the place of Thrust's header of that name: the emulated device is a system of its own, apart
// from the host.
#pragma once

#include <thrust/detail/config.h>
#include <thrust/system/emulated/execution_policy.h>

THRUST_NAMESPACE_BEGIN
using device_system_tag = thrust::system::emulated::tag;
THRUST_NAMESPACE_END
