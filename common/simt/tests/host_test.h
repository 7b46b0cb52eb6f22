// SPDX-License-Identifier: MIT
// What the tests of the emulator's host side share.
#pragma once

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include "simt/error_state.h"

namespace simt_test {

// Expects `got` to be `expected` and to be what cudaGetLastError returns, once.
inline testing::AssertionResult is_error(cudaError_t got, cudaError_t expected) {
  const cudaError_t last = cudaGetLastError();
  const cudaError_t after = cudaGetLastError();
  if (got == expected && last == expected && after == cudaSuccess) {
    return testing::AssertionSuccess();
  }
  return testing::AssertionFailure()
         << "expected " << cudaGetErrorName(expected) << ", got " << cudaGetErrorName(got)
         << ", last error " << cudaGetErrorName(last) << ", then " << cudaGetErrorName(after);
}
#define expect_error(call, expected) EXPECT_TRUE(simt_test::is_error((call), (expected)))

// Starts without errors, and fails a test that leaves one unseen.
class HostTest : public testing::Test {
 protected:
  void SetUp() override { simt::clear_errors(); }
  void TearDown() override {
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    simt::clear_errors();
  }
};

}  // namespace simt_test
