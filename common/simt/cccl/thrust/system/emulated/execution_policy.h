// SPDX-License-Identifier: MIT
// The emulated device as a system of Thrust. Its algorithms are those for C++, one item after
// another. Each call of the program first passes here, because host and device share one address
// space in this process: a pointer to the other side's memory would work, and fails on a GPU.
#pragma once

#include <thrust/detail/allocator_aware_execution_policy.h>
#include <thrust/detail/config.h>
#include <thrust/system/cpp/detail/execution_policy.h>

#include "thrust/system/emulated/require_side.h"

THRUST_NAMESPACE_BEGIN
namespace system::emulated {
namespace detail {

struct tag;

template <class Policy>
struct execution_policy;

template <>
struct execution_policy<tag> : thrust::system::cpp::detail::execution_policy<tag> {};

struct tag : execution_policy<tag> {};

template <class Policy>
struct execution_policy : thrust::system::cpp::detail::execution_policy<Policy> {
  using tag_type = tag;
  operator tag() const { return {}; }
};

struct par_t : execution_policy<par_t>,
               thrust::detail::allocator_aware_execution_policy<execution_policy> {
  constexpr par_t() = default;
};

// Does the work. An algorithm that calls another one does so with this policy, so only what the
// program itself hands over is checked.
struct worker : thrust::system::cpp::detail::execution_policy<worker> {};

inline worker worker_for(const thrust::detail::execution_policy_marker&) { return {}; }
template <class Allocator>
auto worker_for(thrust::detail::execute_with_allocator<Allocator, execution_policy>& policy) {
  return thrust::detail::execute_with_allocator<Allocator,
                                                thrust::system::cpp::detail::execution_policy>(
      policy.get_allocator());
}

}  // namespace detail

using detail::execution_policy;
using detail::par_t;
using detail::tag;
inline constexpr detail::par_t par;

}  // namespace system::emulated

namespace system::cpp::detail {
struct par_t;
}  // namespace system::cpp::detail

// The overloads are found by the policy's namespace, and preferred to Thrust's: they take the most
// derived type. The first one is for the device, the others for the host.
#define SIMT_ALGORITHM(name, ...)                                                                \
  namespace system::emulated::detail {                                                           \
  template <class Policy, class... Args>                                                         \
  decltype(auto) name(execution_policy<Policy>& policy, Args&&... args) {                        \
    require_side<Side::kDevice, __VA_ARGS__>("thrust::" #name, args...);                         \
    auto&& does = worker_for(thrust::detail::derived_cast(policy));                              \
    return name(does, static_cast<Args&&>(args)...);                                             \
  }                                                                                              \
  }                                                                                              \
  namespace system::cpp::detail {                                                                \
  template <class... Args>                                                                       \
  decltype(auto) name(tag&, Args&&... args) {                                                    \
    emulated::detail::require_side<emulated::detail::Side::kHost, __VA_ARGS__>("thrust::" #name, \
                                                                               args...);         \
    emulated::detail::worker does;                                                               \
    return name(does, static_cast<Args&&>(args)...);                                             \
  }                                                                                              \
  template <class... Args>                                                                       \
  decltype(auto) name(par_t&, Args&&... args) {                                                  \
    emulated::detail::require_side<emulated::detail::Side::kHost, __VA_ARGS__>("thrust::" #name, \
                                                                               args...);         \
    emulated::detail::worker does;                                                               \
    return name(does, static_cast<Args&&>(args)...);                                             \
  }                                                                                              \
  }
#include "thrust/system/emulated/algorithms.inc"
#undef SIMT_ALGORITHM
THRUST_NAMESPACE_END
