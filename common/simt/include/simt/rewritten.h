// SPDX-License-Identifier: MIT
// What rewritten code refers to, besides simt::launch and simt::launch_by_pointer.
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>

#include "simt/keywords.h"
#include "simt/launch.h"

namespace simt {

// `extern __shared__ T x[];` is rewritten to `T (&x)[] = ::simt::DynamicShared{};`: the block's
// dynamic shared memory, as whatever it is declared.
struct DynamicShared {
  template <class T>
  SIMT_INLINE operator T&() const {
    return *static_cast<T*>(dynamic_shared());
  }
};

// A launch argument 0 is rewritten to this: an argument of the lambda that calls the kernel would
// be an int, which is not a pointer any more. number() makes it one again, and leaves every other
// argument alone.
struct LiteralZero {
  template <class T>
  SIMT_INLINE operator T*() const {
    return nullptr;
  }
  SIMT_INLINE operator int() const { return 0; }
};
SIMT_UNTRACED SIMT_INLINE int number(LiteralZero) { return 0; }
template <class T>
SIMT_UNTRACED SIMT_INLINE T& number(T& argument) {
  return argument;
}

template <class Kernel>
struct KernelParameters;
template <class... Parameters>
struct KernelParameters<void(Parameters...)> {
  using Types = std::tuple<Parameters...>;
};
template <class... Parameters>
struct KernelParameters<void (*)(Parameters...)> : KernelParameters<void(Parameters...)> {};

// The type of a kernel's index-th parameter. A launch argument {1, 2} is rewritten to
// KernelParameter<decltype(kernel), index>{1, 2}.
template <class Kernel, std::size_t index>
using KernelParameter = std::remove_cv_t<
    std::tuple_element_t<index, typename KernelParameters<std::remove_cvref_t<Kernel>>::Types>>;

}  // namespace simt
