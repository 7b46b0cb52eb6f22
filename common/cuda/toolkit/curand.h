// SPDX-License-Identifier: MIT
// cuRAND's host API: generators XORWOW, Philox 4x32-10, MRG32k3a and Sobol's sequences, which fill
// device memory, or the host's.
// Bits and uniform numbers are those of cuRAND 10.4, in its order; normal numbers are the same up
// to rounding. Poisson numbers and scrambled sequences are others, of the same
// distribution.
#pragma once

// Programs ask by the name of NVIDIA's include guard whether cuRAND is there.
#define CURAND_H_

#include <cstddef>

#include "cuda_runtime.h"

#define CURAND_VER_MAJOR 10
#define CURAND_VER_MINOR 4
#define CURAND_VER_PATCH 0
#define CURAND_VERSION 10400

typedef enum curandStatus {
  CURAND_STATUS_SUCCESS = 0,
  CURAND_STATUS_VERSION_MISMATCH = 100,
  CURAND_STATUS_NOT_INITIALIZED = 101,
  CURAND_STATUS_ALLOCATION_FAILED = 102,
  CURAND_STATUS_TYPE_ERROR = 103,
  CURAND_STATUS_OUT_OF_RANGE = 104,
  CURAND_STATUS_LENGTH_NOT_MULTIPLE = 105,
  CURAND_STATUS_DOUBLE_PRECISION_REQUIRED = 106,
  CURAND_STATUS_LAUNCH_FAILURE = 201,
  CURAND_STATUS_PREEXISTING_FAILURE = 202,
  CURAND_STATUS_INITIALIZATION_FAILED = 203,
  CURAND_STATUS_ARCH_MISMATCH = 204,
  CURAND_STATUS_INTERNAL_ERROR = 999,
} curandStatus_t;

typedef enum curandRngType {
  CURAND_RNG_TEST = 0,
  CURAND_RNG_PSEUDO_DEFAULT = 100,
  CURAND_RNG_PSEUDO_XORWOW = 101,
  CURAND_RNG_PSEUDO_MRG32K3A = 121,
  CURAND_RNG_PSEUDO_MTGP32 = 141,
  CURAND_RNG_PSEUDO_MT19937 = 142,
  CURAND_RNG_PSEUDO_PHILOX4_32_10 = 161,
  CURAND_RNG_QUASI_DEFAULT = 200,
  CURAND_RNG_QUASI_SOBOL32 = 201,
  CURAND_RNG_QUASI_SCRAMBLED_SOBOL32 = 202,
  CURAND_RNG_QUASI_SOBOL64 = 203,
  CURAND_RNG_QUASI_SCRAMBLED_SOBOL64 = 204,
} curandRngType_t;

typedef enum curandOrdering {
  CURAND_ORDERING_PSEUDO_BEST = 100,
  CURAND_ORDERING_PSEUDO_DEFAULT = 101,
  CURAND_ORDERING_PSEUDO_SEEDED = 102,
  CURAND_ORDERING_PSEUDO_LEGACY = 103,
  CURAND_ORDERING_PSEUDO_DYNAMIC = 104,
  CURAND_ORDERING_QUASI_DEFAULT = 201,
} curandOrdering_t;

typedef enum curandDirectionVectorSet {
  CURAND_DIRECTION_VECTORS_32_JOEKUO6 = 101,
  CURAND_SCRAMBLED_DIRECTION_VECTORS_32_JOEKUO6 = 102,
  CURAND_DIRECTION_VECTORS_64_JOEKUO6 = 103,
  CURAND_SCRAMBLED_DIRECTION_VECTORS_64_JOEKUO6 = 104,
} curandDirectionVectorSet_t;

typedef unsigned int curandDirectionVectors32_t[32];
typedef unsigned long long curandDirectionVectors64_t[64];

typedef struct curandGenerator_st* curandGenerator_t;

