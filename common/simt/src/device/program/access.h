// SPDX-License-Identifier: MIT
// One access to memory, as the program announces it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace simt::device {

struct Access {
  std::uintptr_t address;
  std::size_t size_bytes;
  bool reads = false;
  bool writes = false;
  bool is_atomic = false;
  bool is_volatile = false;
  bool is_aligned_by_type = true;  // an address must be a multiple of the size
  const void* pc = nullptr;        // the return address of the call that announces it
};

}  // namespace simt::device
