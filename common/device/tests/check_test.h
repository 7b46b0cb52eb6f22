// SPDX-License-Identifier: MIT
// A launch made by hand for the tests of `check`: no instruction is executed, so a test says in
// which order which lane does what.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "check/checker.h"
#include "code/program.h"
#include "memory/book.h"
#include "report/finding.h"
#include "run/fault.h"
#include "run/warp.h"

namespace check_test {

using report::Kind;

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// A program with one kernel, whose instructions stand one in each line from 1 on; their ids are
// their lines.
inline std::unique_ptr<code::Program> make_program() {
  constexpr std::uint32_t kNumLines = 100;
  auto program = std::make_unique<code::Program>();
  program->files.push_back({"", "", code::SourceFile::Owner::kLibrary});
  program->files.push_back({"/home/a.cu", "a.cu", code::SourceFile::Owner::kUser});
  program->module.files = {"", "/home/a.cu"};
  program->module.places.resize(kNumLines);
  auto kernel = std::make_unique<code::Function>();
  kernel->name = kernel->readable = "kernel";
  kernel->is_kernel = true;
  kernel->shared = {{0, "tile", 0, 256}, {1, "sum", 384, 4}};
  kernel->shared_bytes = 260;
  kernel->dynamic_shared_offset = 528;
  for (std::uint32_t line = 0; line < kNumLines; ++line) {
    ptx::Place& place = program->module.places[line];
    place.file = line == 0 ? 0 : 1;
    place.line = line;
    code::Instruction instruction;
    instruction.id = line;
    instruction.place = line;
    kernel->instructions.push_back(instruction);
  }
  program->num_instructions = kNumLines;
  program->functions.push_back(std::move(kernel));
  return program;
}

inline constexpr std::uint32_t kAll = ~0u;

class CheckTest : public ::testing::Test {
 protected:
  CheckTest() : program(make_program()), kernel(*program->functions.front()) {
    report::take_findings();
    report::take_notes();
  }
  ~CheckTest() override {
    for (const memory::Allocation* const entry : memory::live_allocations()) {
      if (!memory::release(entry->base, entry->kind, {})) memory::retire(entry->base);
    }
  }

  const code::Instruction& at(std::uint32_t line) { return kernel.instructions[line]; }

  std::uint64_t allocate(std::uint64_t size_bytes, bool is_written = true) {
    const std::uint64_t base =
        memory::allocate(size_bytes, memory::Allocation::Kind::kDevice, {"/home/a.cu", 70});
    if (is_written) checker.on_write(base, size_bytes);
    return base;
  }

  // Blocks of so many threads, all resident.
  void begin(std::uint32_t num_blocks, std::uint32_t num_threads, std::uint32_t dynamic_bytes = 0,
             check::StreamId stream = 0) {
    checker.streams().begin_work(stream);
    launch = {};
    launch.program = program.get();
    launch.kernel = &kernel;
    launch.grid = {num_blocks, 1, 1};
    launch.block = {num_threads, 1, 1};
    launch.cluster = cluster;
    launch.dynamic_shared_bytes = dynamic_bytes;
    launch.host_file = "/home/a.cu";
    launch.host_line = 90;
    checker.launch_begins(launch);
    blocks.clear();
    for (std::uint32_t i = 0; i < num_blocks; ++i) start_block(i, num_threads);
  }

  void start_block(std::uint32_t index, std::uint32_t num_threads) {
    auto block = std::make_unique<run::Block>();
    block->launch = &launch;
    block->index = {index, 0, 0};
    block->linear = block->ordinal = index;
    block->slot = static_cast<std::uint32_t>(blocks.size());
    block->num_threads = block->live = num_threads;
    block->shared_bytes = kernel.dynamic_shared_offset + launch.dynamic_shared_bytes;
    rooms.push_back(std::make_unique<std::array<std::byte, 4096>>());
    block->shared = rooms.back()->data();
    for (std::uint32_t id = 0; id < (num_threads + 31) / 32; ++id) {
      auto warp = std::make_unique<run::Warp>();
      warp->block = block.get();
      warp->id = id;
      warp->existing = warp->live =
          num_threads - 32 * id >= 32 ? kAll : (1u << (num_threads - 32 * id)) - 1;
      block->warps.push_back(std::move(warp));
    }
    checker.block_starts(*block);
    blocks.push_back(std::move(block));
  }

  void end() {
    for (const auto& block : blocks) checker.block_ends(*block);
    checker.launch_ends(launch);
    checker.streams().end_work();
  }

  run::Warp& warp(std::uint32_t block = 0, std::uint32_t id = 0) {
    return *blocks[block]->warps[id];
  }

