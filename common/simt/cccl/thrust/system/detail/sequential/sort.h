// SPDX-License-Identifier: MIT
// In the place of Thrust's header of that name. A sort that touches each item in each of its
// passes is slow where each access is checked. So items are copied out, put in order there, and
// copied back: each is read and written once.
#pragma once

#include <thrust/detail/config.h>
#include <thrust/functional.h>
#include <thrust/iterator/iterator_traits.h>
#include <thrust/system/detail/sequential/execution_policy.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <type_traits>

#include "cub/util_key.cuh"

THRUST_NAMESPACE_BEGIN
namespace system::detail::sequential {
namespace sort_detail {

template <class T>
class Copies {
 public:
  template <class Iterator>
  Copies(Iterator first, std::size_t count) : count_(count) {
    items_ = static_cast<T*>(std::malloc(count * sizeof(T) + 1));
    if (items_ == nullptr) throw std::bad_alloc();
    for (std::size_t i = 0; i < count; ++i) ::new (items_ + i) T(first[i]);
  }
  ~Copies() {
    for (std::size_t i = 0; i < count_; ++i) items_[i].~T();
    std::free(items_);
  }
  Copies(const Copies&) = delete;
  Copies& operator=(const Copies&) = delete;

  T* items() const { return items_; }

 private:
  T* items_;
  std::size_t count_;
};

struct Counting {
  std::uint32_t operator[](std::size_t i) const { return static_cast<std::uint32_t>(i); }
};

// The places of the keys in their order. `order` and `room` hold 0, 1, ...
template <class Key, class Less>
const std::uint32_t* order_of(const Key* keys, std::size_t count, std::uint32_t* order,
                              std::uint32_t* room, Less less) {
  constexpr bool kDescends =
      std::is_same_v<Less, thrust::greater<Key>> || std::is_same_v<Less, thrust::greater<>>;
  constexpr bool kAscends =
      std::is_same_v<Less, thrust::less<Key>> || std::is_same_v<Less, thrust::less<>>;
  if constexpr (std::is_arithmetic_v<Key> && sizeof(Key) <= 8 && (kAscends || kDescends)) {
    return cub::detail::sorted_order(keys, count, order, room,
                                     cub::detail::KeyOrder{0, 8 * sizeof(Key), kDescends});
  } else {
    std::stable_sort(order, order + count, [&](std::uint32_t a, std::uint32_t b) {
      return static_cast<bool>(less(keys[a], keys[b]));
    });
    return order;
  }
}

}  // namespace sort_detail

template <class Policy, class Iterator, class Less>
void stable_sort(execution_policy<Policy>&, Iterator first, Iterator last, Less less) {
  using Key = thrust::detail::it_value_t<Iterator>;
  const auto count = static_cast<std::size_t>(last - first);
  const sort_detail::Copies<Key> keys(first, count);
  const sort_detail::Copies<std::uint32_t> order(sort_detail::Counting(), count);
  const sort_detail::Copies<std::uint32_t> room(sort_detail::Counting(), count);
  const std::uint32_t* const places =
      sort_detail::order_of(keys.items(), count, order.items(), room.items(), less);
  for (std::size_t i = 0; i < count; ++i) first[i] = keys.items()[places[i]];
}

template <class Policy, class Keys, class Values, class Less>
void stable_sort_by_key(execution_policy<Policy>&, Keys first, Keys last, Values first_value,
                        Less less) {
  using Key = thrust::detail::it_value_t<Keys>;
  using Value = thrust::detail::it_value_t<Values>;
  const auto count = static_cast<std::size_t>(last - first);
  const sort_detail::Copies<Key> keys(first, count);
  const sort_detail::Copies<Value> values(first_value, count);
  const sort_detail::Copies<std::uint32_t> order(sort_detail::Counting(), count);
  const sort_detail::Copies<std::uint32_t> room(sort_detail::Counting(), count);
  const std::uint32_t* const places =
      sort_detail::order_of(keys.items(), count, order.items(), room.items(), less);
  for (std::size_t i = 0; i < count; ++i) {
    first[i] = keys.items()[places[i]];
    first_value[i] = values.items()[places[i]];
  }
}

}  // namespace system::detail::sequential
THRUST_NAMESPACE_END
