// SPDX-License-Identifier: MIT
// The arena on the cpu backend: anonymous shared memory whose descriptor the worker inherits.
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <stdexcept>

#include "protocol/arena.h"
#include "protocol/device_limits.h"
#include "protocol/shared_memory.h"

namespace judge {

Memory::Memory(std::size_t size_bytes) : size_bytes_(size_bytes) {
  fd_ = make_shared_memory(size_bytes);
  void* const mapped = mmap(nullptr, size_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd_, 0);
  if (mapped == MAP_FAILED) throw std::runtime_error("cannot map shared memory for the buffers");
  d_base_ = static_cast<std::byte*>(mapped);
}

Memory::~Memory() {
  munmap(d_base_, size_bytes_);
  close(fd_);
}

std::size_t Memory::host_bytes() const { return size_bytes_; }

void Memory::fill(std::size_t offset, unsigned char value, std::size_t size_bytes) {
  std::memset(d_base_ + offset, value, size_bytes);
}

void Memory::write(std::size_t offset, const void* h_from, std::size_t size_bytes) {
  if (size_bytes > 0) std::memcpy(d_base_ + offset, h_from, size_bytes);
}

void Memory::read(std::size_t offset, void* h_to, std::size_t size_bytes) const {
  if (size_bytes > 0) std::memcpy(h_to, d_base_ + offset, size_bytes);
}

void Memory::settle() {}

std::size_t free_device_bytes() { return std::size_t{1} << 30; }

}  // namespace judge
