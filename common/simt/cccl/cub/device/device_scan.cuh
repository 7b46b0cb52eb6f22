// SPDX-License-Identifier: MIT
// Prefix sums of arrays in device memory. In and out may be the same.
#pragma once

#include "cub/device/device_call.cuh"

namespace cub {

struct DeviceScan {
  template <class In, class Out, class Op, class T>
  static cudaError_t ExclusiveScan(void* room, std::size_t& room_bytes, In d_in, Out d_out, Op op,
                                   T initial, std::int64_t num_items, cudaStream_t stream = nullptr,
                                   detail::Call call = detail::Call::current()) {
    return exclusive("cub::DeviceScan::ExclusiveScan", room, room_bytes, d_in, d_out, op, initial,
                     num_items, stream, call);
  }
  template <class In, class Out, class Op>
  static cudaError_t InclusiveScan(void* room, std::size_t& room_bytes, In d_in, Out d_out, Op op,
                                   std::int64_t num_items, cudaStream_t stream = nullptr,
                                   detail::Call call = detail::Call::current()) {
    return inclusive("cub::DeviceScan::InclusiveScan", room, room_bytes, d_in, d_out, op, num_items,
                     stream, call);
  }
  template <class In, class Out>
  static cudaError_t ExclusiveSum(void* room, std::size_t& room_bytes, In d_in, Out d_out,
                                  std::int64_t num_items, cudaStream_t stream = nullptr,
                                  detail::Call call = detail::Call::current()) {
    using T = std::remove_cvref_t<decltype(*d_in)>;
    return exclusive("cub::DeviceScan::ExclusiveSum", room, room_bytes, d_in, d_out, cub::Sum(),
                     T{}, num_items, stream, call);
  }
  template <class In, class Out>
  static cudaError_t InclusiveSum(void* room, std::size_t& room_bytes, In d_in, Out d_out,
                                  std::int64_t num_items, cudaStream_t stream = nullptr,
                                  detail::Call call = detail::Call::current()) {
    return inclusive("cub::DeviceScan::InclusiveSum", room, room_bytes, d_in, d_out, cub::Sum(),
                     num_items, stream, call);
  }

 private:
  template <class In, class Out, class Op, class T>
  static cudaError_t exclusive(const char* name, void* room, std::size_t& room_bytes, In d_in,
                               Out d_out, Op op, T initial, std::int64_t num_items,
                               cudaStream_t stream, detail::Call call) {
    return detail::run(name, call, stream, room, room_bytes, num_items, [=] {
      auto sum = initial;
      for (std::int64_t i = 0; i < num_items; ++i) {
        const auto before = sum;
        sum = op(sum, d_in[i]);
        d_out[i] = before;
      }
    });
  }
  template <class In, class Out, class Op>
  static cudaError_t inclusive(const char* name, void* room, std::size_t& room_bytes, In d_in,
                               Out d_out, Op op, std::int64_t num_items, cudaStream_t stream,
                               detail::Call call) {
    return detail::run(name, call, stream, room, room_bytes, num_items, [=] {
      if (num_items == 0) return;
      std::remove_cvref_t<decltype(*d_in)> sum = d_in[0];
      d_out[0] = sum;
      for (std::int64_t i = 1; i < num_items; ++i) {
        sum = op(sum, d_in[i]);
        d_out[i] = sum;
      }
    });
  }
};

}  // namespace cub
