// SPDX-License-Identifier: MIT
// The worker on a real GPU: buffers arrive as shared device memory.
#include "lab/cuda_error.cuh"
#include "protocol/device_memory.h"
#include "worker/device.h"

namespace worker {
namespace {

constexpr int kPoisonByte = 0xCD;

struct ScratchMemory {
  void* d_base = nullptr;
  std::size_t size_bytes = 0;
};
ScratchMemory g_scratch;
bool g_is_checked = false;
std::size_t g_arena_bytes = 0;

// Unchecked: after a fault of the student's kernel every call fails, which is already reported.
void free_scratch() {
  static_cast<void>(cudaFree(g_scratch.d_base));
  g_scratch = {};
}

}  // namespace

std::byte* open_arena(const wire::Hello& hello) {
  g_arena_bytes = hello.arena_bytes;
  return shared_device_memory::open(wire::kArenaFd, hello.arena_bytes);
}

void close_arena(std::byte* d_arena) {
  if (d_arena != nullptr) shared_device_memory::close(d_arena, g_arena_bytes);
}

void prepare_for_checker() { g_is_checked = true; }

void begin_batch(const wire::Posed&) {}

void* scratch_memory(std::size_t size_bytes, bool keep) {
  if (g_is_checked || g_scratch.size_bytes < size_bytes) {
    free_scratch();
    lab::check(cudaMalloc(&g_scratch.d_base, size_bytes));
    g_scratch.size_bytes = size_bytes;
    keep = false;
  }
  if (!keep && !g_is_checked && size_bytes > 0) {
    lab::check(cudaMemset(g_scratch.d_base, kPoisonByte, size_bytes));
    // cudaMemset may return before it is done, and a rung's own streams need not wait for it.
    lab::check(cudaStreamSynchronize(nullptr));
  }
  return g_scratch.d_base;
}

lab::Scratch::Observer scratch_observer() { return nullptr; }
void release_scratch() {
  if (g_is_checked) free_scratch();
}

void explain_crashes(void (*)(const std::string&)) {}

cudaStream_t make_stream() { return nullptr; }  // nothing here finds work on another stream

void begin_call_on(cudaStream_t) {}
void end_call_on(cudaStream_t) {}
void begin_callers_turn() {}
void end_callers_turn() {}

void report_error(const std::string&, const std::string&, bool) {}

}  // namespace worker
