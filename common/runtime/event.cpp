// SPDX-License-Identifier: MIT
// Events: instants of the host's steady clock, and what the device has to do before.
#include <chrono>
#include <set>
#include <string_view>
#include <utility>

#include "call.h"
#include "capture.h"
#include "connection.h"
#include "error_state.h"
#include "stream.h"
#include "waiting.h"

struct CUevent_st {
  std::uint64_t number;
  unsigned int flags;
  bool is_recorded;
  bool was_asked;  // for its time, before the host knew that it is over
  std::chrono::steady_clock::time_point time;
  runtime::CapturedPoint captured = {};
};

namespace runtime {
namespace {

std::set<cudaEvent_t>& events() {
  static auto* const created = new std::set<cudaEvent_t>;  // outlives all users
  return *created;
}

bool exists(cudaEvent_t event) { return events().count(event) != 0; }

bool is_captured(cudaEvent_t event) { return event->captured.capture != 0; }

// Why the event has no time; empty: it has one.
std::string_view why_no_time(cudaEvent_t event) {
  if (!exists(event)) return "of no event";
  if ((event->flags & cudaEventDisableTiming) != 0) {
    return "of an event that was made with cudaEventDisableTiming";
  }
  return event->is_recorded ? "" : "of an event that was never recorded";
}

cudaError_t create(cudaEvent_t* event, unsigned int flags) {
  constexpr unsigned int kAllFlags =
      cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;
  if (event == nullptr || (flags & ~kAllFlags) != 0) return set_last_error(cudaErrorInvalidValue);
  const auto made = ask(serve::AddEvent{caller_place()});
  if (made.error != cudaSuccess) return set_last_error(made.error);
  *event = new CUevent_st{made.result.event, flags, false, false, {}};
  events().insert(*event);
  return set_handle_error(true);
}

cudaError_t synchronize(cudaEvent_t event) {
  if (!exists(event)) return set_handle_error(false);
  if (is_captured(event)) return set_last_error(cudaErrorCapturedEvent);
  const bool has_to_finish = is_event_behind(event->number);
  if (has_to_finish) finish_waiting();
  ask(serve::WaitForEvent{event->number, has_to_finish ? 1U : 0U});
  return set_handle_error(true);
}

}  // namespace
}  // namespace runtime

using namespace runtime;

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  RUNTIME_CALL;
  return create(event, cudaEventDefault);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int flags) {
  RUNTIME_CALL;
  return create(event, flags);
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  RUNTIME_CALL;
  if (events().erase(event) == 0) return set_handle_error(false);
  ask(serve::RemoveEvent{event->number});
  delete event;
  return set_handle_error(true);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  RUNTIME_CALL;
  if (!exists(event) || !is_valid_stream(stream)) return set_handle_error(false);
  if (const cudaError_t error = check_legacy_stream(stream); error != cudaSuccess) {
    return set_last_error(error);
  }
  event->captured = capture_point(stream);
  if (is_captured(event)) return set_handle_error(true);
  event->is_recorded = true;
  event->was_asked = false;
  ask(serve::RecordEvent{event->number, stream_number(stream)});
  event->time = std::chrono::steady_clock::now();
  return set_handle_error(true);
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int flags) {
  RUNTIME_CALL;
  if (flags == cudaEventRecordExternal && exists(event) && is_capturing(stream)) {
    return capture_work(stream, cudaGraphNodeTypeEventRecord, event, {});
  }
  return cudaEventRecord(event, stream);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  RUNTIME_CALL;
  note_host_wait();
  return synchronize(event);
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  RUNTIME_CALL;
  if (exists(event) && is_query_too_early()) return cudaErrorNotReady;
  if (exists(event) && is_event_behind(event->number)) {
    try_waiting();
    if (is_event_behind(event->number)) return cudaErrorNotReady;
  }
  return synchronize(event);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags) {
  RUNTIME_CALL;
  if (!exists(event) || !is_valid_stream(stream)) return set_handle_error(false);
  if (flags == cudaEventWaitExternal && is_capturing(stream)) {
    return capture_work(stream, cudaGraphNodeTypeWaitEvent, event, {});
  }
  if (is_captured(event) || is_capturing(stream)) {
    return set_last_error(capture_wait(stream, event->captured));
  }
  ask(serve::StreamWaits{stream_number(stream), event->number});
  return set_handle_error(true);
}

cudaError_t cudaEventElapsedTime(float* elapsed_ms, cudaEvent_t start, cudaEvent_t stop) {
  RUNTIME_CALL;
  if (elapsed_ms == nullptr) return set_last_error(cudaErrorInvalidValue);
  for (const cudaEvent_t event : {start, stop}) {
    if (const std::string_view why = why_no_time(event); !why.empty()) {
      return set_last_error(cudaErrorInvalidResourceHandle, why);
    }
  }
  const auto first = ask(serve::AskEvent{start->number}).result;
  const auto last = ask(serve::AskEvent{stop->number}).result;
  // On a GPU, the work still runs. A host that asks again may wait for it in this way.
  if (last.is_known == 0 && !std::exchange(stop->was_asked, true)) return cudaErrorNotReady;
  if (last.has_clock != 0) {
    *elapsed_ms = static_cast<float>(last.ms - first.ms);
    return set_last_error(cudaSuccess);
  }
  *elapsed_ms = std::chrono::duration<float, std::milli>(stop->time - start->time).count();
  return set_handle_error(true);
}
