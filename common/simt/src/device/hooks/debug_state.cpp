// SPDX-License-Identifier: MIT
// What a debugger asks a stopped program for: it calls these functions by name, and reads the text
// that they return, which is valid until the next call. See report/debugger.h.
#include <cstdint>
#include <string>

#include "program/shared_variables.h"
#include "report/words.h"
#include "run/fiber.h"
#include "run/grid.h"
#include "run/running.h"
#include "run/untraced.h"
#include "simt/memory.h"

namespace simt::device {
namespace {

std::string& answer() {
  static auto* const text = new std::string;
  return *text;
}

std::string spell(unsigned x, unsigned y, unsigned z) {
  return " " + std::to_string(x) + " " + std::to_string(y) + " " + std::to_string(z);
}

std::string spell(const void* p) { return " " + hex(reinterpret_cast<std::uintptr_t>(p)); }

std::string spell(const AddressRange& range) {
  return " " + hex(range.low) + " " + std::to_string(range.size_bytes);
}

const char* state_of(const Warp& warp, int lane) {
  const std::uint32_t bit = 1u << lane;
  if ((warp.live & bit) == 0) return "ended";
  if (((warp.at_barrier | warp.at_named_barrier) & bit) != 0) return "barrier";
  if ((warp.at_grid_barrier & bit) != 0) return "grid_barrier";
  if ((warp.in_operation & bit) != 0) return "warp_operation";
  if ((warp.yielded & bit) != 0) return "polls";
  return warp.lanes[lane].fiber == nullptr ? "not_started" : "ready";
}

std::string spell(const Block& block, bool is_in_place) {
  std::string text = "block" + spell(block.index.x, block.index.y, block.index.z) +
                     spell(is_in_place ? nullptr : block.shared_image.data()) + " " +
                     std::to_string(is_in_place ? 0 : block.shared_image.size()) + "\n";
  for (const Warp& warp : block.warps) {
    for (int id = 0; id < kWarpSize && warp.thread_id(id) < block.num_threads; ++id) {
      const Lane& lane = warp.lanes[id];
      text += "thread" + spell(lane.index.x, lane.index.y, lane.index.z) + " " +
              std::to_string(warp.thread_id(id)) + " " + state_of(warp, id) + spell(lane.pc) +
              spell(lane.fiber == nullptr ? nullptr : lane.fiber->context) + "\n";
    }
  }
  return text;
}

std::string spell(const Grid& grid) {
  const Launch& launch = grid.launch();
  const dim3& blocks = launch.config.grid;
  const dim3& threads = launch.config.block;
  std::string text = "kernel " + std::to_string(launch.site.line) +
                     spell(blocks.x, blocks.y, blocks.z) + spell(threads.x, threads.y, threads.z) +
                     " " + std::to_string(grid.num_started()) + " " +
                     std::to_string(grid.num_ended()) + " " + launch.site.kernel + "\n";
  text += "file " + std::string(launch.site.file) + "\n";
  text += "shared" + spell(running.static_shared) + spell(running.dynamic_shared) + "\n";
  const bool on_thread = running.fiber != nullptr && running.fiber->stack_low != kHostLow;
  if (on_thread) {
    const uint3& thread = running.lane->index;
    text += "running" +
            spell(running.block->index.x, running.block->index.y, running.block->index.z) +
            spell(thread.x, thread.y, thread.z) + "\n";
  }
  for (const auto& block : grid.resident()) text += spell(*block, grid.is_in_place(*block));
  return text;
}

// What is wrong with reading device memory by way of a pointer to `base`; or empty.
std::string complaint(std::uintptr_t base, std::uintptr_t address, std::size_t size_bytes) {
  const auto* const p = reinterpret_cast<const std::byte*>(address);
  const auto* const pointer = reinterpret_cast<const void*>(base);
  if (!is_device_address(p) && !is_device_address(pointer)) return "";
  const Allocation* const nearest = find_allocation(is_device_address(pointer) ? pointer : p);
  if (nearest == nullptr) return hex(address) + " lies in no allocation";
  if (nearest->live && nearest->contains(p, size_bytes)) return "";
  const std::string name = nearest->name + " (" + bytes(nearest->size_bytes) + ")";
  if (!nearest->live && nearest->contains(p)) return "in " + name + ", which is freed";
  return (p < nearest->base ? "before the beginning of " : "past the end of ") + name;
}

}  // namespace
}  // namespace simt::device

extern "C" {

// The running kernel, its resident blocks and their threads, a line each; empty outside of kernels.
const char* simt_debug_state() {
  using namespace simt::device;
  const Untraced untraced;
  answer() = running.launch == nullptr || running_grid() == nullptr ? "" : spell(*running_grid());
  return answer().c_str();
}

// "past the end of allocation 2 (400 bytes)"; empty if the bytes may be read.
const char* simt_debug_memory(std::uintptr_t base, std::uintptr_t address, std::size_t size_bytes) {
  const simt::device::Untraced untraced;
  simt::device::answer() = simt::device::complaint(base, address, size_bytes);
  return simt::device::answer().c_str();
}
}
