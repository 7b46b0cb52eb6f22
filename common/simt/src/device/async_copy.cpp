// SPDX-License-Identifier: MIT
#include "async_copy.h"

#include <algorithm>
#include <cstring>

#include "memory_check.h"
#include "memory_report.h"
#include "running.h"
#include "shared_memory.h"
#include "simt/async_copy.h"
#include "simt/memory.h"
#include "source_line.h"

namespace simt {
namespace device {
namespace {

SharedRegion* region_of(std::uintptr_t address) {
  SharedShadow& shadow = running.block->shared_shadow;
  if (shadow.static_region.contains(address)) return &shadow.static_region;
  if (shadow.dynamic_region.contains(address)) return &shadow.dynamic_region;
  return nullptr;
}

void arrive(const AsyncCopy& copy) {
  std::memcpy(reinterpret_cast<void*>(copy.address), copy.contents.data(), copy.size_bytes);
  if (SharedRegion* const region = region_of(copy.address)) {
    region->written.set(copy.address, copy.size_bytes);
  }
}

}  // namespace

std::string copy_under_way(const Block& block, const Access& access) {
  for (const Warp& warp : block.warps) {
    for (int lane = 0; lane < kWarpSize; ++lane) {
      for (const AsyncCopy& copy : warp.lanes[lane].copies.under_way) {
        if (copy.address >= access.address + access.size_bytes ||
            access.address >= copy.address + copy.size_bytes) {
          continue;
        }
        return "a copy that thread " + std::to_string(warp.thread_id(lane)) + " began in " +
               line_name(copy.pc, source_line(access.pc).file) + " has not filled";
      }
    }
  }
  return {};
}

}  // namespace device

using device::AsyncCopies;
using device::AsyncCopy;
using device::running;

void check_copy(const void* destination, const void* source, std::size_t size_bytes,
                std::size_t zero_bytes) {
  if (running.grid == nullptr) return;
  const void* const pc = __builtin_return_address(0);
  const bool is_size = size_bytes == 4 || size_bytes == 8 || size_bytes == 16;
  if (!is_size || zero_bytes > size_bytes) {
    device::end_impossible_copy(size_bytes, zero_bytes, pc);
  }
  for (const void* const side : {source, destination}) {
    const auto address = reinterpret_cast<std::uintptr_t>(side);
    if (address % size_bytes == 0) continue;
    device::end_misaligned_copy(side == source ? "from" : "to", address, size_bytes, pc);
  }
}

void begin_copy(void* destination, std::size_t size_bytes) {
  if (running.grid == nullptr) return;
  const auto address = reinterpret_cast<std::uintptr_t>(destination);
  device::SharedRegion* const region = device::region_of(address);
  AsyncCopy copy = {address, size_bytes, {}, 0, __builtin_return_address(0)};
  if (region == nullptr || size_bytes > copy.contents.size()) return;
  const device::Untraced untraced;
  AsyncCopies& copies = running.lane().copies;
  copy.batch = copies.num_batches;
  std::memcpy(copy.contents.data(), destination, size_bytes);
  device::poison({static_cast<std::byte*>(destination), size_bytes});
  region->written.clear(address, size_bytes);
  copies.under_way.push_back(copy);
}

void commit_copies() {
  if (running.grid != nullptr) ++running.lane().copies.num_batches;
}

void wait_for_copies(std::size_t num_later_batches) {
  if (running.grid == nullptr) return;
  const device::Untraced untraced;
  AsyncCopies& copies = running.lane().copies;
  const auto is_later = [&](const AsyncCopy& copy) {
    return copy.batch + num_later_batches >= copies.num_batches;
  };
  auto& under_way = copies.under_way;
  const auto later = std::find_if(under_way.begin(), under_way.end(), is_later);
  std::for_each(under_way.begin(), later, device::arrive);
  under_way.erase(under_way.begin(), later);
}

}  // namespace simt
