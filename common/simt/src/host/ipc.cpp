// SPDX-License-Identifier: MIT
#include <string>

#include "simt/error_state.h"
#include "simt/ipc_api.h"

namespace {

cudaError_t refuse(const char* call) {
  simt::set_last_error(cudaErrorNotSupported);
  simt::explain_last_error(std::string(call) +
                           " (the emulated device belongs to one process: let the threads of one "
                           "process share it)");
  return cudaErrorNotSupported;
}

}  // namespace

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t*, void*) {
  return refuse("cudaIpcGetMemHandle");
}
cudaError_t cudaIpcOpenMemHandle(void**, cudaIpcMemHandle_t, unsigned int) {
  return refuse("cudaIpcOpenMemHandle");
}
cudaError_t cudaIpcCloseMemHandle(void*) { return refuse("cudaIpcCloseMemHandle"); }
cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t*, cudaEvent_t) {
  return refuse("cudaIpcGetEventHandle");
}
cudaError_t cudaIpcOpenEventHandle(cudaEvent_t*, cudaIpcEventHandle_t) {
  return refuse("cudaIpcOpenEventHandle");
}
