// SPDX-License-Identifier: MIT
#include "client.h"

#include <backtrace.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unordered_map>

#include "serve/mailbox.h"

namespace runtime {
namespace {

// A device process that says nothing for so long is looked at: its end closes no descriptor here.
constexpr double kSleepSeconds = 1;

bool is_library(std::string_view path) {
  constexpr std::string_view kParts[] = {"/cuda/toolkit/", "/usr/",  "/ziglang/",
                                         "/lib/include/",  "/cccl/", "/include/cuda/",
                                         "/include/cub/"};
  return std::ranges::any_of(
      kParts, [&](std::string_view part) { return path.find(part) != std::string_view::npos; });
}
bool is_of_lab(std::string_view path) {
  return path.find("/common/cuda/lab/") != std::string_view::npos ||
         path.find("/include/lockstep/lab/") != std::string_view::npos;
}

// libbacktrace visits the functions inlined at an address from the inside out.
int visit_frame(void* data, std::uintptr_t, const char* path, int line, const char*) {
  if (path == nullptr || is_library(path)) return 0;
  auto& place = *static_cast<serve::Place*>(data);
  if (place.line != 0 && is_of_lab(path)) return 0;
  const char* const slash = std::strrchr(path, '/');
  std::snprintf(place.file, sizeof place.file, "%s", slash == nullptr ? path : slash + 1);
  place.line = static_cast<std::uint32_t>(line);
  return is_of_lab(path) ? 0 : 1;
}
void ignore_error(void*, const char*, int) {}

backtrace_state* program_state() {
  static backtrace_state* const state = backtrace_create_state(
      reinterpret_cast<const char*>(getauxval(AT_EXECFN)), 0, ignore_error, nullptr);
  return state;
}

struct Errors {
  cudaError_t last = cudaSuccess;
  bool is_sticky = false;
  ErrorOrigin origin;
  ErrorOrigin allocation;
};
Errors& errors() {
  static Errors& all = *new Errors;  // outlives all users
  return all;
}

}  // namespace

Client& Client::get() {
  static Client& client = *new Client;
  return client;
}

Client::Client() {
  void* const mapped = mmap(nullptr, sizeof(serve::Mailbox), PROT_READ | PROT_WRITE, MAP_SHARED,
                            serve::kMailboxFd, 0);
  if (mapped == MAP_FAILED) {
    std::fputs("lockstep: this program was started without its device: use ./lab run\n", stderr);
    std::_Exit(3);
  }
  mailbox_ = static_cast<serve::Mailbox*>(mapped);
}

cudaError_t Client::exchange(serve::Command command, const serve::Request& request,
                             std::string_view data) {
  mailbox_->command = command;
  mailbox_->request = request;
  if (!data.empty()) std::memcpy(mailbox_->data, data.data(), data.size());
  const std::uint32_t number = mailbox_->num_requests.fetch_add(1, std::memory_order_release) + 1;
  mailbox_->bell.fetch_add(1);
  serve::wake(mailbox_->bell);
  for (;;) {
    const std::uint32_t replied = mailbox_->num_replies.load(std::memory_order_acquire);
    if (replied == number) break;
    serve::sleep_on(mailbox_->num_replies, replied, kSleepSeconds);
  }
  reply_ = mailbox_->reply;
  return static_cast<cudaError_t>(mailbox_->error);
}

cudaError_t Client::call(serve::Command command, serve::Request& request, std::string_view data) {
  const std::lock_guard lock(mutex_);
  request.data_bytes = static_cast<std::uint32_t>(data.size());
  const cudaError_t error = exchange(command, request, data);
  if (reply_.text_bytes != 0) print_text();
  return error;
}

void Client::print_text() {
  const serve::Reply reply = reply_;
  while (reply_.text_bytes != 0) {
    exchange(serve::Command::kTakeText, serve::Request{}, {});
    std::fwrite(mailbox_->data, 1, reply_.data_bytes, stdout);
    if (reply_.size_bytes != 0) {
      std::printf("\n[%llu more bytes printed by the kernel were dropped]\n",
                  static_cast<unsigned long long>(reply_.size_bytes));
    }
  }
  std::fflush(stdout);
  reply_ = reply;
}

serve::Place place_of(const void* return_address) {
  static auto& known = *new std::unordered_map<const void*, serve::Place>;
  static auto& mutex = *new std::mutex;
  const std::lock_guard lock(mutex);
  const auto [entry, is_new] = known.try_emplace(return_address);
  if (is_new && return_address != nullptr) {
    const auto address = reinterpret_cast<std::uintptr_t>(return_address) - 1;
    backtrace_pcinfo(program_state(), address, visit_frame, ignore_error, &entry->second);
  }
  return entry->second;
}

namespace {

// What a kernel's fault leaves: every later call fails.
bool stays(cudaError_t error) {
  return error == cudaErrorIllegalAddress || error == cudaErrorLaunchTimeout ||
         error == cudaErrorAssert || error == cudaErrorMisalignedAddress ||
         error == cudaErrorLaunchFailure || error == cudaErrorIllegalInstruction;
}

}  // namespace

cudaError_t finish(cudaError_t error, const std::string& what, const serve::Place& place,
                   const std::string& kernel) {
  if (error == cudaSuccess || error == cudaErrorNotReady) return error;
  Errors& all = errors();
  all.is_sticky = all.is_sticky || stays(error);
  all.last = error;
  all.origin = {what, kernel, place};
  if (error == cudaErrorMemoryAllocation) {
    all.allocation = all.origin;
    serve::Request request;
    request.place = place;
    Client::get().call(serve::Command::kFailedAllocation, request);
  }
  return error;
}

const ErrorOrigin& last_error_origin() { return errors().origin; }
const ErrorOrigin& failed_allocation() { return errors().allocation; }
void forget_origins() { errors().origin = errors().allocation = {}; }
bool has_sticky_error() { return errors().is_sticky; }

}  // namespace runtime

extern "C" {

cudaError_t cudaGetLastError() {
  auto& all = runtime::errors();
  const cudaError_t error = all.last;
  if (!all.is_sticky) all.last = cudaSuccess;
  return error;
}
cudaError_t cudaPeekAtLastError() { return runtime::errors().last; }

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

}  // extern "C"
