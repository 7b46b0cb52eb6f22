// SPDX-License-Identifier: MIT
// The checks of a device: a monitor of its launches, and an observer of its memory.
// docs/checkers.md lists what they find.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "check/checks.h"
#include "check/streams.h"
#include "memory/book.h"
#include "run/monitor.h"

namespace check {

class Checker final : public run::Monitor, public memory::Observer {
 public:
  // Becomes the observer of device memory. One at a time.
  explicit Checker(Checks checks = Checks::kAll);
  ~Checker() override;
  Checker(const Checker&) = delete;
  Checker& operator=(const Checker&) = delete;

  // Set it between launches. What ran unchecked was not recorded.
  void set_checks(Checks checks);

  // What the host issues, and in which order.
  StreamOrder& streams();

  // The host's own code accesses memory that it shares with the device. A volatile read may be of a
  // flag. Reports a race with work that may still run.
  struct HostAccess {
    std::uint64_t address = 0;
    std::uint64_t size_bytes = 0;
    bool writes = false;
    bool is_volatile = false;
    memory::HostPlace at;
  };
  void host_accesses(const HostAccess& access);

  // The piece of work begun last is that of a function's caller: it may use this memory. Its bytes
  // stay what they are.
  void caller_uses(std::uint64_t address, std::uint64_t size_bytes, bool writes);

  // Whether races have been found in launches of that kernel (as Function::readable names it): its
  // next launches are to run in an order that shows what they can do.
  bool has_races(const std::string& kernel) const;

  // The program is about to end. Its kernels have ended, and the host has waited for them.
  void forget(const code::Program& program);

  // Where an allocation failed in this call: the likely reason for a null pointer.
  void note_failed_allocation(const memory::HostPlace& at);

  void launch_begins(run::Launch& launch) override;
  void launch_ends(run::Launch& launch) override;
  void block_starts(run::Block& block) override;
  void block_ends(run::Block& block) override;
  void access(run::Warp& warp, run::Access& access) override;
  void reads_image(run::Warp& warp, const run::Access& access) override;
  void uses_unwritten(run::Warp& warp, const run::Access& read, std::uint32_t element,
                      std::uint32_t lanes) override;
  void block_meets(run::Block& block, const code::Instruction& barrier) override;
  void threads_meet(run::Block& block, std::span<const std::uint32_t> lanes_by_warp,
                    const code::Instruction& instruction, const void* barrier) override;
  void lanes_meet(run::Warp& warp, std::uint32_t lanes, const code::Instruction& sync) override;
  void grid_meets(run::Launch& launch) override;
  void cluster_meets(std::span<run::Block* const> blocks) override;
  void fence(run::Warp& warp, std::uint32_t lanes, run::Scope scope) override;
  void releases(run::Warp& warp, std::uint32_t lanes, run::Scope scope,
                const void* barrier) override;
  void acquires(run::Warp& warp, std::uint32_t lanes, run::Scope scope,
                const void* barrier) override;
  void phase_completes(run::Block& block, const code::Instruction& instruction,
                       std::uint32_t expected, const void* barrier) override;
  void copy_begins(run::Warp& warp, const run::Access& destination) override;
  void copy_arrives(run::Warp& warp, const run::Access& destination) override;
  void copies_committed(run::Warp& warp, std::uint32_t lanes) override;
  void copies_waited(run::Warp& warp, std::uint32_t lanes, std::uint32_t num_left) override;
  void async_read_begins(run::Warp& warp, const run::Access& source) override;
  void async_read_ends(run::Warp& warp, const run::Access& source) override;
  void bulk_stores_complete(run::Warp& warp, std::uint32_t lanes, std::uint32_t num_left) override;
  void fence_async_proxy(run::Warp& warp, std::uint32_t lanes) override;
  void enters_block(run::Warp& warp, const code::Block& block, std::uint32_t lanes) override;
  bool wants_blocks() const override { return true; }

  void on_allocate(const memory::Allocation& allocation, bool initialised) override;
  void on_release(const memory::Allocation& allocation) override;
  void on_write(std::uint64_t address, std::uint64_t size_bytes) override;
  void on_read(std::uint64_t address, std::uint64_t size_bytes) override;
  void on_copy(std::uint64_t to, std::uint64_t from, std::uint64_t size_bytes) override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace check
