// SPDX-License-Identifier: MIT
// A call of CUDA's API by the program: who makes it, and one at a time.
#pragma once

#include "lock.h"
#include "serve/commands.h"

namespace runtime {

// Functions of the API that call one another count as one call: the outermost.
class ApiCall {
 public:
  ApiCall(const void* return_address, const char* function);
  ~ApiCall();
  ApiCall(const ApiCall&) = delete;
  ApiCall& operator=(const ApiCall&) = delete;

 private:
  DeviceLock lock_;
};

// While it lives, the thread is at a function of the host's in the order of a stream, which may
// make no call.
class HostFunctionCall {
 public:
  HostFunctionCall();
  ~HostFunctionCall();
  HostFunctionCall(const HostFunctionCall&) = delete;
  HostFunctionCall& operator=(const HostFunctionCall&) = delete;
};

// The user's line that the running call comes from.
const serve::Place& caller_place();
// The function of the API that the user calls; empty: none.
const char* called_function();

// Of a launch: the line of its <<<>>>, and not that of the kernel's stand-in. Before
// caller_place().
void set_caller(const void* return_address);

}  // namespace runtime

// The first line of each function of the API.
#define RUNTIME_CALL const runtime::ApiCall runtime_call(__builtin_return_address(0), __func__)
