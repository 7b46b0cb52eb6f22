// SPDX-License-Identifier: MIT
// Events: instants of the host's steady clock. Work is complete when it is issued, so the time
// between two events is the time that the device needed for the work issued between them.
#pragma once

#include "lockstep/error.h"
#include "lockstep/stream.h"

struct CUevent_st;
typedef CUevent_st* cudaEvent_t;

#define cudaEventDefault 0x00u
#define cudaEventBlockingSync 0x01u
#define cudaEventDisableTiming 0x02u
#define cudaEventInterprocess 0x04u
#define cudaEventRecordDefault 0x00u
#define cudaEventRecordExternal 0x01u
#define cudaEventWaitDefault 0x00u
#define cudaEventWaitExternal 0x01u

// Events that do not exist (any more) are cudaErrorInvalidResourceHandle everywhere.
LOCKSTEP_API cudaError_t cudaEventCreate(cudaEvent_t* event);
LOCKSTEP_API cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int flags);
inline cudaError_t cudaEventCreate(cudaEvent_t* event, unsigned int flags) {
  return cudaEventCreateWithFlags(event, flags);
}
LOCKSTEP_API cudaError_t cudaEventDestroy(cudaEvent_t event);
LOCKSTEP_API cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream = nullptr);
LOCKSTEP_API cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream = nullptr,
                                                  unsigned int flags = 0);
LOCKSTEP_API cudaError_t cudaEventSynchronize(cudaEvent_t event);
LOCKSTEP_API cudaError_t cudaEventQuery(cudaEvent_t event);

// Milliseconds from `start` to `stop`. cudaErrorInvalidResourceHandle if one of them was never
// recorded or does not keep time (cudaEventDisableTiming).
LOCKSTEP_API cudaError_t cudaEventElapsedTime(float* elapsed_ms, cudaEvent_t start,
                                              cudaEvent_t stop);
