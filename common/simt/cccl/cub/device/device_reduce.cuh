// SPDX-License-Identifier: MIT
// Reductions of arrays in device memory.
#pragma once

#include <limits>
#include <type_traits>
#include <utility>

#include "cub/device/device_call.cuh"

namespace cub {

struct DeviceReduce {
 private:
  template <class In>
  using item_of = std::remove_cvref_t<decltype(*std::declval<In&>())>;

 public:
  template <class In, class Out, class Op, class T>
  static cudaError_t Reduce(void* room, std::size_t& room_bytes, In d_in, Out d_out,
                            std::int64_t num_items, Op op, T initial, cudaStream_t stream = nullptr,
                            detail::Call call = detail::Call::current()) {
    return reduce("cub::DeviceReduce", room, room_bytes, d_in, d_out, num_items, op, initial,
                  stream, call);
  }
  template <class In, class Out>
  static cudaError_t Sum(void* room, std::size_t& room_bytes, In d_in, Out d_out,
                         std::int64_t num_items, cudaStream_t stream = nullptr,
                         detail::Call call = detail::Call::current()) {
    return reduce("cub::DeviceReduce::Sum", room, room_bytes, d_in, d_out, num_items, cub::Sum(),
                  item_of<In>{}, stream, call);
  }
  template <class In, class Out>
  static cudaError_t Min(void* room, std::size_t& room_bytes, In d_in, Out d_out,
                         std::int64_t num_items, cudaStream_t stream = nullptr,
                         detail::Call call = detail::Call::current()) {
    return reduce("cub::DeviceReduce::Min", room, room_bytes, d_in, d_out, num_items, cub::Min(),
                  std::numeric_limits<item_of<In>>::max(), stream, call);
  }
  template <class In, class Out>
  static cudaError_t Max(void* room, std::size_t& room_bytes, In d_in, Out d_out,
                         std::int64_t num_items, cudaStream_t stream = nullptr,
                         detail::Call call = detail::Call::current()) {
    return reduce("cub::DeviceReduce::Max", room, room_bytes, d_in, d_out, num_items, cub::Max(),
                  std::numeric_limits<item_of<In>>::lowest(), stream, call);
  }
  // *d_out: the place and the value, of equal values the first. Without items the place is 1.
  template <class In, class Out>
  static cudaError_t ArgMin(void* room, std::size_t& room_bytes, In d_in, Out d_out,
                            std::int64_t num_items, cudaStream_t stream = nullptr,
                            detail::Call call = detail::Call::current()) {
    return find("cub::DeviceReduce::ArgMin", room, room_bytes, d_in, d_out, num_items,
                cub::ArgMin(), std::numeric_limits<item_of<In>>::max(), stream, call);
  }
  template <class In, class Out>
  static cudaError_t ArgMax(void* room, std::size_t& room_bytes, In d_in, Out d_out,
                            std::int64_t num_items, cudaStream_t stream = nullptr,
                            detail::Call call = detail::Call::current()) {
    return find("cub::DeviceReduce::ArgMax", room, room_bytes, d_in, d_out, num_items,
                cub::ArgMax(), std::numeric_limits<item_of<In>>::lowest(), stream, call);
  }
  // Of each run of equal keys: the key, and its values reduced.
  template <class Keys, class UniqueKeys, class Values, class Sums, class Count, class Op>
  static cudaError_t ReduceByKey(void* room, std::size_t& room_bytes, Keys d_keys,
                                 UniqueKeys d_unique, Values d_values, Sums d_sums,
                                 Count d_num_runs, Op op, std::int64_t num_items,
                                 cudaStream_t stream = nullptr,
                                 detail::Call call = detail::Call::current()) {
    return detail::run(
        "cub::DeviceReduce::ReduceByKey", call, stream, room, room_bytes, num_items, [=] {
          std::int64_t num_runs = 0;
          for (std::int64_t i = 0; i < num_items; ++num_runs) {
            const auto key = d_keys[i];
            auto sum = d_values[i];
            for (++i; i < num_items && d_keys[i] == key; ++i) sum = op(sum, d_values[i]);
            d_unique[num_runs] = key;
            d_sums[num_runs] = sum;
          }
          *d_num_runs = static_cast<std::remove_cvref_t<decltype(*d_num_runs)>>(num_runs);
        });
  }

 private:
  template <class In, class Out, class Op, class T>
  static cudaError_t reduce(const char* name, void* room, std::size_t& room_bytes, In d_in,
                            Out d_out, std::int64_t num_items, Op op, T initial,
                            cudaStream_t stream, detail::Call call) {
    return detail::run(name, call, stream, room, room_bytes, num_items, [=] {
      auto sum = initial;
      for (std::int64_t i = 0; i < num_items; ++i) sum = op(sum, d_in[i]);
      *d_out = sum;
    });
  }
  template <class In, class Out, class Op>
  static cudaError_t find(const char* name, void* room, std::size_t& room_bytes, In d_in, Out d_out,
                          std::int64_t num_items, Op op, item_of<In> of_none, cudaStream_t stream,
                          detail::Call call) {
    return detail::run(name, call, stream, room, room_bytes, num_items, [=] {
      KeyValuePair<int, item_of<In>> best = {1, of_none};
      for (std::int64_t i = 0; i < num_items; ++i) {
        const decltype(best) next = {static_cast<int>(i), d_in[i]};
        best = i == 0 ? next : op(best, next);
      }
      *d_out = best;
    });
  }
};

}  // namespace cub
