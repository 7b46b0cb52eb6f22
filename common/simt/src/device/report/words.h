// SPDX-License-Identifier: MIT
// Values as messages spell them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "simt/vector_types.h"

namespace simt::device {

// "1 byte", "4 bytes"
std::string bytes(std::size_t count);

// "1 block", "4 blocks", "4 more blocks"
std::string blocks(std::uint64_t count, const std::string& more = "");

// "0x7f00"
std::string hex(std::uintptr_t address);

// "0x0000ffff"
std::string mask_name(std::uint32_t mask);

// "thread 7", "threads 0-31", "threads 0-3, 5 and 20 more"; ids are sorted.
std::string thread_ranges(const std::vector<int>& ids);

// A thread, and the shapes that decide how its coordinates are spelled.
struct ThreadId {
  uint3 thread;  // threadIdx
  uint3 block;   // blockIdx
  dim3 block_dim;
  dim3 grid_dim;
};

// "block 3", or "block (3,1,0)" if the grid has more than one dimension.
std::string block_name(uint3 block, dim3 grid_dim);

// "thread 5", or "thread (5,0,0)" if blocks have more than one dimension.
std::string thread_in_block_name(uint3 thread, dim3 block_dim);

// "thread 5 of block 3", or "thread (5,0,0) of block (3,1,0)"
std::string thread_name(const ThreadId& id);

}  // namespace simt::device
