// SPDX-License-Identifier: MIT
// Stable sorts of keys, or of pairs by their keys, in device memory.
#pragma once

#include "cub/device/device_call.cuh"
#include "cub/util_key.cuh"

namespace cub {
namespace detail {

// Without the hooks of the compiler.
template <class T>
[[gnu::noinline]] SIMT_UNTRACED T peek(const T* place) {
  return *place;
}

// In pieces: [d_keys_in, + num_items) to d_keys_out, and values along with them, if there are any.
template <class Key, class Value>
struct DeviceSort {
  const Key* keys_in;
  Key* keys_out;
  const Value* values_in;  // null: there are none
  Value* values_out;
  std::int64_t num_items;
  KeyOrder by;
  void* room;

  static std::size_t room_bytes(std::int64_t num_items) {
    return 256 + 2 * sizeof(std::uint32_t) * static_cast<std::size_t>(num_items);
  }

  // The sort itself is not announced. Each element is, once: read, and written.
  void operator()() const {
    for (std::int64_t i = 0; i < num_items; ++i) {
      [[maybe_unused]] const volatile Key key = keys_in[i];
    }
    auto* const order = static_cast<std::uint32_t*>(room);
    const std::uint32_t* const sorted =
        sorted_order(keys_in, static_cast<std::size_t>(num_items), order, order + num_items, by);
    for (std::int64_t i = 0; i < num_items; ++i) {
      keys_out[i] = peek(keys_in + peek(sorted + i));
      if (values_in != nullptr) values_out[i] = values_in[peek(sorted + i)];
    }
  }
};

}  // namespace detail

struct DeviceRadixSort {
#define CUB_SORT(Name, descends)                                                                   \
  template <class Key>                                                                             \
  static cudaError_t SortKeys##Name(void* room, std::size_t& room_bytes, const Key* d_keys_in,     \
                                    Key* d_keys_out, std::int64_t num_items, int begin_bit = 0,    \
                                    int end_bit = 8 * sizeof(Key), cudaStream_t stream = nullptr,  \
                                    detail::Call call = detail::Call::current()) {                 \
    return sort<Key, NullType>(room, room_bytes, d_keys_in, d_keys_out, nullptr, nullptr,          \
                               num_items, {begin_bit, end_bit, descends}, stream, call);           \
  }                                                                                                \
  template <class Key>                                                                             \
  static cudaError_t SortKeys##Name(                                                               \
      void* room, std::size_t& room_bytes, DoubleBuffer<Key>& d_keys, std::int64_t num_items,      \
      int begin_bit = 0, int end_bit = 8 * sizeof(Key), cudaStream_t stream = nullptr,             \
      detail::Call call = detail::Call::current()) {                                               \
    const cudaError_t error =                                                                      \
        sort<Key, NullType>(room, room_bytes, d_keys.Current(), d_keys.Alternate(), nullptr,       \
                            nullptr, num_items, {begin_bit, end_bit, descends}, stream, call);     \
    if (room != nullptr) d_keys.selector ^= 1;                                                     \
    return error;                                                                                  \
  }                                                                                                \
  template <class Key, class Value>                                                                \
  static cudaError_t SortPairs##Name(                                                              \
      void* room, std::size_t& room_bytes, const Key* d_keys_in, Key* d_keys_out,                  \
      const Value* d_values_in, Value* d_values_out, std::int64_t num_items, int begin_bit = 0,    \
      int end_bit = 8 * sizeof(Key), cudaStream_t stream = nullptr,                                \
      detail::Call call = detail::Call::current()) {                                               \
    return sort(room, room_bytes, d_keys_in, d_keys_out, d_values_in, d_values_out, num_items,     \
                {begin_bit, end_bit, descends}, stream, call);                                     \
  }                                                                                                \
  template <class Key, class Value>                                                                \
  static cudaError_t SortPairs##Name(void* room, std::size_t& room_bytes,                          \
                                     DoubleBuffer<Key>& d_keys, DoubleBuffer<Value>& d_values,     \
                                     std::int64_t num_items, int begin_bit = 0,                    \
                                     int end_bit = 8 * sizeof(Key), cudaStream_t stream = nullptr, \
                                     detail::Call call = detail::Call::current()) {                \
    const cudaError_t error = sort<Key, Value>(                                                    \
        room, room_bytes, d_keys.Current(), d_keys.Alternate(), d_values.Current(),                \
        d_values.Alternate(), num_items, {begin_bit, end_bit, descends}, stream, call);            \
    if (room != nullptr) d_keys.selector ^= 1, d_values.selector ^= 1;                             \
    return error;                                                                                  \
  }
  CUB_SORT(, false)
  CUB_SORT(Descending, true)
#undef CUB_SORT

 private:
  template <class Key, class Value>
  static cudaError_t sort(void* room, std::size_t& room_bytes, const Key* keys_in, Key* keys_out,
                          const Value* values_in, Value* values_out, std::int64_t num_items,
                          detail::KeyOrder by, cudaStream_t stream, detail::Call call) {
    using Sort = detail::DeviceSort<Key, Value>;
    const std::size_t needed = Sort::room_bytes(num_items);
    return detail::run_with_room(
        "cub::DeviceRadixSort", call, stream, room, room_bytes, needed,
        Sort{keys_in, keys_out, values_in, values_out, num_items, by, room});
  }
};

}  // namespace cub
