// SPDX-License-Identifier: MIT
// Shared memory: the executable's thread-local variables without initial values (keywords.h makes
// __shared__ variables of them), and a buffer for dynamic shared memory. Resident blocks take turns
// in it. Variables with initial values are the host's own, or the emulator's (see running.h).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace simt::device {

// Fills the range with the pattern of fresh memory.
void poison(std::span<std::byte> range);

class SharedMemory {
 public:
  // For a launch with so much dynamic shared memory, on this OS thread. Keeps what the host has in
  // its thread-local variables ...
  explicit SharedMemory(std::size_t dynamic_bytes);
  // ... and puts it back.
  ~SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  // A fresh block's contents: the poison pattern.
  void poison() const;

  // The program's __shared__ variables, and what the launch asked for besides.
  std::span<std::byte> static_memory() const { return static_; }
  std::span<std::byte> dynamic_memory() const { return dynamic_; }

  void save(std::vector<std::byte>& image) const;
  void restore(const std::vector<std::byte>& image) const;

  // The host goes on during the launch: gives it its thread-local variables, and takes them again.
  void lend_to_host();
  void take_back();

 private:
  std::span<std::byte> static_;
  std::span<std::byte> dynamic_;
  std::vector<std::byte> host_image_;
  bool is_lent_ = false;
};

}  // namespace simt::device
