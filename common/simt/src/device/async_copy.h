// SPDX-License-Identifier: MIT
// Asynchronous copies to shared memory that have begun and not arrived.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace simt::device {

struct Access;
struct Block;

// What one lane has under way. Until it arrives, its room holds poison and counts as unwritten, so
// that whoever looks too early is caught.
struct AsyncCopy {
  std::uintptr_t address;
  std::size_t size_bytes;
  std::array<std::byte, 16> contents;
  unsigned batch;
  const void* pc;  // of the call that began it
};

struct AsyncCopies {
  std::vector<AsyncCopy> under_way;  // in order of their beginning
  unsigned num_batches = 0;          // committed
};

// "a copy that thread 3 began in line 12 has not filled", if one of the block's copies touches the
// bytes of the access; else empty.
std::string copy_under_way(const Block& block, const Access& access);

}  // namespace simt::device
