// SPDX-License-Identifier: MIT
// Values as messages spell them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace report {

// A line of the user's source; line 0: unknown. The file is named without folders.
struct Place {
  std::string file;
  std::uint32_t line = 0;
  bool is_labs = false;  // in a header of the labs, which is not the file that a sentence is about
  bool is_known() const { return line != 0; }
  bool operator==(const Place&) const = default;
};

// "line 12", or "line 12 of scan.cuh" if that is another file than the sentence is about; or "an
// unknown line".
std::string line_name(const Place& place, std::string_view file);
// "line 12 of scan.cu"; empty: unknown.
std::string full_line_name(const Place& place);

// "1 byte", "4 bytes"
std::string bytes(std::uint64_t count);
// "1 block", "4 blocks", "4 more blocks"
std::string blocks(std::uint64_t count, const std::string& more = "");
// "0x7f00"
std::string hex(std::uint64_t address);
// "0x0000ffff"
std::string mask_name(std::uint32_t mask);
// "thread 7", "threads 0-31", "threads 0-3, 5 and 20 more"; ids are sorted.
std::string thread_ranges(const std::vector<std::uint32_t>& ids);

struct Index {
  std::uint32_t x = 0, y = 0, z = 0;
  bool operator==(const Index&) const = default;
};

// A thread, and the shapes that decide how its coordinates are spelled.
struct ThreadId {
  Index thread;  // threadIdx
  Index block;   // blockIdx
  Index block_dim = {1, 1, 1};
  Index grid_dim = {1, 1, 1};
};
Index index_of(std::uint64_t linear, const Index& dim);

// "block 3", or "block (3,1,0)" if the grid has more than one dimension.
std::string block_name(const Index& block, const Index& grid_dim);
// "thread 5", or "thread (5,0,0)" if blocks have more than one dimension.
std::string thread_in_block_name(const Index& thread, const Index& block_dim);
// "thread 5 of block 3", or "thread (5,0,0) of block (3,1,0)"
std::string thread_name(const ThreadId& id);

}  // namespace report
