// SPDX-License-Identifier: MIT
#include <algorithm>
#include <set>

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

cudaError_t done(bool valid) {
  return simt::set_last_error(valid ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

}  // namespace

bool simt::is_valid_stream(cudaStream_t stream) {
  return stream == nullptr || stream == cudaStreamLegacy || stream == cudaStreamPerThread ||
         streams().count(stream) != 0;
}

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return cudaStreamCreateWithPriority(stream, cudaStreamDefault, kLeastPriority);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int flags) {
  return cudaStreamCreateWithPriority(stream, flags, kLeastPriority);
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned int flags, int priority) {
  if (stream == nullptr || flags > cudaStreamNonBlocking) {
    return simt::set_last_error(cudaErrorInvalidValue);
  }
  *stream = new CUstream_st{flags, std::clamp(priority, kGreatestPriority, kLeastPriority)};
  streams().insert(*stream);
  return done(true);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  if (streams().erase(stream) == 0) return done(false);
  delete stream;
  return done(true);
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return done(simt::is_valid_stream(stream));
}

cudaError_t cudaStreamQuery(cudaStream_t stream) { return done(simt::is_valid_stream(stream)); }

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned int* flags) {
  if (flags == nullptr) return simt::set_last_error(cudaErrorInvalidValue);
  if (!simt::is_valid_stream(stream)) return done(false);
  *flags = streams().count(stream) != 0 ? stream->flags : cudaStreamDefault;
  return done(true);
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
  if (priority == nullptr) return simt::set_last_error(cudaErrorInvalidValue);
  if (!simt::is_valid_stream(stream)) return done(false);
  *priority = streams().count(stream) != 0 ? stream->priority : kLeastPriority;
  return done(true);
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  if (least != nullptr) *least = kLeastPriority;
  if (greatest != nullptr) *greatest = kGreatestPriority;
  return done(true);
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback,
                                  void* user_data, unsigned int flags) {
  if (callback == nullptr || flags != 0) return simt::set_last_error(cudaErrorInvalidValue);
  if (!simt::is_valid_stream(stream)) return done(false);
  callback(stream, simt::sticky_error(), user_data);
  return done(true);
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* user_data) {
  if (function == nullptr) return simt::set_last_error(cudaErrorInvalidValue);
  if (!simt::is_valid_stream(stream)) return done(false);
  if (simt::sticky_error() == cudaSuccess) function(user_data);
  return done(true);
}
