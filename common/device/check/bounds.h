// SPDX-License-Identifier: MIT
// What a kernel's accesses may use: allocations, variables of shared memory, windows.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>

#include "check/block_state.h"
#include "check/checks.h"
#include "check/device_shadow.h"
#include "check/findings.h"
#include "check/shared_layout.h"
#include "report/memory_text.h"
#include "run/monitor.h"
#include "run/warp.h"

namespace check {

class Bounds {
 public:
  Bounds(DeviceShadow& device, Findings& findings) : device_(device), findings_(findings) {}

  void set_failed_allocation(const report::Place& place) { failed_allocation_ = place; }
  void begin_launch(const SharedLayout& layout) { layout_ = &layout; }

  // Each takes lanes whose access is wrong out of the access, or ends the kernel. For reads, notes
  // what was never written; what is written counts as written from then on.
  void check_alignment(const run::Warp& warp, const run::Access& access) const;
  void check_global(const run::Warp& warp, run::Access& access);
  void check_constant(const run::Warp& warp, run::Access& access);
  void check_shared(const run::Warp& warp, BlockState& block, run::Access& access);

  // Lanes that check_global() took out, but whose access the judge's guard zones have room for.
  // They are carried out: a write there must spoil the result, as it would on a GPU.
  std::uint32_t take_lanes_in_guard_zones() { return std::exchange(in_guard_zones_, 0); }

  // The lanes use a register that holds what the read found unwritten.
  void report_use(const run::Warp& warp, const run::Access& read, std::uint32_t element,
                  std::uint32_t lanes);

  // Another thread's local memory.
  void check_local(const run::Warp& warp, run::Access& access);

  // What the host copied to the beginning of an allocation, or filled it with.
  void note_filled(std::uint64_t address, const report::Fill& fill) { fills_[address] = fill; }
  void forget_fill(std::uint64_t address) { fills_.erase(address); }

  // Without checks: an access to global memory outside of all allocations ends the kernel.
  void require_memory(const run::Warp& warp, run::Access& access);

 private:
  const memory::Allocation* find(std::uint64_t address);
  bool is_allocated(const run::Access& access, std::uint32_t lane);
  bool is_in_guard_zone(const run::Access& access, std::uint32_t lane);
  bool check_lane(const run::Warp& warp, run::Access& access, std::uint32_t lane);
  void note_unwritten(const run::Warp& warp, run::Access& access, std::uint32_t lane,
                      const ByteFlags& flags);
  bool check_shared_lane(const run::Warp& warp, BlockState& block, run::Access& access,
                         std::uint32_t lane);
  bool reports_copy(const run::Warp& warp, const BlockState& block, const run::Access& access,
                    std::uint32_t lane);
  bool report_negative_unsigned(const run::Warp& warp, const run::Access& access,
                                std::uint32_t lane);
  void report_elsewhere(const run::Warp& warp, const run::Access& access, std::uint32_t lane);
  std::string name_of_place(const run::Access& access, std::uint64_t address) const;
  std::string shared_name(std::uint64_t offset) const;
  void report_unwritten(const run::Warp& warp, const run::Access& access,
                        const report::Touch& touch, std::uint32_t lane,
                        std::uint64_t unwritten_bytes);

  DeviceShadow& device_;
  Findings& findings_;
  const SharedLayout* layout_ = nullptr;  // of the launch's kernel
  report::Place failed_allocation_;
  const memory::Allocation* last_ = nullptr;  // found, valid for that version of the book
  std::uint64_t version_ = 0;
  std::uint32_t in_guard_zones_ = 0;
  std::unordered_map<std::uint64_t, report::Fill> fills_;  // by where it begins
};

}  // namespace check
