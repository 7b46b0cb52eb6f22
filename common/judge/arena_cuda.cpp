// SPDX-License-Identifier: MIT
// The arena on the cuda backend: device memory, exported to the worker as a CUDA IPC handle.
#include <cuda_runtime.h>

#include <stdexcept>

#include "arena.h"
#include "device_limits.h"
#include "lab/cuda_error.cuh"

namespace judge {

Memory::Memory(std::size_t size_bytes) : size_bytes_(size_bytes) {
  void* d_base = nullptr;
  lab::check(cudaMalloc(&d_base, size_bytes));
  d_base_ = static_cast<std::byte*>(d_base);
}

Memory::~Memory() { cudaFree(d_base_); }

wire::Hello Memory::hello() const {
  cudaIpcMemHandle_t handle;
  lab::check(cudaIpcGetMemHandle(&handle, d_base_));
  return {size_bytes_, std::string(reinterpret_cast<const char*>(&handle), sizeof handle)};
}

// Each of these ends with a synchronisation: the worker, another process, looks at the memory next.
void Memory::fill(std::size_t offset, unsigned char value, std::size_t size_bytes) {
  lab::check(cudaMemset(d_base_ + offset, value, size_bytes));
  lab::check(cudaDeviceSynchronize());
}

void Memory::write(std::size_t offset, const void* h_from, std::size_t size_bytes) {
  lab::check(cudaMemcpy(d_base_ + offset, h_from, size_bytes, cudaMemcpyHostToDevice));
  lab::check(cudaDeviceSynchronize());
}

void Memory::read(std::size_t offset, void* h_to, std::size_t size_bytes) const {
  lab::check(cudaMemcpy(h_to, d_base_ + offset, size_bytes, cudaMemcpyDeviceToHost));
}

std::size_t free_device_bytes() {
  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
  lab::check(cudaMemGetInfo(&free_bytes, &total_bytes));
  return free_bytes;
}

}  // namespace judge
