// SPDX-License-Identifier: MIT
// The arena on the cuda backend: device memory, whose descriptor the worker inherits.
#include <cuda_runtime.h>
#include <unistd.h>

#include <stdexcept>

#include "lab/cuda_error.cuh"
#include "protocol/arena.h"
#include "protocol/device_limits.h"
#include "protocol/device_memory.h"

namespace judge {

Memory::Memory(std::size_t size_bytes)
    : size_bytes_(shared_device_memory::mappable_bytes(size_bytes)) {
  const auto exported = shared_device_memory::create(size_bytes_);
  d_base_ = exported.d_base;
  fd_ = exported.fd;
}

Memory::~Memory() {
  shared_device_memory::close(d_base_, size_bytes_);
  close(fd_);
}

std::size_t Memory::host_bytes() const { return 0; }

void Memory::fill(std::size_t offset, unsigned char value, std::size_t size_bytes) {
  lab::check(cudaMemset(d_base_ + offset, value, size_bytes));
}

void Memory::write(std::size_t offset, const void* h_from, std::size_t size_bytes) {
  lab::check(cudaMemcpy(d_base_ + offset, h_from, size_bytes, cudaMemcpyHostToDevice));
}

void Memory::settle() { lab::check(cudaDeviceSynchronize()); }

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
