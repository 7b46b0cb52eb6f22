// SPDX-License-Identifier: MIT
// Copies the selected items of an array in device memory, in their order.
#pragma once

#include "cub/device/device_call.cuh"

namespace cub {

struct DeviceSelect {
  template <class In, class Out, class Count, class Predicate>
  static cudaError_t If(void* room, std::size_t& room_bytes, In d_in, Out d_out,
                        Count d_num_selected, std::int64_t num_items, Predicate predicate,
                        cudaStream_t stream = nullptr,
                        detail::Call call = detail::Call::current()) {
    return select(
        "cub::DeviceSelect::If", room, room_bytes, d_in, d_out, d_num_selected, num_items,
        [=](std::int64_t i) { return static_cast<bool>(predicate(d_in[i])); }, stream, call);
  }
  template <class In, class Flags, class Out, class Count>
  static cudaError_t Flagged(void* room, std::size_t& room_bytes, In d_in, Flags d_flags, Out d_out,
                             Count d_num_selected, std::int64_t num_items,
                             cudaStream_t stream = nullptr,
                             detail::Call call = detail::Call::current()) {
    return select(
        "cub::DeviceSelect::Flagged", room, room_bytes, d_in, d_out, d_num_selected, num_items,
        [=](std::int64_t i) { return static_cast<bool>(d_flags[i]); }, stream, call);
  }
  // The first of each run of equal items.
  template <class In, class Out, class Count>
  static cudaError_t Unique(void* room, std::size_t& room_bytes, In d_in, Out d_out,
                            Count d_num_selected, std::int64_t num_items,
                            cudaStream_t stream = nullptr,
                            detail::Call call = detail::Call::current()) {
    return select(
        "cub::DeviceSelect::Unique", room, room_bytes, d_in, d_out, d_num_selected, num_items,
        [=](std::int64_t i) { return i == 0 || !(d_in[i - 1] == d_in[i]); }, stream, call);
  }

 private:
  template <class In, class Out, class Count, class Selects>
  static cudaError_t select(const char* name, void* room, std::size_t& room_bytes, In d_in,
                            Out d_out, Count d_num_selected, std::int64_t num_items,
                            Selects selects, cudaStream_t stream, detail::Call call) {
    return detail::run(name, call, stream, room, room_bytes, num_items, [=] {
      std::int64_t num_selected = 0;
      for (std::int64_t i = 0; i < num_items; ++i) {
        if (selects(i)) d_out[num_selected++] = d_in[i];
      }
      *d_num_selected = static_cast<std::remove_cvref_t<decltype(*d_num_selected)>>(num_selected);
    });
  }
};

}  // namespace cub
