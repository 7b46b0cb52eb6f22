// SPDX-License-Identifier: MIT
// Whether the pointers behind an algorithm's iterators lead to memory that its side can use.
#pragma once

#include <thrust/detail/config.h>

#include <cstddef>
#include <cuda/std/tuple>
#include <iterator>
#include <type_traits>

#include "simt/in_kernel.h"
#include "simt/library_pointer.h"

THRUST_NAMESPACE_BEGIN
namespace system::emulated::detail {

enum class Side { kHost, kDevice };

// An iterator over pointers, such as counting_iterator<int*>, whose base is a value.
template <class Iterator, class Base>
inline constexpr bool counts_pointers = false;
template <class Iterator, class T>
inline constexpr bool counts_pointers<Iterator, T*> =
    std::is_same_v<std::remove_cv_t<typename std::iterator_traits<Iterator>::value_type>, T*>;

template <Side side, class Iterator>
void require_side_of(const Iterator& iterator, const char* algorithm) {
  if constexpr (std::is_pointer_v<Iterator>) {
    if constexpr (!std::is_function_v<std::remove_pointer_t<Iterator>>) {
      if constexpr (side == Side::kDevice) {
        simt::require_device_pointer(iterator, algorithm);
      } else {
        simt::require_host_pointer(iterator, algorithm);
      }
    }
  } else if constexpr (requires { iterator.get_iterator_tuple(); }) {
    ::cuda::std::apply([&](const auto&... each) { (require_side_of<side>(each, algorithm), ...); },
                       iterator.get_iterator_tuple());
  } else if constexpr (requires { iterator.get(); }) {
    // A pointer of Thrust's. The host may use it wherever it leads, item by item.
    if constexpr (side == Side::kDevice) require_side_of<side>(iterator.get(), algorithm);
  } else if constexpr (requires { iterator.base(); }) {
    using Base = std::decay_t<decltype(iterator.base())>;
    if constexpr (!std::is_same_v<Base, Iterator> && !counts_pointers<Iterator, Base>) {
      require_side_of<side, Base>(iterator.base(), algorithm);
    }
  }
}

// first, last; or first, and a number of items
template <class First, class Last, class... Rest>
bool is_empty(const First& first, const Last& last, const Rest&...) {
  if constexpr (std::is_integral_v<Last>) {
    return last == 0;
  } else if constexpr (std::is_same_v<First, Last>) {
    return first == last;
  }
  return false;
}

template <Side side, std::size_t index, class Tuple>
void require_side_at(const Tuple& args, const char* algorithm) {
  if constexpr (index < ::cuda::std::tuple_size<Tuple>::value) {
    require_side_of<side>(::cuda::std::get<index>(args), algorithm);
  }
}

// In a kernel, where algorithms run for one thread, each access is checked by itself.
template <Side side, std::size_t... indices, class... Args>
void require_side(const char* algorithm, const Args&... args) {
  if (simt::is_in_kernel() || is_empty(args...)) return;
  const ::cuda::std::tuple<const Args&...> all(args...);
  (require_side_at<side, indices>(all, algorithm), ...);
}

}  // namespace system::emulated::detail
THRUST_NAMESPACE_END
