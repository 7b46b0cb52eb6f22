// SPDX-License-Identifier: MIT
// Boxes of a copy: how far they reach, and their bytes as a dense sequence, row by row. Both sides
// of the ring use it: the worker for its own memory, the device for device memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "serve/commands.h"

namespace serve {

// No copy of a program has more rows; a device must not spend hours on rows without bytes.
inline constexpr std::uint64_t kMaxRows = std::uint64_t{1} << 28;

inline bool is_empty(const Extent& extent) {
  return extent.width == 0 || extent.height == 0 || extent.depth == 0;
}

// All bytes of a box that is not empty; nothing: more than any memory has.
inline std::optional<std::uint64_t> dense_bytes(const Extent& extent) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 40;
  if (extent.width > kMost || extent.height > kMaxRows || extent.depth > kMaxRows) return {};
  const std::uint64_t rows = extent.height * extent.depth;
  if (rows > kMaxRows || extent.width > kMost / rows) return {};
  return rows * extent.width;
}

// From the first byte of the box to behind its last; nothing: too far for any memory.
inline std::optional<std::uint64_t> reach(const Box& box, const Extent& extent) {
  __extension__ using Wide = unsigned __int128;
  constexpr Wide kMost = Wide{1} << 40;
  const Wide row = Wide{extent.depth - 1} * box.slice_rows + (extent.height - 1);
  if (row > kMost || box.pitch > kMost) return {};
  const Wide bytes = row * box.pitch + extent.width;
  if (bytes > kMost) return {};
  return static_cast<std::uint64_t>(bytes);
}

// Calls visit(address, dense_offset, size_bytes) for the parts of rows that the dense bytes
// [begin, end) lie in.
template <class Visit>
void for_rows(const Box& box, const Extent& extent, std::uint64_t begin, std::uint64_t end,
              Visit visit) {
  if (is_empty(extent)) return;
  for (std::uint64_t at = begin; at < end;) {
    const std::uint64_t row = at / extent.width;
    const std::uint64_t x = at % extent.width;
    const std::uint64_t size = std::min(extent.width - x, end - at);
    const std::uint64_t y = row % extent.height;
    const std::uint64_t z = row / extent.height;
    visit(box.base + (z * box.slice_rows + y) * box.pitch + x, at, size);
    at += size;
  }
}

}  // namespace serve
