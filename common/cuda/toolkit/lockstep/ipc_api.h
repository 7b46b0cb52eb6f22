// SPDX-License-Identifier: MIT
// Device memory and events of other processes. The emulated device belongs to one process, so each
// call returns cudaErrorNotSupported.
#pragma once

#include "lockstep/error.h"
#include "lockstep/event_api.h"

struct cudaIpcMemHandle_t {
  char reserved[64];
};
struct cudaIpcEventHandle_t {
  char reserved[64];
};
#define cudaIpcMemLazyEnablePeerAccess 0x01

LOCKSTEP_API cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t* handle, void* memory);
LOCKSTEP_API cudaError_t cudaIpcOpenMemHandle(void** memory, cudaIpcMemHandle_t handle,
                                              unsigned int flags);
LOCKSTEP_API cudaError_t cudaIpcCloseMemHandle(void* memory);
LOCKSTEP_API cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t* handle, cudaEvent_t event);
LOCKSTEP_API cudaError_t cudaIpcOpenEventHandle(cudaEvent_t* event, cudaIpcEventHandle_t handle);
