// SPDX-License-Identifier: MIT
#include <string>
#include <type_traits>

#include "allocation.h"
#include "connection.h"
#include "device_limits.h"
#include "error_state.h"
#include "lockstep_runtime.h"
#include "place.h"
#include "stream.h"

namespace runtime {
namespace {

// A failed allocation that the call went on after. What came of the null pointer is reported, too.
void report_failed_allocation(const std::string& function) {
  const ErrorOrigin& failed = failed_allocation();
  const bool is_last = is_same(last_error_origin().at, failed.at);
  if (failed.at.line == 0 || (is_last && sticky_error() == cudaSuccess)) return;
  report_launch_error(
      {failed.at, "", ""},
      function + " ignored an error: line " + std::to_string(failed.at.line) + ", " +
          (failed.what.empty() ? "an allocation" : failed.what) +
          ": cudaErrorMemoryAllocation: out of memory. Its pointer is null: put check() "
          "around each CUDA call");
}

}  // namespace

void pose_as(const Pose& pose) {
  g_multiprocessors = {};
  const auto set = [](auto& value, unsigned other) {
    if (other != 0) value = static_cast<std::remove_reference_t<decltype(value)>>(other);
  };
  set(g_multiprocessors.count, pose.num_multiprocessors);
  set(g_multiprocessors.threads, pose.threads_per_multiprocessor);
  set(g_multiprocessors.shared_bytes, pose.shared_bytes_per_multiprocessor);
  set(g_multiprocessors.l2_bytes, pose.l2_bytes);
}

void forget_errors() { clear_errors(); }

void* scratch_room(std::size_t size_bytes) {
  return reinterpret_cast<void*>(ask(serve::TakeScratch{size_bytes}).result.address);
}

void declare_scratch(void* d_base, std::size_t size_bytes, const std::string& name) {
  const auto name_bytes = static_cast<std::uint32_t>(name.size());
  ask(serve::DeclareScratch{number(d_base), size_bytes, name_bytes}, name);
}

void retire_scratch() { ask(serve::EndScratch{}); }

void begin_call_on(cudaStream_t stream) {
  ask(serve::CallersWork{stream_number(stream), 1});
  expect_no_host_waits(true);
}

void end_call_on(cudaStream_t stream) {
  expect_no_host_waits(false);
  ask(serve::CallersWork{stream_number(stream), 0});
}

void begin_callers_turn() { ask(serve::CallersTurn{1}); }
void end_callers_turn() { ask(serve::CallersTurn{0}); }

void report_error(const std::string& function, const std::string& what, bool was_ignored) {
  report_failed_allocation(function);
  if (sticky_error() != cudaSuccess) return;  // a kernel's fault, which is a finding already
  const ErrorOrigin& origin = last_error_origin();
  if (origin.at.line == 0) return;
  const std::string culprit = "line " + std::to_string(origin.at.line) + ", " +
                              (origin.what.empty() ? "a CUDA call" : origin.what) + ": " + what;
  report_launch_error(origin, was_ignored ? function + " ignored an error: " + culprit +
                                                ". Ask for the error after each launch, "
                                                "as check_launch() does, and put check() around "
                                                "each CUDA call"
                                          : culprit);
}

void report_unchecked_errors() {
  for (const auto& [error, origin] : unchecked_errors()) {
    report_launch_error(origin,
                        (origin.what.empty() ? "a CUDA call" : origin.what) + " failed with " +
                            cudaGetErrorName(error) + " (" + cudaGetErrorString(error) +
                            "), and the program never asked for the error: check what each CUDA "
                            "call returns, and cudaGetLastError() after each launch",
                        error);
  }
}

}  // namespace runtime
