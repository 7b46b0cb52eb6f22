// SPDX-License-Identifier: MIT
#pragma once

#include "lockstep/error.h"
#include "lockstep/event_api.h"
#include "lockstep/stream.h"

#define cudaStreamDefault 0x00u
#define cudaStreamNonBlocking 0x01u
#define cudaStreamLegacy (reinterpret_cast<cudaStream_t>(0x1))
#define cudaStreamPerThread (reinterpret_cast<cudaStream_t>(0x2))
#define cudaStreamTailLaunch (reinterpret_cast<cudaStream_t>(0x3))  // these two: in kernels
#define cudaStreamFireAndForget (reinterpret_cast<cudaStream_t>(0x4))

typedef void (*cudaStreamCallback_t)(cudaStream_t stream, cudaError_t status, void* user_data);
typedef void (*cudaHostFn_t)(void* user_data);

// Streams that do not exist (any more) are cudaErrorInvalidResourceHandle everywhere.
LOCKSTEP_API cudaError_t cudaStreamCreate(cudaStream_t* stream);
LOCKSTEP_API cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int flags);
LOCKSTEP_API cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned int flags,
                                                      int priority);
LOCKSTEP_API cudaError_t cudaStreamDestroy(cudaStream_t stream);
LOCKSTEP_API cudaError_t cudaStreamSynchronize(cudaStream_t stream);
LOCKSTEP_API cudaError_t
cudaStreamQuery(cudaStream_t stream);  // work is done when it is issued: cudaSuccess
LOCKSTEP_API cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event,
                                             unsigned int flags = 0);
LOCKSTEP_API cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned int* flags);
LOCKSTEP_API cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority);
LOCKSTEP_API cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest);  // 0 and -5

// Called at once, on the calling thread.
LOCKSTEP_API cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback,
                                               void* user_data, unsigned int flags);
LOCKSTEP_API cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function,
                                            void* user_data);
