// SPDX-License-Identifier: MIT
// For the sample programs: ends the program with a message when something is not as it should be.
#pragma once

#include <cstdio>
#include <cstdlib>

#define CHECK_CUDA(call)                                                                    \
  do {                                                                                      \
    const cudaError_t status = (call);                                                      \
    if (status != cudaSuccess) {                                                            \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, cudaGetErrorName(status), \
                   cudaGetErrorString(status));                                             \
      std::exit(1);                                                                         \
    }                                                                                       \
  } while (0)

#define EXPECT(condition)                                                          \
  do {                                                                             \
    if (!(condition)) {                                                            \
      std::fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
      std::exit(1);                                                                \
    }                                                                              \
  } while (0)
