// SPDX-License-Identifier: MIT
#include "report/words.h"

#include <cstddef>
#include <cstdio>

namespace report {
namespace {

std::string coordinates(const Index& i, const Index& dim) {
  if (dim.y == 1 && dim.z == 1) return std::to_string(i.x);
  return "(" + std::to_string(i.x) + "," + std::to_string(i.y) + "," + std::to_string(i.z) + ")";
}

}  // namespace

std::string line_name(const Place& place, std::string_view file) {
  if (!place.is_known()) return "an unknown line";
  std::string name = "line " + std::to_string(place.line);
  if (place.file != file || place.is_labs) name += " of " + place.file;
  return name;
}

std::string full_line_name(const Place& place) {
  return place.is_known() ? "line " + std::to_string(place.line) + " of " + place.file : "";
}

std::string bytes(std::uint64_t count) {
  return std::to_string(count) + (count == 1 ? " byte" : " bytes");
}

std::string blocks(std::uint64_t count, const std::string& more) {
  return std::to_string(count) + " " + more + (count == 1 ? "block" : "blocks");
}

std::string hex(std::uint64_t address) {
  char text[32];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(address));
  return text;
}

std::string mask_name(std::uint32_t mask) {
  char text[16];
  std::snprintf(text, sizeof text, "0x%08x", mask);
  return text;
}

std::string thread_ranges(const std::vector<std::uint32_t>& ids) {
  constexpr int kMaxRanges = 4;
  std::string text = ids.size() == 1 ? "thread " : "threads ";
  int num_ranges = 0;
  for (std::size_t first = 0; first < ids.size();) {
    if (++num_ranges > kMaxRanges) {
      return text + " and " + std::to_string(ids.size() - first) + " more";
    }
    std::size_t last = first;
    while (last + 1 < ids.size() && ids[last + 1] == ids[last] + 1) ++last;
    if (first > 0) text += ", ";
    text += std::to_string(ids[first]);
    if (last > first) text += "-" + std::to_string(ids[last]);
    first = last + 1;
  }
  return text;
}

Index index_of(std::uint64_t linear, const Index& dim) {
  return {static_cast<std::uint32_t>(linear % dim.x),
          static_cast<std::uint32_t>(linear / dim.x % dim.y),
          static_cast<std::uint32_t>(linear / dim.x / dim.y)};
}

std::string block_name(const Index& block, const Index& grid_dim) {
  return "block " + coordinates(block, grid_dim);
}

std::string thread_in_block_name(const Index& thread, const Index& block_dim) {
  return "thread " + coordinates(thread, block_dim);
}

std::string thread_name(const ThreadId& id) {
  return thread_in_block_name(id.thread, id.block_dim) + " of " + block_name(id.block, id.grid_dim);
}

}  // namespace report
