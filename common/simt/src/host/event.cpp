// SPDX-License-Identifier: MIT
#include <chrono>
#include <set>

#include "capture.h"
#include "run/device_lock.h"
#include "run/set_aside.h"
#include "run/stream_order.h"
#include "simt/event_api.h"
#include "simt/stream_api.h"

struct CUevent_st {
  unsigned int flags;
  bool recorded;
  std::chrono::steady_clock::time_point time;
  simt::internal::StreamClock work;  // done when it is recorded
  simt::internal::CapturedPoint captured = {};
};

namespace {

std::set<cudaEvent_t>& events() {
  static auto* const created = new std::set<cudaEvent_t>;  // outlives all users
  return *created;
}

bool exists(cudaEvent_t event) { return events().count(event) != 0; }

bool is_captured(cudaEvent_t event) { return event->captured.capture != 0; }

bool keeps_time(cudaEvent_t event) {
  return exists(event) && event->recorded && (event->flags & cudaEventDisableTiming) == 0;
}

}  // namespace

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventCreate(cudaEvent_t* event, unsigned int flags) {
  return cudaEventCreateWithFlags(event, flags);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int flags) {
  const simt::internal::DeviceLock lock;
  constexpr unsigned int kAllFlags =
      cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;
  if (event == nullptr || (flags & ~kAllFlags) != 0) {
    return simt::set_last_error(cudaErrorInvalidValue);
  }
  *event = new CUevent_st{flags, false, {}, {}};
  events().insert(*event);
  return simt::set_handle_error(true);
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  const simt::internal::DeviceLock lock;
  if (events().erase(event) == 0) return simt::set_handle_error(false);
  delete event;
  return simt::set_handle_error(true);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  const simt::internal::DeviceLock lock;
  if (!exists(event) || !simt::is_valid_stream(stream)) return simt::set_handle_error(false);
  if (const cudaError_t error = simt::check_legacy_stream(stream); error != cudaSuccess) {
    return simt::set_last_error(error);
  }
  event->captured = simt::internal::capture_point(stream);
  if (is_captured(event)) return simt::set_handle_error(true);
  event->recorded = true;
  event->time = std::chrono::steady_clock::now();
  event->work = simt::internal::record_event(stream);
  return simt::set_handle_error(true);
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int flags) {
  const simt::internal::DeviceLock lock;
  if (flags == cudaEventRecordExternal && exists(event) && simt::is_capturing(stream)) {
    return simt::internal::capture_work(stream, cudaGraphNodeTypeEventRecord, event, {});
  }
  return cudaEventRecord(event, stream);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  const simt::internal::DeviceLock lock;
  if (!exists(event)) return simt::set_handle_error(false);
  if (is_captured(event)) return simt::set_last_error(cudaErrorCapturedEvent);
  simt::internal::host_waits_for(event->work);
  return simt::set_handle_error(true);
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  const simt::internal::DeviceLock lock;
  const bool is_behind = exists(event) && simt::internal::is_behind_unfinished(event->work);
  if (is_behind) simt::internal::try_set_aside();
  const bool is_busy = is_behind && simt::internal::is_behind_unfinished(event->work);
  return is_busy ? cudaErrorNotReady : cudaEventSynchronize(event);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags) {
  const simt::internal::DeviceLock lock;
  if (!exists(event) || !simt::is_valid_stream(stream)) return simt::set_handle_error(false);
  if (flags == cudaEventWaitExternal && simt::is_capturing(stream)) {
    return simt::internal::capture_work(stream, cudaGraphNodeTypeWaitEvent, event, {});
  }
  if (is_captured(event) || simt::is_capturing(stream)) {
    return simt::set_last_error(simt::internal::capture_wait(stream, event->captured));
  }
  simt::internal::stream_waits_for(stream, event->work);
  return simt::set_handle_error(true);
}

cudaError_t cudaEventElapsedTime(float* elapsed_ms, cudaEvent_t start, cudaEvent_t stop) {
  const simt::internal::DeviceLock lock;
  if (elapsed_ms == nullptr) return simt::set_last_error(cudaErrorInvalidValue);
  if (!keeps_time(start) || !keeps_time(stop)) return simt::set_handle_error(false);
  *elapsed_ms = std::chrono::duration<float, std::milli>(stop->time - start->time).count();
  return simt::set_handle_error(true);
}
