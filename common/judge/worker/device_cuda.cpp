// SPDX-License-Identifier: MIT
// The worker on a real GPU: buffers arrive as one CUDA IPC handle.
#include <cstring>
#include <stdexcept>

#include "lab/cuda_error.cuh"
#include "worker/device.h"

namespace worker {
namespace {

constexpr int kPoisonByte = 0xCD;

struct ScratchMemory {
  void* d_base = nullptr;
  std::size_t size_bytes = 0;
};
ScratchMemory g_scratch;

}  // namespace

std::byte* open_arena(const wire::Hello& hello) {
  cudaIpcMemHandle_t handle;
  if (hello.ipc_handle.size() != sizeof handle) throw std::runtime_error("no CUDA IPC handle");
  std::memcpy(&handle, hello.ipc_handle.data(), sizeof handle);
  void* d_arena = nullptr;
  lab::check(cudaIpcOpenMemHandle(&d_arena, handle, cudaIpcMemLazyEnablePeerAccess));
  return static_cast<std::byte*>(d_arena);
}

void begin_batch(const wire::Batch&, std::byte*) {}
void end_batch(const wire::Batch&, std::byte*) {}

void* scratch_memory(std::size_t size_bytes, bool keep) {
  if (g_scratch.size_bytes < size_bytes) {
    lab::check(cudaFree(g_scratch.d_base));
    g_scratch = {};
    lab::check(cudaMalloc(&g_scratch.d_base, size_bytes));
    g_scratch.size_bytes = size_bytes;
    keep = false;
  }
  if (!keep && size_bytes > 0) lab::check(cudaMemset(g_scratch.d_base, kPoisonByte, size_bytes));
  return g_scratch.d_base;
}

lab::Scratch::Observer scratch_observer() { return nullptr; }
void release_scratch() {}

void take_report(wire::Reply&) {}  // compute-sanitizer reports on its own

}  // namespace worker
