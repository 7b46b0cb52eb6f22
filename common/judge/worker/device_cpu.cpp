// SPDX-License-Identifier: MIT
// The worker with a device process: kernels, their memory and what watches them are there. This
// process only asks.
#include <cstdint>
#include <cstring>
#include <string>

#include "lab/cuda_error.cuh"
#include "lockstep_runtime.h"
#include "worker/device.h"

namespace worker {
namespace {

std::size_t g_num_scratch = 0;

}  // namespace

void explain_crashes(void (*last_words)(const std::string& what)) {
  runtime::explain_host_crashes(last_words);
}

std::byte* open_arena(const wire::Hello& hello) {
  return reinterpret_cast<std::byte*>(hello.arena_address);
}
void close_arena(std::byte*) {}
void prepare_for_checker() {}

void begin_batch(const wire::Posed& posed) {
  runtime::forget_errors();
  runtime::pose_as({posed.num_multiprocessors, posed.threads_per_multiprocessor,
                    posed.shared_bytes_per_multiprocessor, posed.l2_bytes});
}

void* scratch_memory(std::size_t size_bytes, bool) {
  release_scratch();
  return runtime::scratch_room(size_bytes);
}

lab::Scratch::Observer scratch_observer() {
  return [](void* d_base, std::size_t size_bytes) {
    runtime::declare_scratch(d_base, size_bytes,
                             "scratch allocation " + std::to_string(++g_num_scratch));
  };
}

void release_scratch() {
  runtime::retire_scratch();
  g_num_scratch = 0;
}

cudaStream_t make_stream() {
  cudaStream_t stream = nullptr;
  lab::check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  return stream;
}

void begin_call_on(cudaStream_t stream) { runtime::begin_call_on(stream); }
void end_call_on(cudaStream_t stream) { runtime::end_call_on(stream); }
void begin_callers_turn() { runtime::begin_callers_turn(); }
void end_callers_turn() { runtime::end_callers_turn(); }

void report_error(const std::string& function, const std::string& what, bool was_ignored) {
  runtime::report_error(function, what, was_ignored);
}

}  // namespace worker
