// SPDX-License-Identifier: MIT
// Prefix sums over the threads of a block: each warp by shuffles, then over the warps before.
#pragma once

#include "cub/block/block_reduce.cuh"

namespace cub {

enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };

// A barrier must come before the storage is used again. Aggregates leave the initial value out.
// A prefix callback is called by the first warp with the block's aggregate; what its first lane
// returns comes before all items.
template <class T, int kX, BlockScanAlgorithm kAlgorithm = BLOCK_SCAN_RAKING, int kY = 1,
          int kZ = 1, int kArch = 0>
class BlockScan {
  static constexpr int kThreads = detail::product(kX, kY, kZ);
  static constexpr int kWarps = (kThreads + 31) / 32;
  struct Storage {
    T of_warps[kWarps];
    T prefix;
  };

 public:
  struct TempStorage : Uninitialized<Storage> {};
  SIMT_INLINE explicit BlockScan(TempStorage& storage) : storage_(storage.room) {}

  template <class Op>
  SIMT_INLINE void InclusiveScan(T input, T& output, Op op) {
    T aggregate;
    InclusiveScan(input, output, op, aggregate);
  }
  template <class Op>
  SIMT_INLINE void InclusiveScan(T input, T& output, Op op, T& aggregate) {
    const Around around = scan(input, op);
    output = around.has_before ? op(around.before, input) : input;
    aggregate = total(op);
  }
  template <class Op>
  SIMT_INLINE void ExclusiveScan(T input, T& output, T initial, Op op) {
    T aggregate;
    ExclusiveScan(input, output, initial, op, aggregate);
  }
  template <class Op>
  SIMT_INLINE void ExclusiveScan(T input, T& output, T initial, Op op, T& aggregate) {
    const Around around = scan(input, op);
    output = around.has_before ? op(initial, around.before) : initial;
    aggregate = total(op);
  }
  template <class Op, class Callback>
  SIMT_INLINE void ExclusiveScan(T input, T& output, Op op, Callback& callback) requires
      requires(Callback c, T t) {
    c(t);
  }
  {
    const Around around = scan(input, op);
    const T prefix = prefix_from(callback, op);
    output = around.has_before ? op(prefix, around.before) : prefix;
  }
  template <class Op, class Callback>
  SIMT_INLINE void InclusiveScan(T input, T& output, Op op, Callback& callback) requires
      requires(Callback c, T t) {
    c(t);
  }
  {
    T before;
    ExclusiveScan(input, before, op, callback);
    output = op(before, input);
  }

  // Several items per thread, one after another.
  template <int kItems, class Op>
  SIMT_INLINE void InclusiveScan(T (&input)[kItems], T (&output)[kItems], Op op) {
    T aggregate;
    InclusiveScan(input, output, op, aggregate);
  }
  template <int kItems, class Op>
  SIMT_INLINE void InclusiveScan(T (&input)[kItems], T (&output)[kItems], Op op, T& aggregate) {
    const Around around = scan(detail::reduce_items(input, op), op);
    T sum = around.has_before ? op(around.before, input[0]) : input[0];
    for (int i = 0; i < kItems; ++i) {
      if (i > 0) sum = op(sum, input[i]);
      output[i] = sum;
    }
    aggregate = total(op);
  }
  template <int kItems, class Op>
  SIMT_INLINE void ExclusiveScan(T (&input)[kItems], T (&output)[kItems], T initial, Op op) {
    T aggregate;
    ExclusiveScan(input, output, initial, op, aggregate);
  }
  template <int kItems, class Op>
  SIMT_INLINE void ExclusiveScan(T (&input)[kItems], T (&output)[kItems], T initial, Op op,
                                 T& aggregate) {
    const Around around = scan(detail::reduce_items(input, op), op);
    spread(input, output, around.has_before ? op(initial, around.before) : initial, op);
    aggregate = total(op);
  }
  template <int kItems, class Op, class Callback>
  SIMT_INLINE void ExclusiveScan(T (&input)[kItems], T (&output)[kItems], Op op,
                                 Callback& callback) requires requires(Callback c, T t) {
    c(t);
  }
  {
    const Around around = scan(detail::reduce_items(input, op), op);
    const T prefix = prefix_from(callback, op);
    spread(input, output, around.has_before ? op(prefix, around.before) : prefix, op);
  }

