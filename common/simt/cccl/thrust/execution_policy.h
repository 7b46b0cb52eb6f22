// SPDX-License-Identifier: MIT
// In the place of Thrust's header of that name: thrust::device is a policy of the emulated device.
#pragma once

#include <thrust/detail/config.h>
#include <thrust/detail/execute_with_allocator.h>
#include <thrust/detail/execution_policy.h>
#include <thrust/detail/seq.h>
#include <thrust/system/cpp/execution_policy.h>
#include <thrust/system/emulated/execution_policy.h>

THRUST_NAMESPACE_BEGIN
namespace detail {
using host_t = thrust::system::cpp::detail::par_t;
using device_t = thrust::system::emulated::detail::par_t;
}  // namespace detail

template <class Policy>
struct host_execution_policy : thrust::system::cpp::execution_policy<Policy> {};

// A policy of the program's own. Algorithms given it are not checked: it may replace them.
template <class Policy>
struct device_execution_policy : thrust::system::cpp::execution_policy<Policy> {};

inline constexpr detail::host_t host;
inline constexpr detail::device_t device;
THRUST_NAMESPACE_END
