// SPDX-License-Identifier: MIT
// A barrier in memory: phases that end when the expected number of arrivals is there. A thread that
// has seen the phase end also sees what the others did before they arrived. In shared memory, where
// a device has instructions for them, arrivals and waits do not count as requests.
#pragma once

#include "simt/atomic_access.h"
#include "simt/keywords.h"

namespace simt {

// Trivial, so that it may be in shared memory; init() before use, by one thread.
class PhaseCounter {
 public:
  SIMT_INLINE void init(unsigned num_arrivals) {
    atomic_store(&expected_, num_arrivals, kRelaxed);
    atomic_store(&pending_, num_arrivals, kRelaxed);
    atomic_store(&phase_, 0u, {MemoryOrder::release, Scope::kBlock});
  }

  // Takes part in the running phase; returns its number.
  unsigned arrive(unsigned num_arrivals = 1);

  // Arrives and takes no part in later phases.
  SIMT_INLINE void arrive_and_drop() {
    atomic_apply(AtomicOperation::kSub, &expected_, 1u, kRelaxed);
    arrive();
  }

  // Whether the phase has ended. Lets others run first if it has not.
  bool try_wait(unsigned phase) const;
  void wait(unsigned phase) const;

  // A phase in which all threads of the block take part, or those of several warps, counts as a
  // barrier. An arrival counts as an atomic operation, but not here, as with __syncthreads().
  void arrive_and_wait();

 private:
  static constexpr Ordering kRelaxed = {MemoryOrder::relaxed, Scope::kBlock};

  unsigned expected_;
  unsigned pending_;
  unsigned phase_;
};

}  // namespace simt