  // The same with addition.
  SIMT_INLINE void InclusiveSum(T input, T& output) { InclusiveScan(input, output, cub::Sum()); }
  SIMT_INLINE void InclusiveSum(T input, T& output, T& aggregate) {
    InclusiveScan(input, output, cub::Sum(), aggregate);
  }
  template <int kItems>
  SIMT_INLINE void InclusiveSum(T (&input)[kItems], T (&output)[kItems]) {
    InclusiveScan(input, output, cub::Sum());
  }
  template <int kItems>
  SIMT_INLINE void InclusiveSum(T (&input)[kItems], T (&output)[kItems], T& aggregate) {
    InclusiveScan(input, output, cub::Sum(), aggregate);
  }
  SIMT_INLINE void ExclusiveSum(T input, T& output) {
    ExclusiveScan(input, output, T{}, cub::Sum());
  }
  SIMT_INLINE void ExclusiveSum(T input, T& output, T& aggregate) {
    ExclusiveScan(input, output, T{}, cub::Sum(), aggregate);
  }
  template <class Callback>
  SIMT_INLINE void ExclusiveSum(T input, T& output, Callback& callback) requires
      requires(Callback c, T t) {
    c(t);
  }
  { ExclusiveScan(input, output, cub::Sum(), callback); }
  template <int kItems>
  SIMT_INLINE void ExclusiveSum(T (&input)[kItems], T (&output)[kItems]) {
    ExclusiveScan(input, output, T{}, cub::Sum());
  }
  template <int kItems>
  SIMT_INLINE void ExclusiveSum(T (&input)[kItems], T (&output)[kItems], T& aggregate) {
    ExclusiveScan(input, output, T{}, cub::Sum(), aggregate);
  }
  template <int kItems, class Callback>
  SIMT_INLINE void ExclusiveSum(T (&input)[kItems], T (&output)[kItems],
                                Callback& callback) requires requires(Callback c, T t) {
    c(t);
  }
  { ExclusiveScan(input, output, cub::Sum(), callback); }

 private:
  // What comes before the calling thread's input in the block.
  struct Around {
    T before;
    bool has_before;
  };

  template <class Op>
  SIMT_INLINE Around scan(T input, Op op) {
    const detail::Lanes lanes = detail::lanes_of_warp<kThreads>();
    const int warp = detail::linear_thread() / 32;
    const T inclusive = detail::scan_lanes(lanes, input, op);
    if (lanes.lane == lanes.count - 1) storage_.of_warps[warp] = inclusive;
    const T in_warp = lanes.up(inclusive, 1);
    __syncthreads();
    if (warp == 0) return {in_warp, lanes.lane > 0};
    T before = storage_.of_warps[0];
    for (int other = 1; other < warp; ++other) before = op(before, storage_.of_warps[other]);
    return {lanes.lane > 0 ? op(before, in_warp) : before, true};
  }
  template <class Op>
  SIMT_INLINE T total(Op op) {
    T sum = storage_.of_warps[0];
    for (int warp = 1; warp < kWarps; ++warp) sum = op(sum, storage_.of_warps[warp]);
    return sum;
  }
  template <class Callback, class Op>
  SIMT_INLINE T prefix_from(Callback& callback, Op op) {
    if (detail::linear_thread() < 32) {
      const T prefix = callback(total(op));
      if (detail::linear_thread() == 0) storage_.prefix = prefix;
    }
    __syncthreads();
    return storage_.prefix;
  }
  template <int kItems, class Op>
  SIMT_INLINE void spread(T (&input)[kItems], T (&output)[kItems], T before, Op op) {
    for (int i = 0; i < kItems; ++i) {
      const T item = input[i];
      output[i] = before;
      before = op(before, item);
    }
  }

  Storage& storage_;
};

}  // namespace cub
