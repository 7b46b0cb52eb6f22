// SPDX-License-Identifier: MIT
// CUDA's errors that the device returns, by their numbers: CUDA's headers are the worker's.
#pragma once

namespace serve {

enum CudaError : int {
  kSuccess = 0,
  kInvalidValue = 1,
  kMemoryAllocation = 2,
  kInvalidPitchValue = 12,
  kInvalidSymbol = 13,
  kInvalidMemcpyDirection = 21,
  kLaunchMaxDepthExceeded = 65,
  kLaunchPendingCountExceeded = 69,
  kInvalidDeviceFunction = 98,
  kInvalidPtx = 218,
  kInvalidResourceHandle = 400,
  kNotReady = 600,
  kHostMemoryNotRegistered = 713,
  kCooperativeLaunchTooLarge = 720,
  kNotPermitted = 800,
  kNotSupported = 801,
  kInvalidClusterSize = 912,
  kUnknown = 999,
};

}  // namespace serve
