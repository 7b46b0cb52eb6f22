// SPDX-License-Identifier: MIT
// Rung 01: which blocks fit an SM, and what stops the next one.
#include "architectures.h"
#include "lab_test.h"
#include "scheduling.cuh"

namespace scheduling_test {
namespace {

using judge::Buffer;
using judge::Failure;

class ResidencyOf : public judge::LabTest {
 protected:
  std::optional<Failure> of(const lab::SmLimits& sm, const lab::KernelResources& kernel) {
    begin_case();
    const auto h_sm = input<lab::SmLimits>("sm", {sm});
    const auto h_kernel = input<lab::KernelResources>("kernel", {kernel});
    const auto h_residency = output<lab::Residency>("the result", 1);
    return call<decltype(lab::residency)>("residency", judge::on_host(h_sm),
                                          judge::on_host(h_kernel), judge::on_host(h_residency));
  }
};

TEST_F(ResidencyOf, TheHandoutsExample) {
  if (const auto failure = of(lab::kTextbook.limits, {256, 64, 0})) fail(*failure);
}

}  // namespace
}  // namespace scheduling_test
