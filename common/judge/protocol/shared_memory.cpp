// SPDX-License-Identifier: MIT
#include "protocol/shared_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <stdexcept>

namespace judge {

int make_shared_memory(std::size_t size_bytes) {
  const int fd = memfd_create("lockstep-shared", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  // Sealed: a process that shrank it would kill the others, which also map it, with a SIGBUS.
  if (fd >= 0 && ftruncate(fd, static_cast<off_t>(size_bytes)) == 0 &&
      fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0) {
    return fd;
  }
  if (fd >= 0) close(fd);
  throw std::runtime_error("cannot make memory that processes share");
}

SharedMemory::~SharedMemory() { close(fd_); }

std::size_t SharedMemory::used_bytes() const {
  constexpr std::size_t kBlockBytes = 512;  // of st_blocks
  struct stat status = {};
  return fstat(fd_, &status) == 0 ? static_cast<std::size_t>(status.st_blocks) * kBlockBytes : 0;
}

}  // namespace judge
