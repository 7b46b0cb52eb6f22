// SPDX-License-Identifier: MIT
// mutant of: 01_residency
// mistake: trivial: zeros
// expect: failed wrong_result
#include "scheduling.cuh"

namespace lab {

Residency residency(const SmLimits& /*sm*/, const KernelResources& /*kernel*/) { return {}; }

}  // namespace lab
