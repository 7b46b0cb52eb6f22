// SPDX-License-Identifier: MIT
// Streams, events, waiting. Work is done when it is issued; the device keeps the order that the
// program has asked for, and the checks use it.
#include <chrono>
#include <map>

#include "client.h"
#include "registry.h"

namespace runtime {
namespace {

struct Event {
  bool keeps_time = true;
  bool is_recorded = false;
  std::chrono::steady_clock::time_point at;
};
std::map<std::uint64_t, Event>& events() {
  static auto& all = *new std::map<std::uint64_t, Event>;
  return all;
}
std::map<std::uint64_t, unsigned>& streams() {  // their flags
  static auto& all = *new std::map<std::uint64_t, unsigned>;
  return all;
}

Event* find_event(cudaEvent_t event) {
  const auto found = events().find(reinterpret_cast<std::uint64_t>(event));
  return found == events().end() ? nullptr : &found->second;
}

cudaError_t ask(serve::Command command, cudaStream_t stream, cudaEvent_t event, const char* call,
                const serve::Place& place) {
  serve::Request request;
  request.place = place;
  request.stream = stream_number(stream);
  request.event = reinterpret_cast<std::uint64_t>(event);
  return finish(Client::get().call(command, request), call, place);
}

cudaError_t make_stream(cudaStream_t* stream, unsigned flags, const serve::Place& place) {
  if (stream == nullptr) return finish(cudaErrorInvalidValue, "cudaStreamCreate", place);
  serve::Request request;
  request.flags = (flags & cudaStreamNonBlocking) != 0 ? serve::kNonBlocking : 0;
  Client& client = Client::get();
  const std::lock_guard lock(client.mutex());
  const cudaError_t error = client.call(serve::Command::kMakeStream, request);
  *stream = reinterpret_cast<cudaStream_t>(client.reply().address);
  streams()[client.reply().address] = flags;
  return finish(error, "cudaStreamCreate", place);
}

}  // namespace
}  // namespace runtime

using runtime::ask;
using runtime::finish;
using serve::Command;

extern "C" {

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return runtime::make_stream(stream, 0, RUNTIME_PLACE);
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return runtime::make_stream(stream, flags, RUNTIME_PLACE);
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int) {
  return runtime::make_stream(stream, flags, RUNTIME_PLACE);
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  runtime::streams().erase(runtime::stream_number(stream));
  return ask(Command::kEndStream, stream, nullptr, "cudaStreamDestroy", RUNTIME_PLACE);
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return ask(Command::kWaitForStream, stream, nullptr, "cudaStreamSynchronize", RUNTIME_PLACE);
}
cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return ask(Command::kQuery, stream, nullptr, "cudaStreamQuery", RUNTIME_PLACE);
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  const serve::Place place = RUNTIME_PLACE;
  if (runtime::find_event(event) == nullptr) {
    return finish(cudaErrorInvalidResourceHandle, "cudaStreamWaitEvent", place);
  }
  return ask(Command::kStreamWaitsForEvent, stream, event, "cudaStreamWaitEvent", place);
}
cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned* flags) {
  const auto found = runtime::streams().find(runtime::stream_number(stream));
  *flags = found == runtime::streams().end() ? 0 : found->second;
  return cudaSuccess;
}
cudaError_t cudaStreamGetPriority(cudaStream_t, int* priority) {
  *priority = 0;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  if (least != nullptr) *least = 0;
  if (greatest != nullptr) *greatest = -5;
  return cudaSuccess;
}
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data,
                                  unsigned) {
  const cudaError_t error =
      ask(Command::kWaitForStream, stream, nullptr, "cudaStreamAddCallback", RUNTIME_PLACE);
  callback(stream, error, data);
  return cudaSuccess;
}
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
  const cudaError_t error =
      ask(Command::kWaitForStream, stream, nullptr, "cudaLaunchHostFunc", RUNTIME_PLACE);
  if (error == cudaSuccess) function(data);
  return error;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  static std::uint64_t number = 0;
  if (event == nullptr) return finish(cudaErrorInvalidValue, "cudaEventCreate", RUNTIME_PLACE);
  *event = reinterpret_cast<cudaEvent_t>(++number);
  runtime::events()[number].keeps_time = (flags & cudaEventDisableTiming) == 0;
  return cudaSuccess;
}
cudaError_t cudaEventCreate(cudaEvent_t* event) { return cudaEventCreateWithFlags(event, 0); }
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  if (runtime::events().erase(reinterpret_cast<std::uint64_t>(event)) == 0) {
    return finish(cudaErrorInvalidResourceHandle, "cudaEventDestroy", RUNTIME_PLACE);
  }
  return ask(Command::kEndEvent, nullptr, event, "cudaEventDestroy", RUNTIME_PLACE);
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  const serve::Place place = RUNTIME_PLACE;
  runtime::Event* const found = runtime::find_event(event);
  if (found == nullptr) return finish(cudaErrorInvalidResourceHandle, "cudaEventRecord", place);
  found->is_recorded = true;
  found->at = std::chrono::steady_clock::now();
  return ask(Command::kRecordEvent, stream, event, "cudaEventRecord", place);
}
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned) {
  return cudaEventRecord(event, stream);
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  const serve::Place place = RUNTIME_PLACE;
  if (runtime::find_event(event) == nullptr) {
    return finish(cudaErrorInvalidResourceHandle, "cudaEventSynchronize", place);
  }
  return ask(Command::kWaitForEvent, nullptr, event, "cudaEventSynchronize", place);
}
cudaError_t cudaEventQuery(cudaEvent_t event) { return cudaEventSynchronize(event); }
cudaError_t cudaEventElapsedTime(float* elapsed_ms, cudaEvent_t start, cudaEvent_t stop) {
  const runtime::Event* const a = runtime::find_event(start);
  const runtime::Event* const b = runtime::find_event(stop);
  if (elapsed_ms == nullptr || a == nullptr || b == nullptr || !a->is_recorded || !b->is_recorded ||
      !a->keeps_time || !b->keeps_time) {
    return finish(cudaErrorInvalidResourceHandle, "cudaEventElapsedTime", RUNTIME_PLACE);
  }
  *elapsed_ms = std::chrono::duration<float, std::milli>(b->at - a->at).count();
  return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize() {
  return ask(Command::kWaitForAll, nullptr, nullptr, "cudaDeviceSynchronize", RUNTIME_PLACE);
}
cudaError_t cudaDeviceReset() {
  ask(Command::kWaitForAll, nullptr, nullptr, "cudaDeviceReset", RUNTIME_PLACE);
  return ask(Command::kReset, nullptr, nullptr, "cudaDeviceReset", RUNTIME_PLACE);
}

}  // extern "C"