  // An access of `lanes` to base + lane * stride.
  run::Access make(std::uint32_t line, std::uint64_t base, std::uint32_t lanes = kAll,
                   std::uint32_t size_bytes = 4, std::int64_t stride = 4) {
    run::Access access;
    access.instruction = &at(line);
    access.lanes = lanes;
    access.element_bytes = static_cast<std::uint8_t>(size_bytes);
    access.size_bytes = size_bytes;
    for (int lane = 0; lane < 32; ++lane) {
      access.address[static_cast<std::size_t>(lane)] =
          base + static_cast<std::uint64_t>(lane * stride);
    }
    const bool is_single = (lanes & (lanes - 1)) == 0;
    access.base = base;
    access.pattern = run::Pattern::kOther;
    if (stride == static_cast<std::int64_t>(size_bytes)) {
      access.pattern = run::Pattern::kContiguous;
    }
    if (stride == 0 || is_single) {
      access.pattern = run::Pattern::kUniform;
      access.base = access.address[static_cast<std::size_t>(__builtin_ctz(lanes))];
    }
    return access;
  }
  static run::Access read(run::Access access) {
    access.reads = true;
    return access;
  }
  run::Access write(run::Access access, std::uint32_t value = 1) {
    access.writes = true;
    values.fill(value);
    return store(access);
  }
  run::Access store(run::Access access) {  // of what `values` holds
    access.writes = true;
    access.values[0] = reinterpret_cast<const std::byte*>(values.data());
    access.value_stride = 4;
    return access;
  }
  static run::Access shared(run::Access access) {
    access.space = run::Space::kShared;
    return access;
  }
  static run::Access atomic(run::Access access) {
    access.reads = access.writes = access.is_atomic = true;
    access.order = run::Order::kRelaxed;
    return access;
  }
  static run::Access with_order(run::Access access, run::Order order,
                                run::Scope scope = run::Scope::kDevice) {
    access.order = order;
    access.scope = scope;
    return access;
  }

  // The warp does it; a store of a word is carried out. Returns the access as the checks left it.
  run::Access does(run::Warp& who, run::Access access) {
    checker.access(who, access);
    if (!access.writes || access.values[0] == nullptr || access.size_bytes != 4) return access;
    for (std::size_t lane = 0; lane < 32; ++lane) {
      if ((access.lanes >> lane & 1) == 0) continue;
      std::byte* const to = access.space == run::Space::kShared
                                ? who.block->shared + access.address[lane]
                                : reinterpret_cast<std::byte*>(access.address[lane]);
      std::memcpy(to, access.values[0] + 4 * lane, 4);
    }
    return access;
  }

  void barrier(std::uint32_t line = 50, std::uint32_t block = 0) {
    checker.block_meets(*blocks[block], at(line));
  }

  std::vector<report::Finding> findings() { return report::take_findings(); }
  void expect_none() {
    for (const report::Finding& finding : findings()) {
      ADD_FAILURE() << report::name_of(finding.kind) << " in line " << finding.line << ": "
                    << finding.message;
    }
  }
  // Exactly one of that kind and line, whose message has these parts.
  void expect(Kind kind, std::uint32_t line, const std::vector<std::string>& parts = {}) {
    const auto all = findings();
    ASSERT_EQ(all.size(), 1u) << (all.empty() ? "" : all.front().message);
    EXPECT_STREQ(report::name_of(all[0].kind), report::name_of(kind)) << all[0].message;
    EXPECT_EQ(all[0].line, line) << all[0].message;
    EXPECT_EQ(all[0].file, "a.cu");
    for (const std::string& part : parts) {
      EXPECT_TRUE(contains(all[0].message, part)) << all[0].message << "\nlacks: " << part;
    }
  }
  // The access ends the kernel with a finding.
  void expect_end(run::Warp& who, run::Access access, Kind kind,
                  const std::vector<std::string>& parts = {}, int error = 700) {
    try {
      checker.access(who, access);
      ADD_FAILURE() << "the kernel goes on";
    } catch (const run::Fault& fault) {
      EXPECT_STREQ(report::name_of(fault.finding.kind), report::name_of(kind));
      EXPECT_EQ(fault.error, error);
      EXPECT_EQ(fault.finding.kernel, "kernel");
      for (const std::string& part : parts) {
        EXPECT_TRUE(contains(fault.finding.message, part)) << fault.finding.message;
      }
    }
  }

  check::Checker checker;
  std::unique_ptr<code::Program> program;
  code::Function& kernel;
  run::Launch launch;
  run::Dim cluster;
  std::vector<std::unique_ptr<run::Block>> blocks;
  std::vector<std::unique_ptr<std::array<std::byte, 4096>>> rooms;
  alignas(64) std::array<std::uint32_t, 32> values = {};
};

}  // namespace check_test
