// SPDX-License-Identifier: MIT
// Reductions and scans over the threads of a tile or a coalesced group. The order of combination is
// that of a tree over ranks, the same in every run.
#pragma once

#include <type_traits>

#include "lockstep/block_tile.h"
#include "lockstep/warp_group.h"

#ifdef __CUDA__

namespace cooperative_groups {
namespace __v1 {

#define LOCKSTEP_GROUP_OPERATION(name, expression)                      \
  template <class T = void>                                             \
  struct name {                                                         \
    LOCKSTEP_DEVICE T operator()(T a, T b) const { return expression; } \
  };                                                                    \
  template <>                                                           \
  struct name<void> {                                                   \
    template <class T>                                                  \
    LOCKSTEP_DEVICE T operator()(T a, T b) const {                      \
      return expression;                                                \
    }                                                                   \
  };
LOCKSTEP_GROUP_OPERATION(plus, a + b)
LOCKSTEP_GROUP_OPERATION(less, b < a ? b : a)     // the lesser
LOCKSTEP_GROUP_OPERATION(greater, a < b ? b : a)  // the greater
LOCKSTEP_GROUP_OPERATION(bit_and, a& b)
LOCKSTEP_GROUP_OPERATION(bit_or, a | b)
LOCKSTEP_GROUP_OPERATION(bit_xor, a ^ b)
#undef LOCKSTEP_GROUP_OPERATION

template <class Operation, template <class> class Standard, class T>
inline constexpr bool is_operation =
    std::is_same_v<Operation, Standard<T>> || std::is_same_v<Operation, Standard<void>>;

// The combination of all threads' values, in every thread. Integers of 32 bits have an instruction
// for CUDA's operations. Otherwise, in groups whose size is a power of two every thread walks the
// tree, in one shuffle per level; in other groups the first thread does and shares the result.
template <class Group, class T, class Operation>
LOCKSTEP_DEVICE std::decay_t<T> reduce(const Group& group, T&& value, Operation operation) {
  using Value = std::decay_t<T>;
  constexpr bool kIsWord = std::is_same_v<Value, int> || std::is_same_v<Value, unsigned int>;
  if constexpr (!std::is_base_of_v<warp_group, Group>) {
    const auto warp = tiled_partition<32>(this_thread_block());
    return group.combined(reduce(warp, value, operation), operation);
  } else if constexpr (kIsWord && is_operation<Operation, plus, Value>) {
    return __reduce_add_sync(group.lane_mask(), value);
  } else if constexpr (kIsWord && is_operation<Operation, less, Value>) {
    return __reduce_min_sync(group.lane_mask(), value);
  } else if constexpr (kIsWord && is_operation<Operation, greater, Value>) {
    return __reduce_max_sync(group.lane_mask(), value);
  } else if constexpr (kIsWord && is_operation<Operation, bit_and, Value>) {
    return __reduce_and_sync(group.lane_mask(), value);
  } else if constexpr (kIsWord && is_operation<Operation, bit_or, Value>) {
    return __reduce_or_sync(group.lane_mask(), value);
  } else if constexpr (kIsWord && is_operation<Operation, bit_xor, Value>) {
    return __reduce_xor_sync(group.lane_mask(), value);
  } else {
    Value result = value;
    const unsigned int rank = group.thread_rank();
    const unsigned int size = group.size();
    const unsigned int half = size <= 1 ? 0 : 1u << (31 - __clz(static_cast<int>(size - 1)));
    if ((size & (size - 1)) == 0) {
      for (unsigned int offset = half; offset > 0; offset /= 2) {
        const Value other = group.shfl_xor(result, offset);
        result = (rank & offset) == 0 ? operation(result, other) : operation(other, result);
      }
      return result;
    }
    for (unsigned int offset = half; offset > 0; offset /= 2) {
      const Value other = group.shfl_down(result, offset);
      if (rank + offset < size) result = operation(result, other);
    }
    return group.shfl(result, 0);
  }
}

// The combination of the values of ranks 0 to this one.
template <class Group, class T, class Operation = plus<void>>
LOCKSTEP_DEVICE std::decay_t<T> inclusive_scan(const Group& group, T&& value,
                                               Operation operation = {}) {
  static_assert(std::is_base_of_v<warp_group, Group>, "scans take tiles and coalesced groups");
  std::decay_t<T> result = value;
  const unsigned int rank = group.thread_rank();
  for (unsigned int offset = 1; offset < group.size(); offset *= 2) {
    const std::decay_t<T> other = group.shfl_up(result, offset);
    if (rank >= offset) result = operation(other, result);
  }
  return result;
}

// The same without this thread's own value; T{} for rank 0.
template <class Group, class T, class Operation = plus<void>>
LOCKSTEP_DEVICE std::decay_t<T> exclusive_scan(const Group& group, T&& value,
                                               Operation operation = {}) {
  const std::decay_t<T> inclusive = inclusive_scan(group, value, operation);
  const std::decay_t<T> before = group.shfl_up(inclusive, 1);
  return group.thread_rank() == 0 ? std::decay_t<T>{} : before;
}

// Calls function(arguments...) in the thread of rank 0; every thread gets the result.
template <class Group, class Function, class... Arguments>
LOCKSTEP_DEVICE void invoke_one(const Group& group, Function&& function, Arguments&&... arguments) {
  if (group.thread_rank() == 0) function(arguments...);
}
template <class Group, class Function, class... Arguments>
LOCKSTEP_DEVICE auto invoke_one_broadcast(const Group& group, Function&& function,
                                          Arguments&&... arguments) {
  std::invoke_result_t<Function, Arguments...> result = {};
  if (group.thread_rank() == 0) result = function(arguments...);
  return group.shfl(result, 0);
}

}  // namespace __v1
using namespace __v1;
}  // namespace cooperative_groups

#endif
