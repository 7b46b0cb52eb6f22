// SPDX-License-Identifier: MIT
#include "stream.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "call.h"
#include "capture.h"
#include "connection.h"
#include "error_state.h"
#include "waiting.h"

struct CUstream_st {
  std::uint64_t number;
  unsigned int flags;
  int priority;
};

namespace runtime {
namespace {

constexpr int kLeastPriority = 0;
constexpr int kGreatestPriority = -5;  // smaller numbers go first

std::set<cudaStream_t>& streams() {
  static auto* const created = new std::set<cudaStream_t>;  // outlives all users
  return *created;
}

bool is_predefined(cudaStream_t stream) {
  return stream == nullptr || stream == cudaStreamLegacy || stream == cudaStreamPerThread;
}

// The host knows from now on that the stream's work is done.
cudaError_t wait(cudaStream_t stream) {
  if (!is_valid_stream(stream)) return set_handle_error(false);
  const cudaError_t error = check_uncaptured(stream);
  if (error == cudaSuccess) host_waits_for(stream);
  return set_last_error(error);
}

using Location = std::pair<std::string, std::uint32_t>;  // file and line
Location location_of(const serve::Place& place) { return {place.file, place.line}; }

// What to do where a function makes the host wait.
std::string instead_of(std::string_view function) {
  if (function.ends_with("Async")) {
    return "A copy to or from pageable memory waits: take pinned memory (cudaMallocHost), or leave "
           "the values on the device";
  }
  if (function.starts_with("cudaEvent")) {
    return "If other work needs what is before the event, let its stream wait: cudaStreamWaitEvent. "
           "Else delete the call";
  }
  return "Delete the call, or take its asynchronous form with the stream (cudaMemcpyAsync, "
         "cudaMemsetAsync, cudaFreeAsync)";
}

bool g_is_wait_a_mistake = false;
std::uint64_t g_num_calls = 0;                    // that must not wait
std::map<Location, std::uint64_t> g_first_waits;  // the call that waited first at a place
std::set<Location> g_queries;                     // of this call

// A kernel that waits for the host is before its work.
bool is_busy(cudaStream_t stream) {
  if (!is_valid_stream(stream)) return false;
  if (is_behind_waiting(stream)) try_waiting();
  return is_behind_waiting(stream);
}

// Calls a function of the host's as if a thread of the driver's did it when the stream's work is
// done. Another thread may use the device meanwhile: the function may wait for that thread.
template <class Function>
cudaError_t call_in(cudaStream_t stream, const cudaHostNodeParams& like, Function function) {
  const DeviceLock lock;
  if (is_capturing(stream)) {
    return capture_work(stream, cudaGraphNodeTypeHost, like,
                        [=](cudaStream_t other) { return call_in(other, like, function); });
  }
  const auto call = [=] {
    const DeviceLoan loan;
    const HostFunctionCall host_function;
    function();
  };
  if (is_busy(stream)) {
    run_behind_waiting(call);
    return set_last_error(cudaSuccess);
  }
  if (!is_valid_stream(stream)) return set_handle_error(false);
  if (const cudaError_t error = check_legacy_stream(stream); error != cudaSuccess) {
    return set_last_error(error);
  }
  ask(serve::HostFunction{1, stream_number(stream)});
  call();
  ask(serve::HostFunction{0});
  return set_last_error(cudaSuccess);
}

}  // namespace

bool is_valid_stream(cudaStream_t stream) {
  return is_predefined(stream) || streams().count(stream) != 0;
}

std::uint64_t stream_number(cudaStream_t stream) {
  if (stream == nullptr || stream == cudaStreamLegacy) return serve::kLegacyStream;
  return stream == cudaStreamPerThread ? serve::kPerThreadStream : stream->number;
}

void expect_no_host_waits(bool is_expected) {
  g_is_wait_a_mistake = is_expected;
  g_num_calls += is_expected ? 1 : 0;
  g_queries.clear();
}

void note_host_wait() {
  if (caller_place().line == 0) return;
  // What is behind a kernel that waits for the host runs in finish_waiting(), where that has ended.
  if (!Connection::get().kernel_waits()) ask(serve::HostWaits{caller_place()});
  if (!g_is_wait_a_mistake) return;
  const auto first = g_first_waits.emplace(location_of(caller_place()), g_num_calls).first;
  if (first->second == g_num_calls) return;
  report_about_host(report::Kind::kHostWait, {caller_place(), "", ""},
                    "the host waits for the device here, and the contract says that it does not: "
                    "the function queues its work on the stream and returns. Its caller waits when "
                    "it needs the results. " +
                        instead_of(called_function()));
}

bool is_query_too_early() {
  if (!g_is_wait_a_mistake || caller_place().line == 0) return false;
  if (g_queries.insert(location_of(caller_place())).second) return true;
  note_host_wait();
  return false;
}

cudaError_t make_stream(cudaStream_t* stream, unsigned int flags, int priority,
                        const serve::Place& at) {
  if (stream == nullptr || flags > cudaStreamNonBlocking) {
    return set_last_error(cudaErrorInvalidValue);
  }
  const bool is_blocking = (flags & cudaStreamNonBlocking) == 0;
  const auto made = ask(serve::AddStream{is_blocking ? 1U : 0U, at});
  if (made.error != cudaSuccess) return set_last_error(made.error);
  *stream = new CUstream_st{made.result.stream, flags,
                            std::clamp(priority, kGreatestPriority, kLeastPriority)};
  streams().insert(*stream);
  return set_handle_error(true);
}

bool is_behind_waiting(cudaStream_t stream) { return is_stream_behind(stream_number(stream)); }

void host_waits_for(cudaStream_t stream) {
  if (is_behind_waiting(stream)) finish_waiting();
  ask(serve::WaitForStream{stream_number(stream)});
}

void host_waits_for_all() {
  finish_waiting();
  ask(serve::WaitForAll{});
}

std::uint64_t record_clock(cudaStream_t stream) {
  const std::uint64_t clock = ask(serve::AddEvent{}).result.event;
  ask(serve::RecordEvent{clock, stream_number(stream)});
  return clock;
}
void stream_waits_for(cudaStream_t stream, std::uint64_t clock) {
  ask(serve::StreamWaits{stream_number(stream), clock});
}
void drop_clock(std::uint64_t clock) { ask(serve::RemoveEvent{clock}); }

}  // namespace runtime