// CURAND_STATUS_TYPE_ERROR for the generators that Lockstep lacks, with a line on stderr.
LOCKSTEP_API curandStatus_t curandCreateGenerator(curandGenerator_t* generator,
                                                  curandRngType_t type);
LOCKSTEP_API curandStatus_t curandCreateGeneratorHost(curandGenerator_t* generator,
                                                      curandRngType_t type);
LOCKSTEP_API curandStatus_t curandDestroyGenerator(curandGenerator_t generator);
LOCKSTEP_API curandStatus_t curandGetVersion(int* version);
LOCKSTEP_API curandStatus_t curandSetStream(curandGenerator_t generator, cudaStream_t stream);
// The new seed takes effect at the position that the generator has reached.
LOCKSTEP_API curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t generator,
                                                               unsigned long long seed);
LOCKSTEP_API curandStatus_t curandSetGeneratorOffset(curandGenerator_t generator,
                                                     unsigned long long offset);
// Best, default and legacy, which are one order here, as on a GPU; for Sobol's sequences their own.
LOCKSTEP_API curandStatus_t curandSetGeneratorOrdering(curandGenerator_t generator,
                                                       curandOrdering_t order);
// From 1 to 512 for Sobol's sequences. The numbers of the first dimension come first, as many as of
// each other; CURAND_STATUS_LENGTH_NOT_MULTIPLE unless they can be.
LOCKSTEP_API curandStatus_t curandSetQuasiRandomGeneratorDimensions(curandGenerator_t generator,
                                                                    unsigned int num_dimensions);
LOCKSTEP_API curandStatus_t curandGenerateSeeds(curandGenerator_t generator);

// Each writes num_items numbers. Normal numbers come in pairs, except with Philox:
// CURAND_STATUS_LENGTH_NOT_MULTIPLE for an odd count. CURAND_STATUS_LAUNCH_FAILURE where the output
// is no device memory of that size.
LOCKSTEP_API curandStatus_t curandGenerate(curandGenerator_t generator, unsigned int* output,
                                           std::size_t num_items);
// Of sequences of 64 bits alone; these lack curandGenerate().
LOCKSTEP_API curandStatus_t curandGenerateLongLong(curandGenerator_t generator,
                                                   unsigned long long* output,
                                                   std::size_t num_items);
LOCKSTEP_API curandStatus_t curandGenerateUniform(curandGenerator_t generator, float* output,
                                                  std::size_t num_items);
LOCKSTEP_API curandStatus_t curandGenerateUniformDouble(curandGenerator_t generator, double* output,
                                                        std::size_t num_items);
LOCKSTEP_API curandStatus_t curandGenerateNormal(curandGenerator_t generator, float* output,
                                                 std::size_t num_items, float mean, float stddev);
LOCKSTEP_API curandStatus_t curandGenerateNormalDouble(curandGenerator_t generator, double* output,
                                                       std::size_t num_items, double mean,
                                                       double stddev);
LOCKSTEP_API curandStatus_t curandGenerateLogNormal(curandGenerator_t generator, float* output,
                                                    std::size_t num_items, float mean,
                                                    float stddev);
LOCKSTEP_API curandStatus_t curandGenerateLogNormalDouble(curandGenerator_t generator,
                                                          double* output, std::size_t num_items,
                                                          double mean, double stddev);
LOCKSTEP_API curandStatus_t curandGeneratePoisson(curandGenerator_t generator, unsigned int* output,
                                                  std::size_t num_items, double mean);

// 512 vectors, and as many constants, in memory of the host.
LOCKSTEP_API curandStatus_t curandGetDirectionVectors32(curandDirectionVectors32_t** vectors,
                                                        curandDirectionVectorSet_t set);
LOCKSTEP_API curandStatus_t curandGetDirectionVectors64(curandDirectionVectors64_t** vectors,
                                                        curandDirectionVectorSet_t set);
LOCKSTEP_API curandStatus_t curandGetScrambleConstants32(unsigned int** constants);
LOCKSTEP_API curandStatus_t curandGetScrambleConstants64(unsigned long long** constants);
