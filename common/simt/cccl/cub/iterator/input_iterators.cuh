// SPDX-License-Identifier: MIT
// Iterators that make their items instead of reading them.
#pragma once

#include <cstddef>
#include <iterator>

#include "cub/util_type.cuh"

namespace cub {
namespace detail {

// At a place that moves by any distance. Derived has value_type and at(place).
template <class Derived, class T, class Distance>
class InputIterator {
 public:
  using iterator_category = std::random_access_iterator_tag;
  using value_type = T;
  using difference_type = Distance;
  using pointer = T*;
  using reference = T;
  using self_type = Derived;

  SIMT_INLINE T operator*() const { return self().at(place_); }
  SIMT_INLINE T operator[](Distance distance) const { return self().at(place_ + distance); }
  SIMT_INLINE Derived& operator+=(Distance distance) {
    place_ += distance;
    return static_cast<Derived&>(*this);
  }
  SIMT_INLINE Derived& operator-=(Distance distance) { return *this += -distance; }
  SIMT_INLINE Derived& operator++() { return *this += 1; }
  SIMT_INLINE Derived operator++(int) {
    const Derived before = self();
    place_ += 1;
    return before;
  }
  SIMT_INLINE Derived operator+(Distance distance) const {
    Derived moved = self();
    return moved += distance;
  }
  SIMT_INLINE Derived operator-(Distance distance) const { return *this + -distance; }
  SIMT_INLINE Distance operator-(const Derived& other) const { return place_ - other.place_; }
  SIMT_INLINE bool operator==(const Derived& other) const { return place_ == other.place_; }
  SIMT_INLINE bool operator!=(const Derived& other) const { return place_ != other.place_; }

 private:
  SIMT_INLINE const Derived& self() const { return static_cast<const Derived&>(*this); }

  Distance place_ = 0;
};

}  // namespace detail

template <class T, class Op, class Input, class Distance = std::ptrdiff_t>
class TransformInputIterator
    : public detail::InputIterator<TransformInputIterator<T, Op, Input, Distance>, T, Distance> {
 public:
  SIMT_INLINE TransformInputIterator(Input input, Op op) : input_(input), op_(op) {}
  SIMT_INLINE T at(Distance place) const { return op_(input_[place]); }

 private:
  Input input_;
  Op op_;
};

template <class T, class Distance = std::ptrdiff_t>
class CountingInputIterator
    : public detail::InputIterator<CountingInputIterator<T, Distance>, T, Distance> {
 public:
  SIMT_INLINE explicit CountingInputIterator(T first) : first_(first) {}
  SIMT_INLINE T at(Distance place) const { return static_cast<T>(first_ + place); }

 private:
  T first_;
};

template <class T, class Distance = std::ptrdiff_t>
class ConstantInputIterator
    : public detail::InputIterator<ConstantInputIterator<T, Distance>, T, Distance> {
 public:
  SIMT_INLINE explicit ConstantInputIterator(T value, Distance = 0) : value_(value) {}
  SIMT_INLINE T at(Distance) const { return value_; }

 private:
  T value_;
};

// The number of each item, and the item.
template <class Input, class Distance = std::ptrdiff_t, class Value = detail::ValueOf<Input>>
class ArgIndexInputIterator
    : public detail::InputIterator<ArgIndexInputIterator<Input, Distance, Value>,
                                   KeyValuePair<Distance, Value>, Distance> {
 public:
  SIMT_INLINE explicit ArgIndexInputIterator(Input input) : input_(input) {}
  SIMT_INLINE KeyValuePair<Distance, Value> at(Distance place) const {
    return {place, input_[place]};
  }

 private:
  Input input_;
};

}  // namespace cub
