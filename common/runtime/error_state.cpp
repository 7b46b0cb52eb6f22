// SPDX-License-Identifier: MIT
#include "error_state.h"

#include "call.h"
#include "connection.h"
#include "place.h"

namespace runtime {
namespace {

constexpr std::size_t kMaxUnchecked = 100;  // a report has no more findings

struct Errors {
  cudaError_t last = cudaSuccess;
  ErrorOrigin origin;
  ErrorOrigin allocation;
  std::vector<UncheckedError> unchecked;
};

Errors& errors() {
  static auto* const all = new Errors;  // outlives all users
  return *all;
}

void note_unchecked(cudaError_t error) {
  Errors& all = errors();
  std::erase_if(all.unchecked, [&](const UncheckedError& earlier) {
    return earlier.error == error && is_same(earlier.origin.at, all.origin.at);
  });
  if (all.unchecked.size() < kMaxUnchecked) all.unchecked.push_back({error, all.origin});
}

}  // namespace

cudaError_t sticky_error() {
  return Connection::exists() ? Connection::get().sticky() : cudaSuccess;
}

cudaError_t set_last_error(cudaError_t error) {
  const DeviceLock lock;
  const cudaError_t sticky = sticky_error();
  if (sticky != cudaSuccess) error = sticky;
  if (error == cudaSuccess) return error;
  Errors& all = errors();
  all.last = error;
  all.origin = {caller_place(), "", called_function()};
  if (error == cudaErrorMemoryAllocation && all.allocation.at.line == 0) {
    all.allocation = all.origin;
  }
  if (sticky == cudaSuccess) note_unchecked(error);  // else a kernel's fault, a finding already
  return error;
}

cudaError_t set_last_error(cudaError_t error, std::string_view why) {
  const cudaError_t recorded = set_last_error(error);
  if (recorded == error) {
    explain_last_error(std::string(called_function()) + " (" + std::string(why) + ")");
  }
  return recorded;
}

const ErrorOrigin& last_error_origin() { return errors().origin; }

const std::vector<UncheckedError>& unchecked_errors() { return errors().unchecked; }

void explain_last_error(std::string_view what, std::string_view kernel) {
  Errors& all = errors();
  all.origin.what = what;
  all.origin.kernel = kernel;
  if (is_same(all.origin.at, all.allocation.at)) all.allocation = all.origin;
  if (!all.unchecked.empty() && is_same(all.origin.at, all.unchecked.back().origin.at)) {
    all.unchecked.back().origin = all.origin;
  }
}

const ErrorOrigin& failed_allocation() { return errors().allocation; }

void report_launch_error(const ErrorOrigin& origin, const std::string& message, cudaError_t error) {
  report_about_host(report::Kind::kLaunchError, origin, message, error);
}

void report_about_host(report::Kind kind, const ErrorOrigin& origin, const std::string& message,
                       cudaError_t error) {
  const std::string text = origin.kernel + message;
  const serve::Report command{
      static_cast<std::uint32_t>(kind), static_cast<std::uint32_t>(origin.kernel.size()),
      static_cast<std::uint32_t>(message.size()), static_cast<std::uint32_t>(error), origin.at};
  ask(command, text);
}

void clear_errors() { errors() = {}; }

}  // namespace runtime

cudaError_t cudaPeekAtLastError() {
  const runtime::DeviceLock lock;
  const cudaError_t sticky = runtime::sticky_error();
  return sticky != cudaSuccess ? sticky : runtime::errors().last;
}

cudaError_t cudaGetLastError() {
  const runtime::DeviceLock lock;
  const cudaError_t error = cudaPeekAtLastError();
  runtime::errors().last = cudaSuccess;
  runtime::errors().unchecked.clear();
  return error;
}

const char* cudaGetErrorName(cudaError_t error) {
  switch (static_cast<int>(error)) {
#define LOCKSTEP_ERROR(name, value, text) \
  case value:                             \
    return #name;
#include "lockstep/error_codes.inc"
#undef LOCKSTEP_ERROR
    default:
      return "unrecognized error code";
  }
}

const char* cudaGetErrorString(cudaError_t error) {
  switch (static_cast<int>(error)) {
#define LOCKSTEP_ERROR(name, value, text) \
  case value:                             \
    return text;
#include "lockstep/error_codes.inc"
#undef LOCKSTEP_ERROR
    default:
      return "unrecognized error code";
  }
}
