// SPDX-License-Identifier: MIT
// A launch made by hand for the tests of `count`: no instruction is executed, so a test says which
// lanes do what, and the numbers can be counted by hand.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "code/program.h"
#include "count/watcher.h"
#include "memory/book.h"
#include "run/monitor.h"
#include "run/warp.h"

namespace count_test {

using count::Counter;
using run::Access;
using run::Order;
using run::Pattern;
using run::Space;

inline constexpr std::uint32_t kAll = ~0U;

using Address = std::function<std::uint64_t(std::uint64_t lane)>;
inline Address steps(std::uint64_t base, std::uint64_t step) {
  return [=](std::uint64_t lane) { return base + step * lane; };
}

// As `run` classifies it.
inline void set_addresses(Access& access, const Address& address) {
  bool is_uniform = true;
  bool is_contiguous = true;
  int first = -1;
  for (int lane = 0; lane < run::kWarpSize; ++lane) {
    if ((access.lanes >> lane & 1) == 0) continue;
    const std::uint64_t own = address(static_cast<std::uint64_t>(lane));
    access.address[static_cast<std::size_t>(lane)] = own;
    if (first < 0) {
      first = lane;
      access.base = own;
    }
    const std::uint64_t distance = own - access.base;
    is_uniform = is_uniform && distance == 0;
    is_contiguous =
        is_contiguous && distance == access.size_bytes * static_cast<std::uint64_t>(lane - first);
  }
  access.pattern = is_uniform      ? Pattern::kUniform
                   : is_contiguous ? Pattern::kContiguous
                                   : Pattern::kOther;
  if (access.pattern == Pattern::kContiguous) {
    access.base -= access.size_bytes * static_cast<std::uint64_t>(first);
  }
}

class Count : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { memory::reserve(); }

  Count() {
    program_.files.push_back({"", "", code::SourceFile::Owner::kLibrary});
    program_.files.push_back({"/home/a.cu", "a.cu", code::SourceFile::Owner::kUser});
    program_.module.files = {"", "/home/a.cu"};
    program_.module.places.resize(kNumLines);
    auto kernel = std::make_unique<code::Function>();
    kernel->name = kernel->readable = "kernel";
    kernel->is_kernel = true;
    kernel->shared = {{0, "tile", 0, 4096}, {1, "sum", 4224, 4}};
    kernel->shared_bytes = 4100;
    kernel->dynamic_shared_offset = 4352;
    kernel->instructions.resize(kNumLines);
    for (std::uint32_t line = 0; line < kNumLines; ++line) {
      program_.module.places[line].file = line == 0 ? 0 : 1;
      program_.module.places[line].line = line;
      kernel->instructions[line].id = kernel->instructions[line].place = line;
      kernel->instructions[line].words = {"ld"};
    }
    program_.num_instructions = kNumLines;
    kernel_ = kernel.get();
    program_.functions.push_back(std::move(kernel));
    watcher_.set_counting(true);
  }
  ~Count() override {
    for (const auto& [address, kind] : allocations_) memory::release(address, kind, {});
  }

  std::uint64_t allocate(std::uint64_t size_bytes,
                         memory::Allocation::Kind kind = memory::Allocation::Kind::kDevice) {
    const std::uint64_t address = memory::allocate(size_bytes, kind, {});
    allocations_.emplace_back(address, kind);
    return address;
  }

  // The instruction of a line, which a test may give other words.
  code::Instruction& at(std::uint32_t line) { return kernel_->instructions[line]; }

  void begin(std::uint32_t num_blocks = 1, std::uint32_t num_threads = 32) {
    launch_ = {};
    launch_.program = &program_;
    launch_.kernel = kernel_;
    launch_.grid = {num_blocks, 1, 1};
    launch_.block = {num_threads, 1, 1};
    watcher_.launch_begins(launch_);
  }
  void end() {
    for (auto& block : blocks_) {
      if (block != nullptr) watcher_.block_ends(*block);
    }
    blocks_.clear();
    watcher_.launch_ends(launch_);
  }
  run::Block& start(std::uint32_t slot = 0) {
    auto block = std::make_unique<run::Block>();
    block->launch = &launch_;
    block->slot = slot;
    block->num_threads = static_cast<std::uint32_t>(launch_.block.count());
    for (std::uint32_t id = 0; id * 32 < block->num_threads; ++id) {
      block->warps.push_back(std::make_unique<run::Warp>());
      block->warps.back()->block = block.get();
      block->warps.back()->id = id;
    }
    watcher_.block_starts(*block);
    if (blocks_.size() <= slot) blocks_.resize(slot + 1);
    blocks_[slot] = std::move(block);
    return *blocks_[slot];
  }
  void finish(std::uint32_t slot) {
    watcher_.block_ends(*blocks_[slot]);
    blocks_[slot] = nullptr;
  }
  run::Warp& warp(std::uint32_t id = 0, std::uint32_t slot = 0) {
    return *blocks_[slot]->warps[id];
  }

  // Of the instruction in `line`.
  Access make(Space space, std::uint32_t line, const Address& address, std::uint32_t lanes = kAll,
              std::uint32_t size_bytes = 4) {
    Access access;
    access.instruction = &at(line);
    access.space = space;
    access.lanes = lanes;
    access.size_bytes = size_bytes;
    access.element_bytes = static_cast<std::uint8_t>(size_bytes);
    set_addresses(access, address);
    return access;
  }
  void make_read(Access access, std::uint32_t warp_id = 0, std::uint32_t slot = 0) {
    access.reads = true;
    watcher_.access(warp(warp_id, slot), access);
  }
  void make_write(Access access, std::uint32_t warp_id = 0, std::uint32_t slot = 0) {
    access.writes = true;
    watcher_.access(warp(warp_id, slot), access);
    watcher_.wrote(warp(warp_id, slot), access);
  }
  // `change`: what happens to the memory.
  void make_atomic(
      Access access, std::uint32_t warp_id = 0, std::uint32_t slot = 0,
      const std::function<void()>& change = [] {}) {
    access.reads = access.writes = access.is_atomic = true;
    watcher_.access(warp(warp_id, slot), access);
    change();
    watcher_.wrote(warp(warp_id, slot), access);
  }

  // Of the only kernel.
  count::KernelCounters take() {
    const std::vector<count::KernelCounters> kernels = watcher_.take();
    EXPECT_EQ(kernels.size(), 1U);
    return kernels.empty() ? count::KernelCounters{} : kernels.front();
  }
  static std::uint64_t of_line(const count::KernelCounters& kernel, std::uint32_t line,
                               Counter counter) {
    for (const count::LineCounters& one : kernel.lines) {
      if (one.line == line) return one.counters[counter];
    }
    return 0;
  }

  static constexpr std::uint32_t kNumLines = 100;
  code::Program program_;
  code::Function* kernel_ = nullptr;
  count::Watcher watcher_;
  run::Launch launch_;
  std::vector<std::unique_ptr<run::Block>> blocks_;
  std::vector<std::pair<std::uint64_t, memory::Allocation::Kind>> allocations_;
};

}  // namespace count_test
