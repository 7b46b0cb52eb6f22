// SPDX-License-Identifier: MIT
// What the tests of the emulator's device side share.
#pragma once

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "simt/error_state.h"
#include "simt/finding.h"
#include "simt/memory.h"
#include "simt/schedule.h"

namespace simt_test {

// An array that kernels and the test both use; filled with `fill` at first. The test waits for the
// kernels before it looks, except through get().
template <class T>
class Managed {
 public:
  explicit Managed(std::size_t count, T fill = T()) : count_(count) {
    void* base = nullptr;
    if (cudaMallocManaged(&base, count * sizeof(T)) != cudaSuccess) throw std::bad_alloc();
    base_ = static_cast<T*>(base);
    std::fill_n(base_, count, fill);
  }
  ~Managed() { cudaFree(base_); }
  Managed(const Managed&) = delete;
  Managed& operator=(const Managed&) = delete;

  T* get() { return base_; }
  T& operator[](std::size_t i) {
    cudaDeviceSynchronize();
    return base_[i];
  }
  std::vector<T> values() const {
    cudaDeviceSynchronize();
    return {base_, base_ + count_};
  }

 private:
  T* base_;
  std::size_t count_;
};

// Starts without errors and findings, in natural order, and fails a test that leaves any unseen.
class DeviceTest : public testing::Test {
 protected:
  void SetUp() override { reset(); }
  void TearDown() override {
    for (const simt::Finding& finding : simt::take_findings()) {
      ADD_FAILURE() << "unexpected finding: " << simt::finding_kind_name(finding.kind)
                    << " in line " << finding.line << ": " << finding.message;
    }
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    for (const simt::Allocation* allocation : simt::live_allocations()) {
      EXPECT_NE(allocation->kind, simt::Allocation::Kind::kDeviceHeap)
          << "allocated in a kernel and never freed, or the emulator's own";
    }
    reset();
  }

  // Expects the kernel to have been ended with `error` and exactly one finding, and takes both.
  simt::Finding expect_fault(cudaError_t error, simt::FindingKind kind) {
    EXPECT_EQ(cudaDeviceSynchronize(), error);
    EXPECT_EQ(cudaGetLastError(), error) << "the error must be sticky";
    simt::clear_errors();
    return expect_finding(kind);
  }

  simt::Finding expect_finding(simt::FindingKind kind) {
    std::vector<simt::Finding> findings = simt::take_findings();
    EXPECT_EQ(findings.size(), 1u);
    findings.resize(1);
    EXPECT_STREQ(simt::finding_kind_name(findings[0].kind), simt::finding_kind_name(kind))
        << findings[0].message;
    return findings[0];
  }

 private:
  static void reset() {
    simt::take_findings();
    simt::clear_errors();
    simt::set_schedule(0);
    simt::forget_races();
    simt::set_step_limit(simt::kDefaultStepLimit);
  }
};

inline testing::AssertionResult contains(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "\"" << text << "\" lacks \"" << part << "\"";
}

}  // namespace simt_test
