// SPDX-License-Identifier: MIT
// Reductions and scans over the threads of a tile or a coalesced group. The order of combination is
// that of a tree over ranks, the same in every run.
#pragma once

#include <bit>
#include <type_traits>

#include "simt/block_tile.h"
#include "simt/warp_group.h"

namespace cooperative_groups {

#define SIMT_GROUP_OPERATION(name, expression)                      \
  template <class T = void>                                         \
  struct name {                                                     \
    SIMT_INLINE T operator()(T a, T b) const { return expression; } \
  };                                                                \
  template <>                                                       \
  struct name<void> {                                               \
    template <class T>                                              \
    SIMT_INLINE T operator()(T a, T b) const {                      \
      return expression;                                            \
    }                                                               \
  };
SIMT_GROUP_OPERATION(plus, a + b)
SIMT_GROUP_OPERATION(less, b < a ? b : a)     // the lesser
SIMT_GROUP_OPERATION(greater, a < b ? b : a)  // the greater
SIMT_GROUP_OPERATION(bit_and, a& b)
SIMT_GROUP_OPERATION(bit_or, a | b)
SIMT_GROUP_OPERATION(bit_xor, a ^ b)
#undef SIMT_GROUP_OPERATION

// The combination of all threads' values, in every thread. In groups whose size is a power of two
// every thread walks the tree, in one shuffle per level; in other groups the first thread does and
// shares the result.
template <class Group, class T, class Operation>
SIMT_INLINE std::decay_t<T> reduce(const Group& group, T&& value, Operation operation) {
  static_assert(std::is_base_of_v<warp_group, Group>, "reduce takes tiles and coalesced groups");
  std::decay_t<T> result = value;
  const unsigned rank = group.thread_rank();
  const unsigned size = group.size();
  const unsigned half = std::bit_ceil(size) / 2;
  if (std::has_single_bit(size)) {
    for (unsigned offset = half; offset > 0; offset /= 2) {
      const std::decay_t<T> other = group.shfl_xor(result, offset);
      result = (rank & offset) == 0 ? operation(result, other) : operation(other, result);
    }
    return result;
  }
  for (unsigned offset = half; offset > 0; offset /= 2) {
    const std::decay_t<T> other = group.shfl_down(result, offset);
    if (rank + offset < size) result = operation(result, other);
  }
  return group.shfl(result, 0);
}

template <unsigned tile_size, class Parent, class T, class Operation>
requires(tile_size >
         32) SIMT_INLINE std::decay_t<T> reduce(const thread_block_tile<tile_size, Parent>& group,
                                                T&& value, Operation operation) {
  const auto warp = tiled_partition<32>(this_thread_block());
  return group.combined(reduce(warp, value, operation), operation);
}

// The combination of the values of ranks 0 to this one.
template <class Group, class T, class Operation = plus<void>>
SIMT_INLINE std::decay_t<T> inclusive_scan(const Group& group, T&& value,
                                           Operation operation = {}) {
  static_assert(std::is_base_of_v<warp_group, Group>, "scans take tiles and coalesced groups");
  std::decay_t<T> result = value;
  const unsigned rank = group.thread_rank();
  for (unsigned offset = 1; offset < group.size(); offset *= 2) {
    const std::decay_t<T> other = group.shfl_up(result, offset);
    if (rank >= offset) result = operation(other, result);
  }
  return result;
}

// The same without this thread's own value; T{} for rank 0.
template <class Group, class T, class Operation = plus<void>>
SIMT_INLINE std::decay_t<T> exclusive_scan(const Group& group, T&& value,
                                           Operation operation = {}) {
  const std::decay_t<T> inclusive = inclusive_scan(group, value, operation);
  const std::decay_t<T> before = group.shfl_up(inclusive, 1);
  return group.thread_rank() == 0 ? std::decay_t<T>{} : before;
}

// Calls function(arguments...) in the thread of rank 0; every thread gets the result.
template <class Group, class Function, class... Arguments>
SIMT_INLINE void invoke_one(const Group& group, Function&& function, Arguments&&... arguments) {
  if (group.thread_rank() == 0) function(arguments...);
}
template <class Group, class Function, class... Arguments>
SIMT_INLINE auto invoke_one_broadcast(const Group& group, Function&& function,
                                      Arguments&&... arguments) {
  std::invoke_result_t<Function, Arguments...> result = {};
  if (group.thread_rank() == 0) result = function(arguments...);
  return group.shfl(result, 0);
}

}  // namespace cooperative_groups
