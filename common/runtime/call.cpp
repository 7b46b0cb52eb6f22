// SPDX-License-Identifier: MIT
#include "call.h"

#include <string>

#include "error_state.h"
#include "place.h"
#include "waiting.h"

namespace runtime {
namespace {

struct Caller {
  int depth = 0;
  const char* function = "";
  const void* return_address = nullptr;
  bool is_known = false;
  int host_functions_depth = 0;  // the depth at which a function of the host's is; 0: none is
  serve::Place place;
};
thread_local Caller t_caller;

}  // namespace

ApiCall::ApiCall(const void* return_address, const char* function) {
  if (t_caller.depth != 0 && t_caller.depth == t_caller.host_functions_depth) {
    report_about_host(
        report::Kind::kLaunchError, {place_of(return_address), "", ""},
        std::string(function) +
            " is called by a function of cudaLaunchHostFunc: CUDA permits no call "
            "of its API there (cudaErrorNotPermitted), and the call may never return");
  }
  if (t_caller.depth++ != 0) return;
  t_caller.function = function;
  set_caller(return_address);
  look_after_waiting();
}

ApiCall::~ApiCall() { --t_caller.depth; }

HostFunctionCall::HostFunctionCall() { t_caller.host_functions_depth = t_caller.depth; }
HostFunctionCall::~HostFunctionCall() { t_caller.host_functions_depth = 0; }

void set_caller(const void* return_address) {
  t_caller.return_address = return_address;
  t_caller.is_known = false;
}

const char* called_function() { return t_caller.depth == 0 ? "" : t_caller.function; }

const serve::Place& caller_place() {
  Caller& caller = t_caller;
  if (caller.is_known) return caller.place;
  caller.place = place_of(caller.return_address);
  if (caller.place.line == 0) caller.place = place_of_callers();
  caller.is_known = true;
  return caller.place;
}

}  // namespace runtime