using namespace runtime;

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  RUNTIME_CALL;
  return cudaStreamCreateWithPriority(stream, cudaStreamDefault, kLeastPriority);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int flags) {
  RUNTIME_CALL;
  return cudaStreamCreateWithPriority(stream, flags, kLeastPriority);
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned int flags, int priority) {
  RUNTIME_CALL;
  return make_stream(stream, flags, priority, caller_place());
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  RUNTIME_CALL;
  if (is_predefined(stream) || streams().count(stream) == 0) return set_handle_error(false);
  leave_capture(stream);
  if (is_behind_waiting(stream)) finish_waiting();
  ask(serve::RemoveStream{stream->number});
  streams().erase(stream);
  delete stream;
  return set_handle_error(true);
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  RUNTIME_CALL;
  note_host_wait();
  return wait(stream);
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
  RUNTIME_CALL;
  if (is_valid_stream(stream) && is_query_too_early()) return cudaErrorNotReady;
  return is_busy(stream) ? cudaErrorNotReady : wait(stream);
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned int* flags) {
  RUNTIME_CALL;
  if (flags == nullptr) return set_last_error(cudaErrorInvalidValue);
  if (!is_valid_stream(stream)) return set_handle_error(false);
  *flags = streams().count(stream) != 0 ? stream->flags : cudaStreamDefault;
  return set_handle_error(true);
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
  RUNTIME_CALL;
  if (priority == nullptr) return set_last_error(cudaErrorInvalidValue);
  if (!is_valid_stream(stream)) return set_handle_error(false);
  *priority = streams().count(stream) != 0 ? stream->priority : kLeastPriority;
  return set_handle_error(true);
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  RUNTIME_CALL;
  if (least != nullptr) *least = kLeastPriority;
  if (greatest != nullptr) *greatest = kGreatestPriority;
  return set_handle_error(true);
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback,
                                  void* user_data, unsigned int flags) {
  RUNTIME_CALL;
  if (callback == nullptr || flags != 0) return set_last_error(cudaErrorInvalidValue);
  if (is_capturing(stream)) return set_last_error(cudaErrorStreamCaptureUnsupported);
  return call_in(stream, {}, [=] { callback(stream, sticky_error(), user_data); });
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* user_data) {
  RUNTIME_CALL;
  if (function == nullptr) return set_last_error(cudaErrorInvalidValue);
  return call_in(stream, {function, user_data}, [=] { function(user_data); });
}
