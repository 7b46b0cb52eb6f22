// SPDX-License-Identifier: MIT
// Memory of the host that several processes map, by a descriptor that they inherit.
#pragma once

#include <cstddef>

namespace judge {

// A descriptor of zeros that no process can resize; pages come into being when they are touched.
// Throws std::runtime_error.
int make_shared_memory(std::size_t size_bytes);

class SharedMemory {
 public:
  explicit SharedMemory(std::size_t size_bytes)
      : size_bytes_(size_bytes), fd_(make_shared_memory(size_bytes)) {}
  ~SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  int fd() const { return fd_; }
  std::size_t size_bytes() const { return size_bytes_; }
  std::size_t used_bytes() const;  // of pages that were touched

 private:
  std::size_t size_bytes_;
  int fd_;
};

}  // namespace judge
