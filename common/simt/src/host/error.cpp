// SPDX-License-Identifier: MIT
#include <utility>

#include "run/device_lock.h"
#include "simt/error_state.h"

namespace simt {
namespace {

cudaError_t g_last_error = cudaSuccess;
cudaError_t g_sticky_error = cudaSuccess;

ErrorOrigin& origin() {
  static auto* const last = new ErrorOrigin;  // outlives all users
  return *last;
}

ErrorOrigin& first_failed_allocation() {
  static auto* const first = new ErrorOrigin;
  return *first;
}

bool is_of_failed_allocation() {
  return origin().stack.return_addresses == first_failed_allocation().stack.return_addresses;
}

}  // namespace

cudaError_t set_last_error(cudaError_t error) {
  const internal::DeviceLock lock;
  if (g_sticky_error != cudaSuccess) error = g_sticky_error;
  if (error != cudaSuccess) {
    g_last_error = error;
    origin() = {capture_call_stack(), "", ""};
    const bool is_first = first_failed_allocation().stack.return_addresses.front() == nullptr;
    if (error == cudaErrorMemoryAllocation && is_first) first_failed_allocation() = origin();
  }
  return error;
}

const ErrorOrigin& last_error_origin() { return origin(); }

void explain_last_error(std::string what, const char* kernel) {
  origin().what = std::move(what);
  origin().kernel = kernel;
  if (is_of_failed_allocation()) first_failed_allocation() = origin();
}

void set_sticky_error(cudaError_t error) {
  if (g_sticky_error == cudaSuccess) g_sticky_error = error;
}

cudaError_t sticky_error() { return g_sticky_error; }

const ErrorOrigin& failed_allocation() { return first_failed_allocation(); }

void clear_errors() {
  g_last_error = g_sticky_error = cudaSuccess;
  first_failed_allocation() = {};
}

}  // namespace simt

cudaError_t cudaPeekAtLastError() {
  return simt::g_sticky_error != cudaSuccess ? simt::g_sticky_error : simt::g_last_error;
}

cudaError_t cudaGetLastError() {
  const simt::internal::DeviceLock lock;
  const cudaError_t error = cudaPeekAtLastError();
  simt::g_last_error = cudaSuccess;
  return error;
}

const char* cudaGetErrorName(cudaError_t error) {
  switch (error) {
#define SIMT_ERROR(name, value, text) \
  case name:                          \
    return #name;
#include "simt/error_codes.inc"
#undef SIMT_ERROR
  }
  return "unrecognized error code";
}

const char* cudaGetErrorString(cudaError_t error) {
  switch (error) {
#define SIMT_ERROR(name, value, text) \
  case name:                          \
    return text;
#include "simt/error_codes.inc"
#undef SIMT_ERROR
  }
  return "unrecognized error code";
}
