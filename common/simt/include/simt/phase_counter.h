// SPDX-License-Identifier: MIT
// A barrier in memory: phases that end when the expected number of arrivals is there. A thread that
// has seen the phase end also sees what the others did before they arrived.
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
  SIMT_INLINE unsigned arrive(unsigned num_arrivals = 1) {
    const unsigned phase = atomic_load(&phase_, kRelaxed);
    const unsigned pending = atomic_apply(AtomicOperation::kSub, &pending_, num_arrivals,
                                          {MemoryOrder::acq_rel, Scope::kBlock});
    if (pending == num_arrivals) {
      atomic_store(&pending_, atomic_load(&expected_, kRelaxed), kRelaxed);
      atomic_store(&phase_, phase + 1, {MemoryOrder::release, Scope::kBlock});
    }
    return phase;
  }

  // Arrives and takes no part in later phases.
  SIMT_INLINE void arrive_and_drop() {
    atomic_apply(AtomicOperation::kSub, &expected_, 1u, kRelaxed);
    arrive();
  }

  SIMT_INLINE bool has_ended(unsigned phase) const {
    const unsigned now = atomic_load(&phase_, {MemoryOrder::acquire, Scope::kBlock});
    return static_cast<int>(now - phase) > 0;
  }

  SIMT_INLINE void wait(unsigned phase) const {
    while (!has_ended(phase)) {
    }
  }

 private:
  static constexpr Ordering kRelaxed = {MemoryOrder::relaxed, Scope::kBlock};

  unsigned expected_;
  unsigned pending_;
  unsigned phase_;
};

}  // namespace simt
