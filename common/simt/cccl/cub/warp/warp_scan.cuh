// SPDX-License-Identifier: MIT
// Prefix sums over the lanes of a warp, or of an aligned part of one.
#pragma once

#include "cub/warp/warp_reduce.cuh"

namespace cub {

template <class T, int kThreads = 32, int kArch = 0>
class WarpScan {
 public:
  struct TempStorage : Uninitialized<NullType> {};
  SIMT_INLINE explicit WarpScan(TempStorage&) {}

  template <class Op>
  SIMT_INLINE void InclusiveScan(T input, T& output, Op op) {
    output = detail::scan_lanes(lanes_, input, op);
  }
  template <class Op>
  SIMT_INLINE void InclusiveScan(T input, T& output, Op op, T& aggregate) {
    output = detail::scan_lanes(lanes_, input, op);
    aggregate = lanes_.from(output, kThreads - 1);
  }
  // Without an initial value the first lane's output has no meaning.
  template <class Op>
  SIMT_INLINE void ExclusiveScan(T input, T& output, Op op) {
    output = lanes_.up(detail::scan_lanes(lanes_, input, op), 1);
  }
  template <class Op>
  SIMT_INLINE void ExclusiveScan(T input, T& output, T initial, Op op) {
    T aggregate;
    ExclusiveScan(input, output, initial, op, aggregate);
  }
  // The aggregate leaves the initial value out.
  template <class Op>
  SIMT_INLINE void ExclusiveScan(T input, T& output, T initial, Op op, T& aggregate) {
    const T inclusive = detail::scan_lanes(lanes_, input, op);
    aggregate = lanes_.from(inclusive, kThreads - 1);
    const T before = lanes_.up(inclusive, 1);
    output = lanes_.lane == 0 ? initial : op(initial, before);
  }
  SIMT_INLINE void InclusiveSum(T input, T& output) { InclusiveScan(input, output, cub::Sum()); }
  SIMT_INLINE void InclusiveSum(T input, T& output, T& aggregate) {
    InclusiveScan(input, output, cub::Sum(), aggregate);
  }
  SIMT_INLINE void ExclusiveSum(T input, T& output) {
    ExclusiveScan(input, output, T{}, cub::Sum());
  }
  SIMT_INLINE void ExclusiveSum(T input, T& output, T& aggregate) {
    ExclusiveScan(input, output, T{}, cub::Sum(), aggregate);
  }
  SIMT_INLINE T Broadcast(T input, unsigned lane) {
    return lanes_.from(input, static_cast<int>(lane));
  }

 private:
  detail::Lanes lanes_ = detail::lanes_of_part<kThreads>();
};

}  // namespace cub
