// SPDX-License-Identifier: MIT
// Device memory and events of other processes. The emulated device belongs to one process, so each
// call returns cudaErrorNotSupported.
#pragma once

#include "simt/error.h"
#include "simt/event_api.h"

struct cudaIpcMemHandle_t {
  char reserved[64];
};
struct cudaIpcEventHandle_t {
  char reserved[64];
};
#define cudaIpcMemLazyEnablePeerAccess 0x01

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t* handle, void* memory);
cudaError_t cudaIpcOpenMemHandle(void** memory, cudaIpcMemHandle_t handle, unsigned int flags);
cudaError_t cudaIpcCloseMemHandle(void* memory);
cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t* handle, cudaEvent_t event);
cudaError_t cudaIpcOpenEventHandle(cudaEvent_t* event, cudaIpcEventHandle_t handle);
