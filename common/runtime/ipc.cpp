// SPDX-License-Identifier: MIT
// Device memory and events of other processes: the device belongs to one process.
#include <string>

#include "call.h"
#include "error_state.h"

namespace runtime {
namespace {

cudaError_t refuse(const char* call) {
  set_last_error(cudaErrorNotSupported);
  explain_last_error(std::string(call) +
                     " (the emulated device belongs to one process: let the threads of one "
                     "process share it)");
  return cudaErrorNotSupported;
}

}  // namespace
}  // namespace runtime

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t*, void*) {
  RUNTIME_CALL;
  return runtime::refuse("cudaIpcGetMemHandle");
}
cudaError_t cudaIpcOpenMemHandle(void**, cudaIpcMemHandle_t, unsigned int) {
  RUNTIME_CALL;
  return runtime::refuse("cudaIpcOpenMemHandle");
}
cudaError_t cudaIpcCloseMemHandle(void*) {
  RUNTIME_CALL;
  return runtime::refuse("cudaIpcCloseMemHandle");
}
cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t*, cudaEvent_t) {
  RUNTIME_CALL;
  return runtime::refuse("cudaIpcGetEventHandle");
}
cudaError_t cudaIpcOpenEventHandle(cudaEvent_t*, cudaIpcEventHandle_t) {
  RUNTIME_CALL;
  return runtime::refuse("cudaIpcOpenEventHandle");
}
