// SPDX-License-Identifier: MIT
// Kernels as void*, from which they can be launched. The rewriter turns the cast (void*)kernel into
// simt::kernel_address(site, kernel), which notes the types of its parameters.
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include "simt/launch.h"

namespace simt {

// Copies of a launch's arguments, and where each of them is.
struct KeptArguments {
  void* object;
  void (*drop)(void* object);
};

struct KernelEntry {
  LaunchSite site;  // of the cast
  unsigned num_parameters;
  // The kernel with copies of its arguments; ends with the closure's drop().
  detail::Closure (*bind)(const void* kernel, void** arguments);
  // Other copies, which a program may look at. `places` has room for num_parameters pointers.
  KeptArguments (*keep)(void** arguments, void** places);
};

void* register_kernel(const void* kernel, const KernelEntry& entry);
// Null for what was never cast.
const KernelEntry* find_kernel(const void* kernel);

namespace detail {

template <class Kernel, class... Args>
SIMT_UNTRACED auto closure_of(Kernel kernel, Args... args) {
  return [kernel, ... args = std::move(args)]()
             SIMT_UNTRACED { kernel(argument(const_cast<Args&>(args))...); };
}

template <class... Parameters, std::size_t... I>
SIMT_UNTRACED Closure bind_kernel(const void* kernel, [[maybe_unused]] void** arguments,
                                  std::index_sequence<I...>) {
  const auto function = reinterpret_cast<void (*)(Parameters...)>(const_cast<void*>(kernel));
  auto made = closure_of(function, *static_cast<std::remove_cvref_t<Parameters>*>(arguments[I])...);
  using Object = decltype(made);
  return {new Object(std::move(made)),
          sizeof(Object),
          &call<Object>,
          &keep<Object>,
          &copy<Object>,
          &drop<Object>};
}

template <class... Parameters, std::size_t... I>
KeptArguments keep_arguments([[maybe_unused]] void** arguments, [[maybe_unused]] void** places,
                             std::index_sequence<I...>) {
  using Values = std::tuple<std::remove_cvref_t<Parameters>...>;
  auto* const values = new Values(*static_cast<std::remove_cvref_t<Parameters>*>(arguments[I])...);
  ((places[I] = &std::get<I>(*values)), ...);
  return {values, [](void* object) { delete static_cast<Values*>(object); }};
}

}  // namespace detail

template <class... Parameters>
void* kernel_address(LaunchSite site, void (*kernel)(Parameters...)) {
  using Indices = std::index_sequence_for<Parameters...>;
  return register_kernel(
      reinterpret_cast<const void*>(kernel),
      {site, sizeof...(Parameters),
       [](const void* address, void** arguments) {
         return detail::bind_kernel<Parameters...>(address, arguments, Indices{});
       },
       [](void** arguments, void** places) {
         return detail::keep_arguments<Parameters...>(arguments, places, Indices{});
       }});
}
// A name that only looks like a kernel's.
template <class T>
void* kernel_address(LaunchSite, T&& value) {
  return (void*)value;
}

// cudaLaunchKernel with a pointer. cudaErrorInvalidDeviceFunction if it is no kernel's.
cudaError_t launch_address(const void* kernel, const LaunchConfig& config, void** arguments);

}  // namespace simt
