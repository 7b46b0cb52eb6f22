// SPDX-License-Identifier: MIT
#include <algorithm>
#include <set>

#include "capture.h"
#include "run/device_lock.h"
#include "run/set_aside.h"
#include "run/stream_order.h"
#include "simt/confine.h"
#include "simt/error_state.h"
#include "simt/stream_api.h"

struct CUstream_st {
  unsigned int flags;
  int priority;
};

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
  if (!simt::is_valid_stream(stream)) return simt::set_handle_error(false);
  const cudaError_t error = simt::internal::check_uncaptured(stream);
  if (error == cudaSuccess) simt::internal::host_waits_for(stream);
  return simt::set_last_error(error);
}

// A kernel that waits for the host is before its work.
bool is_busy(cudaStream_t stream) {
  if (!simt::is_valid_stream(stream)) return false;
  if (simt::internal::is_behind_unfinished(stream)) simt::internal::try_set_aside();
  return simt::internal::is_behind_unfinished(stream);
}

// Calls a function of the host's when the stream's work is done. Another thread may use the device
// meanwhile: the function may wait for that thread.
template <class Function>
cudaError_t call_in(cudaStream_t stream, const cudaHostNodeParams& like, Function function) {
  const simt::internal::DeviceLock lock;
  if (simt::is_capturing(stream)) {
    return simt::internal::capture_work(
        stream, cudaGraphNodeTypeHost, like,
        [=](cudaStream_t other) { return call_in(other, like, function); });
  }
  const auto call = [=] {
    const simt::internal::DeviceLoan loan;
    function();
  };
  if (is_busy(stream)) {
    simt::internal::run_behind_set_aside(call);
    return simt::set_last_error(cudaSuccess);
  }
  const cudaError_t error = wait(stream);
  if (error == cudaSuccess) call();
  return error;
}

}  // namespace

bool simt::is_valid_stream(cudaStream_t stream) {
  return is_predefined(stream) || streams().count(stream) != 0;
}

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return cudaStreamCreateWithPriority(stream, cudaStreamDefault, kLeastPriority);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int flags) {
  return cudaStreamCreateWithPriority(stream, flags, kLeastPriority);
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned int flags, int priority) {
  const simt::internal::DeviceLock lock;
  if (stream == nullptr || flags > cudaStreamNonBlocking) {
    return simt::set_last_error(cudaErrorInvalidValue);
  }
  *stream = new CUstream_st{flags, std::clamp(priority, kGreatestPriority, kLeastPriority)};
  streams().insert(*stream);
  simt::internal::add_stream(*stream, (flags & cudaStreamNonBlocking) == 0);
  return simt::set_handle_error(true);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  const simt::internal::DeviceLock lock;
  if (is_predefined(stream) || streams().erase(stream) == 0) return simt::set_handle_error(false);
  simt::internal::leave_capture(stream);
  simt::internal::remove_stream(stream);
  // NOLINTNEXTLINE(clang-analyzer-cplusplus.NewDelete): streams() holds what `new` returned
  delete stream;
  return simt::set_handle_error(true);
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  const simt::internal::DeviceLock lock;
  return wait(stream);
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
  const simt::internal::DeviceLock lock;
  return is_busy(stream) ? cudaErrorNotReady : wait(stream);
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned int* flags) {
  const simt::internal::DeviceLock lock;
  if (flags == nullptr) return simt::set_last_error(cudaErrorInvalidValue);
  if (!simt::is_valid_stream(stream)) return simt::set_handle_error(false);
  *flags = streams().count(stream) != 0 ? stream->flags : cudaStreamDefault;
  return simt::set_handle_error(true);
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
  const simt::internal::DeviceLock lock;
  if (priority == nullptr) return simt::set_last_error(cudaErrorInvalidValue);
  if (!simt::is_valid_stream(stream)) return simt::set_handle_error(false);
  *priority = streams().count(stream) != 0 ? stream->priority : kLeastPriority;
  return simt::set_handle_error(true);
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  if (least != nullptr) *least = kLeastPriority;
  if (greatest != nullptr) *greatest = kGreatestPriority;
  return simt::set_handle_error(true);
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback,
                                  void* user_data, unsigned int flags) {
  if (callback == nullptr || flags != 0) return simt::set_last_error(cudaErrorInvalidValue);
  if (simt::is_capturing(stream)) return simt::set_last_error(cudaErrorStreamCaptureUnsupported);
  return call_in(stream, {}, [=] {
    simt::check_call(reinterpret_cast<simt::AnyFunction>(callback));
    callback(stream, simt::sticky_error(), user_data);
  });
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* user_data) {
  if (function == nullptr) return simt::set_last_error(cudaErrorInvalidValue);
  return call_in(stream, {function, user_data}, [=] {
    simt::check_call(reinterpret_cast<simt::AnyFunction>(function));
    function(user_data);
  });
}
