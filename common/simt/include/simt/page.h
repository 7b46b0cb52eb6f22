// SPDX-License-Identifier: MIT
#pragma once

#include <unistd.h>

#include <cstddef>

namespace simt {

// The system's page: 4 KiB on x86-64; 4, 16 or 64 KiB on aarch64.
inline std::size_t page_bytes() {
  static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

}  // namespace simt
