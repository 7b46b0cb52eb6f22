// SPDX-License-Identifier: MIT
// Checks a call's arguments against the contract's signature at compile time and encodes them.
// Scratch& and cudaStream_t parameters are left out by the caller: the worker supplies them.
// A T* parameter takes a Buffer<T>, or on_host() or pinned() of one where the contract asks for
// host memory. A const T& parameter takes on_host() of one item. A function that returns a value
// takes one more argument at the end: on_host() of a buffer for the result.
#pragma once

#include <cuda_runtime.h>

#include <bit>
#include <cstddef>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

#include "lab/scratch.cuh"
#include "protocol/arena.h"
#include "protocol/wire.h"

namespace judge {

// A buffer that the function receives as host memory.
template <class T>
struct OnHost {
  Buffer<T> buffer;
};
template <class T>
OnHost<T> on_host(const Buffer<T>& buffer) {
  return {buffer};
}

// The same, in pinned memory.
template <class T>
struct Pinned {
  Buffer<T> buffer;
};
template <class T>
Pinned<T> pinned(const Buffer<T>& buffer) {
  return {buffer};
}

template <class T>
wire::Arg to_wire(const Buffer<T>& buffer) {
  return {wire::ArgKind::kBuffer, buffer.offset()};
}
template <class T>
wire::Arg to_wire(const OnHost<T>& host) {
  return {wire::ArgKind::kHostBuffer, host.buffer.offset()};
}
template <class T>
wire::Arg to_wire(const Pinned<T>& host) {
  return {wire::ArgKind::kPinnedBuffer, host.buffer.offset()};
}
inline wire::Arg to_wire(std::nullptr_t) { return {wire::ArgKind::kNull, 0}; }
template <class T>
requires std::is_integral_v<T> wire::Arg to_wire(T value) {
  return {wire::ArgKind::kInteger, static_cast<std::uint64_t>(static_cast<std::int64_t>(value))};
}
template <class T>
requires std::is_enum_v<T> wire::Arg to_wire(T value) {
  return to_wire(static_cast<std::underlying_type_t<T>>(value));
}
inline wire::Arg to_wire(double value) {
  return {wire::ArgKind::kReal, std::bit_cast<std::uint64_t>(value)};
}
// A struct that a contract defines is sent as its bytes.
template <class T>
requires(wire::fits_argument<T>) wire::Arg to_wire(const T& value) {
  wire::Arg arg{wire::ArgKind::kStruct, 0};
  std::memcpy(&arg.bits, &value, sizeof value);
  return arg;
}

namespace internal {

// Stands for where a function's result goes, behind its parameters.
template <class T>
struct Result {};
template <class Param, class Value>
struct IsPlaceFor : std::false_type {};
template <class T>
struct IsPlaceFor<Result<T>, OnHost<T>> : std::true_type {};

template <class Param, class Value>
constexpr bool accepts() {
  if constexpr (IsPlaceFor<Param, Value>::value) {
    return true;
  } else if constexpr (std::is_reference_v<Param>) {
    static_assert(std::is_const_v<std::remove_reference_t<Param>>, "results are returned");
    return std::is_same_v<Value, OnHost<std::remove_cvref_t<Param>>>;
  } else if constexpr (std::is_pointer_v<Param>) {
    using Pointee = std::remove_cv_t<std::remove_pointer_t<Param>>;
    return std::is_same_v<Value, Buffer<Pointee>> || std::is_same_v<Value, OnHost<Pointee>> ||
           std::is_same_v<Value, Pinned<Pointee>> || std::is_same_v<Value, std::nullptr_t>;
  } else if constexpr (std::is_floating_point_v<Param>) {
    return std::is_same_v<Value, double>;
  } else if constexpr (std::is_class_v<Param> || std::is_enum_v<Param>) {
    return std::is_same_v<Value, Param>;
  } else {
    return std::is_integral_v<Param> && std::is_integral_v<Value>;
  }
}

// The parameters that a caller passes.
template <class... Params>
struct List {};
template <class Signature>
struct Wired;
template <>
struct Wired<void()> {
  using Params = List<>;
};
template <class Returned>
struct Wired<Returned()> {
  using Params = List<Result<Returned>>;
};
template <class Returned, class First, class... Rest>
struct Wired<Returned(First, Rest...)> {
  template <class... Tail>
  static List<First, Tail...> prepend(List<Tail...>);
  using Tail = typename Wired<Returned(Rest...)>::Params;
  static constexpr bool kSupplied =
      std::is_same_v<First, lab::Scratch&> || std::is_same_v<First, cudaStream_t>;
  using Params = std::conditional_t<kSupplied, Tail, decltype(prepend(Tail{}))>;
};

template <class... Params, class... Values>
void check_arguments(List<Params...>, const Values&...) {
  static_assert(sizeof...(Params) == sizeof...(Values), "wrong number of arguments");
  static_assert((accepts<Params, Values>() && ...), "an argument does not fit the contract");
}

template <class Value>
void append(std::vector<wire::Arg>& args, const Value& value) {
  if constexpr (std::is_same_v<Value, dim3>) {
    args.push_back(to_wire(value.x));
    args.push_back(to_wire(value.y));
    args.push_back(to_wire(value.z));
  } else {
    args.push_back(to_wire(value));
  }
}

}  // namespace internal

// encode_call<decltype(lab::reduce_sum)>("reduce_sum", d_in, num_items, d_out)
template <class Signature, class... Values>
wire::Call encode_call(const char* function, const Values&... values) {
  internal::check_arguments(typename internal::Wired<Signature>::Params{}, values...);
  std::vector<wire::Arg> args;
  (internal::append(args, values), ...);
  return {function, std::move(args)};
}

// A call that must fail: the function must throw lab::CudaError with the code of that name, or of
// one of several ("cudaErrorX or cudaErrorY"), and leave the runtime's error state clean. The batch
// continues after it.
inline wire::Call must_throw(const char* error, wire::Call call) {
  call.error = error;
  return call;
}

}  // namespace judge
