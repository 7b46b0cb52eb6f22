// SPDX-License-Identifier: MIT
// A program with kernels of a few lines of PTX, as clang would embed them, and what its device
// reports.
#pragma once

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace runtime_test {

// The kernels' stand-ins. Each stores to ints.
extern const void* const kFill;     // (int* out, int value): out[thread of the grid] = value
extern const void* const kAdd;      // (int* out, int value): out[0] += value, one thread
extern const void* const kWait;     // (int* flag, int value): waits until flag[0] != 0, then
                                    // flag[1] = value
extern const void* const kPrint;    // (): prints "printed"
extern const void* const kFault;    // (int* out, int): stores to an odd address
extern const void* const kFetch;    // (int* out, int texture): out[0] = its element 1
extern const void* const kCounter;  // a __device__ int, 5 at first

extern int managed;    // 6 at first, from share_managed() on
void share_managed();  // once, as the program's start would do it

inline cudaError_t launch(const void* kernel, unsigned num_blocks, unsigned num_threads, int* out,
                          int value, cudaStream_t stream = nullptr) {
  void* arguments[] = {&out, &value};
  return cudaLaunchKernel(kernel, num_blocks, num_threads, arguments, 0, stream);
}

// Findings since the last call, as the device has written them: one line of JSON each.
std::vector<std::string> take_findings();

class Runtime : public ::testing::Test {
 protected:
  void SetUp() override {
    cudaDeviceReset();
    cudaGetLastError();
    take_findings();
  }
};

}  // namespace runtime_test
