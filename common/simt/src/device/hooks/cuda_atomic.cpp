// SPDX-License-Identifier: MIT
#include "hooks/atomic_core.h"
#include "simt/atomic_access.h"

namespace simt {
namespace {

template <class T>
T compute(AtomicOperation operation, T value, T operand) {
  switch (operation) {
    case AtomicOperation::kAdd:
      if constexpr (std::is_integral_v<T>) {  // wraps around, as on a device
        return static_cast<T>(std::uint64_t(value) + std::uint64_t(operand));
      } else {
        return value + operand;
      }
    case AtomicOperation::kSub:
      if constexpr (std::is_integral_v<T>) {
        return static_cast<T>(std::uint64_t(value) - std::uint64_t(operand));
      } else {
        return value - operand;
      }
    case AtomicOperation::kExchange:
      return operand;
    case AtomicOperation::kMin:
      return operand < value ? operand : value;
    case AtomicOperation::kMax:
      return operand > value ? operand : value;
    case AtomicOperation::kIncrement:
      return value >= operand ? T(0) : T(value + 1);
    case AtomicOperation::kDecrement:
      return value == 0 || value > operand ? operand : T(value - 1);
    default:
      break;
  }
  if constexpr (std::is_integral_v<T>) {
    if (operation == AtomicOperation::kAnd) return value & operand;
    if (operation == AtomicOperation::kOr) return value | operand;
    if (operation == AtomicOperation::kXor) return value ^ operand;
  }
  return value;
}

// A maximum may leave the value as it is, but no thread uses it to wait.
bool may_poll(AtomicOperation operation) {
  return operation != AtomicOperation::kMin && operation != AtomicOperation::kMax;
}

}  // namespace

template <class T>
T atomic_apply(AtomicOperation operation, T* address, T operand, Ordering ordering) {
  device::note_order(ordering.order, ordering.scope >= Scope::kDevice);
  return device::read_modify_write(
      address, SIMT_PLACE, may_poll(operation),
      [=](T value) { return compute(operation, value, operand); },
      operation != AtomicOperation::kExchange);
}

template <class T>
T atomic_compare_exchange(T* address, T expected, T desired, Ordering ordering) {
  device::note_order(ordering.order, ordering.scope >= Scope::kDevice);
  return device::read_modify_write(address, SIMT_PLACE, true,
                                   [=](T value) { return value == expected ? desired : value; });
}

template <class T>
T atomic_load(const T* address, Ordering ordering) {
  device::note_order(ordering.order, ordering.scope >= Scope::kDevice);
  return device::load(address, SIMT_PLACE);
}

template <class T>
void atomic_store(T* address, T value, Ordering ordering) {
  device::note_order(ordering.order, ordering.scope >= Scope::kDevice);
  device::store(address, value, SIMT_PLACE);
}

template <class T>
T atomic_update(T* address, T (*update)(T, T), T operand, Ordering ordering) {
  device::note_order(ordering.order, ordering.scope >= Scope::kDevice);
  return device::read_modify_write(address, SIMT_PLACE, false,
                                   [=](T value) { return update(value, operand); });
}

#define SIMT_INSTANTIATE_APPLY(T) template T atomic_apply(AtomicOperation, T*, T, Ordering);
SIMT_INSTANTIATE_APPLY(char)
SIMT_INSTANTIATE_APPLY(signed char)
SIMT_INSTANTIATE_APPLY(unsigned char)
SIMT_INSTANTIATE_APPLY(short)
SIMT_INSTANTIATE_APPLY(unsigned short)
SIMT_INSTANTIATE_APPLY(int)
SIMT_INSTANTIATE_APPLY(unsigned)
SIMT_INSTANTIATE_APPLY(long)
SIMT_INSTANTIATE_APPLY(unsigned long)
SIMT_INSTANTIATE_APPLY(long long)
SIMT_INSTANTIATE_APPLY(unsigned long long)
SIMT_INSTANTIATE_APPLY(float)
SIMT_INSTANTIATE_APPLY(double)

#define SIMT_INSTANTIATE_BITS(T)                          \
  template T atomic_compare_exchange(T*, T, T, Ordering); \
  template T atomic_load(const T*, Ordering);             \
  template void atomic_store(T*, T, Ordering);            \
  template T atomic_update(T*, T (*)(T, T), T, Ordering);
SIMT_INSTANTIATE_BITS(unsigned char)
SIMT_INSTANTIATE_BITS(unsigned short)
SIMT_INSTANTIATE_BITS(unsigned)
SIMT_INSTANTIATE_BITS(unsigned long)
SIMT_INSTANTIATE_BITS(unsigned long long)

}  // namespace simt
