// SPDX-License-Identifier: MIT
// Reductions of arrays in device memory.
#pragma once

#include <limits>

#include "cub/device/device_call.cuh"

namespace cub {

struct DeviceReduce {
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
    using T = std::remove_cvref_t<decltype(*d_in)>;
    return reduce("cub::DeviceReduce::Sum", room, room_bytes, d_in, d_out, num_items, cub::Sum(),
                  T{}, stream, call);
  }
  template <class In, class Out>
  static cudaError_t Min(void* room, std::size_t& room_bytes, In d_in, Out d_out,
                         std::int64_t num_items, cudaStream_t stream = nullptr,
                         detail::Call call = detail::Call::current()) {
    using T = std::remove_cvref_t<decltype(*d_in)>;
    return reduce("cub::DeviceReduce::Min", room, room_bytes, d_in, d_out, num_items, cub::Min(),
                  std::numeric_limits<T>::max(), stream, call);
  }
  template <class In, class Out>
  static cudaError_t Max(void* room, std::size_t& room_bytes, In d_in, Out d_out,
                         std::int64_t num_items, cudaStream_t stream = nullptr,
                         detail::Call call = detail::Call::current()) {
    using T = std::remove_cvref_t<decltype(*d_in)>;
    return reduce("cub::DeviceReduce::Max", room, room_bytes, d_in, d_out, num_items, cub::Max(),
                  std::numeric_limits<T>::lowest(), stream, call);
  }
  // *d_out: the place and the value, of equal values the first.
  template <class In, class Out>
  static cudaError_t ArgMin(void* room, std::size_t& room_bytes, In d_in, Out d_out,
                            std::int64_t num_items, cudaStream_t stream = nullptr,
                            detail::Call call = detail::Call::current()) {
    return find("cub::DeviceReduce::ArgMin", room, room_bytes, d_in, d_out, num_items,
                cub::ArgMin(), stream, call);
  }
  template <class In, class Out>
  static cudaError_t ArgMax(void* room, std::size_t& room_bytes, In d_in, Out d_out,
                            std::int64_t num_items, cudaStream_t stream = nullptr,
                            detail::Call call = detail::Call::current()) {
    return find("cub::DeviceReduce::ArgMax", room, room_bytes, d_in, d_out, num_items,
                cub::ArgMax(), stream, call);
  }
  // Of each run of equal keys: the key, and its values reduced.
  template <class Keys, class UniqueKeys, class Values, class Sums, class Count, class Op>
  static cudaError_t ReduceByKey(void* room, std::size_t& room_bytes, Keys d_keys,
                                 UniqueKeys d_unique, Values d_values, Sums d_sums,
                                 Count d_num_runs, Op op, std::int64_t num_items,
                                 cudaStream_t stream = nullptr,
                                 detail::Call call = detail::Call::current()) {
    const std::size_t needed = detail::usual_room(static_cast<std::size_t>(num_items));
    if (const auto answer = detail::asked(room, room_bytes, needed)) return *answer;
    return detail::run("cub::DeviceReduce::ReduceByKey", call, stream, room, needed, [=] {
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
    const std::size_t needed = detail::usual_room(static_cast<std::size_t>(num_items));
    if (const auto answer = detail::asked(room, room_bytes, needed)) return *answer;
    return detail::run(name, call, stream, room, needed, [=] {
      auto sum = initial;
      for (std::int64_t i = 0; i < num_items; ++i) sum = op(sum, d_in[i]);
      *d_out = sum;
    });
  }
  template <class In, class Out, class Op>
  static cudaError_t find(const char* name, void* room, std::size_t& room_bytes, In d_in, Out d_out,
                          std::int64_t num_items, Op op, cudaStream_t stream, detail::Call call) {
    const std::size_t needed = detail::usual_room(static_cast<std::size_t>(num_items));
    if (const auto answer = detail::asked(room, room_bytes, needed)) return *answer;
    return detail::run(name, call, stream, room, needed, [=] {
      KeyValuePair<int, std::remove_cvref_t<decltype(*d_in)>> best = {0, d_in[0]};
      for (std::int64_t i = 1; i < num_items; ++i) {
        const decltype(best) next = {static_cast<int>(i), d_in[i]};
        best = op(best, next);
      }
      *d_out = best;
    });
  }
};

}  // namespace cub
