// SPDX-License-Identifier: MIT
// mutant of: 01_residency
// mistake: trivial: the same for every kernel: one block
// expect: failed wrong_result
#include "scheduling.cuh"

namespace lab {

Residency residency(const SmLimits& sm, const KernelResources& /*kernel*/) {
  return {1, 1, Limiter::kThreads, 1.0 / sm.max_warps};
}

}  // namespace lab
