// SPDX-License-Identifier: MIT
// The memory that judge and worker share: one block, mapped by both, from which the judge cuts the
// buffers of each case. arena_cpu.cpp makes it of shared host memory, arena_cuda.cpp of device
// memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "protocol/wire.h"

namespace judge {

// Unwritten bytes and the guard zones around buffers have this value.
inline constexpr unsigned char kPoisonByte = 0xCB;
using wire::kGuardBytes;

// The block itself, which differs between backends.
class Memory {
 public:
  explicit Memory(std::size_t size_bytes);  // throws std::runtime_error
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  std::size_t size_bytes() const { return size_bytes_; }
  std::size_t host_bytes() const;  // of it, as pages that count as a process's shared memory
  std::byte* device_base() const { return d_base_; }  // as the judge's own kernels see it
  int fd() const { return fd_; }                      // for a worker to inherit

  // All offsets and sizes in bytes, within the block.
  void fill(std::size_t offset, unsigned char value, std::size_t size_bytes);
  void write(std::size_t offset, const void* h_from, std::size_t size_bytes);
  void read(std::size_t offset, void* h_to, std::size_t size_bytes) const;
  // Waits until fills and writes are complete: a worker, another process, reads the memory next.
  void settle();

 private:
  std::size_t size_bytes_ = 0;
  std::byte* d_base_ = nullptr;
  int fd_ = -1;
};

// A bump allocator over a Memory with a guard zone before and after each buffer.
class Arena {
 public:
  explicit Arena(std::size_t size_bytes) : memory_(size_bytes) {}

  // Forgets all buffers. `spacing_bytes` separate the next ones, besides their guard zones: an
  // access that runs past one of them by less ends in no other.
  void reset(std::size_t spacing_bytes = 0);
  // Cuts a poisoned buffer. Throws std::runtime_error when the arena is used up.
  std::size_t allocate(const std::string& name, std::size_t size_bytes);
  void mark_initialized(std::size_t offset);

  // Describes the first guard zone that was written to, or nothing.
  std::optional<std::string> find_trespass() const;

  const std::vector<wire::Region>& regions() const { return regions_; }
  std::size_t data_bytes() const;  // of all buffers
  Memory& memory() { return memory_; }
  const Memory& memory() const { return memory_; }

 private:
  Memory memory_;
  std::size_t used_bytes_ = 0;
  std::size_t spacing_bytes_ = 0;
  std::vector<wire::Region> regions_;
};

// A typed view of one buffer. Copyable; valid until the arena's next reset.
template <class T>
class Buffer {
 public:
  Buffer() = default;
  Buffer(Arena& arena, const std::string& name, std::size_t count)
      : arena_(&arena), offset_(arena.allocate(name, count * sizeof(T))), count_(count) {}

  std::size_t size() const { return count_; }
  std::size_t offset() const { return offset_; }
  // For the judge's own kernels.
  T* device_data() const { return reinterpret_cast<T*>(arena_->memory().device_base() + offset_); }

  void upload(std::span<const T> h_values) {
    arena_->memory().write(offset_, h_values.data(), h_values.size_bytes());
    arena_->mark_initialized(offset_);
  }
  // Call after the judge filled the buffer through device_data().
  void mark_initialized() { arena_->mark_initialized(offset_); }
  std::vector<T> download() const {
    std::vector<T> h_values(count_);
    arena_->memory().read(offset_, h_values.data(), count_ * sizeof(T));
    return h_values;
  }
  void poison() { arena_->memory().fill(offset_, kPoisonByte, count_ * sizeof(T)); }

 private:
  Arena* arena_ = nullptr;
  std::size_t offset_ = 0;
  std::size_t count_ = 0;
};

// True if every byte of `value` is still poison.
template <class T>
bool is_poison(const T& value) {
  for (const std::byte byte : std::as_bytes(std::span(&value, 1))) {
    if (byte != std::byte{kPoisonByte}) return false;
  }
  return true;
}

}  // namespace judge
