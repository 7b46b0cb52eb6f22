// SPDX-License-Identifier: MIT
#include "run/generic_memory.h"

#include <cstring>

#include "memory/book.h"

namespace run {

bool read_generic(const Warp& warp, int lane, std::uint64_t address, void* to,
                  std::size_t size_bytes) {
  std::memset(to, 0, size_bytes);
  if (memory::is_device(address)) {
    const memory::Allocation* const found = memory::find(address);
    if (found == nullptr || !found->live || !found->contains(address, size_bytes)) return false;
    std::memcpy(to, reinterpret_cast<const void*>(address), size_bytes);
    return true;
  }
  const std::uint64_t local = address - local_window(warp, lane);
  const std::uint64_t local_bytes = warp.local.size() / kWarpSize * 4;
  if (local < local_bytes && size_bytes <= local_bytes - local) {
    read_local(warp, local, lane, to, size_bytes);
    return true;
  }
  const std::uint64_t shared = address - memory::kSharedBase;
  if (shared < warp.block->shared_bytes && size_bytes <= warp.block->shared_bytes - shared) {
    std::memcpy(to, warp.block->shared + shared, size_bytes);
    return true;
  }
  const std::uint64_t parameter = address - memory::kParamBase;
  const auto& parameters = warp.block->launch->parameters;
  if (parameter < parameters.size() && size_bytes <= parameters.size() - parameter) {
    std::memcpy(to, parameters.data() + parameter, size_bytes);
    return true;
  }
  return false;
}

std::string read_text(const Warp& warp, int lane, std::uint64_t address, std::size_t max_size) {
  std::string text;
  char c = 0;
  while (text.size() < max_size && read_generic(warp, lane, address + text.size(), &c, 1) &&
         c != 0) {
    text += c;
  }
  return text;
}

}  // namespace run
