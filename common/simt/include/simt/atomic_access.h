// SPDX-License-Identifier: MIT
// The atomic accesses that CUDA's atomic functions and cuda::atomic are made of. In a kernel, where
// threads take turns, each is one uninterrupted step; on the host they are atomic as std::atomic
// is.
#pragma once

#include <cstddef>
#include <cstdint>

namespace simt {

// The threads among which an access is atomic and orders other accesses.
enum class Scope : std::uint8_t { kThread, kBlock, kDevice, kSystem };

enum class AtomicOperation : std::uint8_t {
  kAdd,
  kSub,
  kExchange,
  kMin,
  kMax,
  kIncrement,
  kDecrement,
  kAnd,
  kOr,
  kXor,
};

// std::memory_order's values. A type of its own, as in libcu++: <atomic> costs every rung a quarter
// of its compile.
enum class MemoryOrder : int { relaxed, consume, acquire, release, acq_rel, seq_cst };

// How an access orders the accesses around it, and for which threads.
struct Ordering {
  MemoryOrder order = MemoryOrder::relaxed;
  Scope scope = Scope::kDevice;
};

// Replaces *address by operation(*address, operand) and returns the old value. kIncrement and
// kDecrement wrap at `operand` as atomicInc and atomicDec do. T: an integer type, float or double;
// no bit operations on the last two.
template <class T>
T atomic_apply(AtomicOperation operation, T* address, T operand, Ordering ordering = {});

// Replaces *address by `desired` if it equals `expected`; returns the old value. T: an unsigned
// type.
template <class T>
T atomic_compare_exchange(T* address, T expected, T desired, Ordering ordering = {});

// Reads and writes. T: an unsigned type.
template <class T>
T atomic_load(const T* address, Ordering ordering = {});
template <class T>
void atomic_store(T* address, T value, Ordering ordering = {});

// Any other read-modify-write: replaces the value by update(value, operand); returns the old value.
// T: an unsigned type.
template <class T>
T atomic_update(T* address, T (*update)(T value, T operand), T operand, Ordering ordering = {});

// Orders this thread's accesses (the fences of CUDA and of C++).
void atomic_fence(Ordering ordering);

}  // namespace simt
