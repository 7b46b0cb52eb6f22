// SPDX-License-Identifier: MIT
// What counting costs: nanoseconds per access of a warp, for the ways in which a warp can touch
// memory. No instruction is executed.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <functional>
#include <memory>
#include <string>

#include "code/program.h"
#include "count/watcher.h"
#include "memory/book.h"
#include "run/warp.h"

namespace {

using run::Access;
using run::Pattern;
using run::Space;

constexpr int kRounds = 2'000'000;
constexpr std::uint32_t kNumWarps = 8;
constexpr std::uint32_t kNumInstructions = 16;

struct Launched {
  Launched() {
    program.module.places.resize(kNumInstructions);
    program.files.resize(1);
    program.num_instructions = kNumInstructions;
    auto made = std::make_unique<code::Function>();
    made->readable = "kernel";
    made->instructions.resize(kNumInstructions);
    for (std::uint32_t id = 0; id < kNumInstructions; ++id) {
      made->instructions[id].id = id;
      made->instructions[id].words = {"ld"};
    }
    launch.program = &program;
    launch.kernel = made.get();
    launch.block = {32 * kNumWarps, 1, 1};
    program.functions.push_back(std::move(made));
    block.launch = &launch;
    block.num_threads = 32 * kNumWarps;
    for (std::uint32_t id = 0; id < kNumWarps; ++id) {
      block.warps.push_back(std::make_unique<run::Warp>());
      block.warps.back()->block = &block;
      block.warps.back()->id = id;
    }
  }
  code::Program program;
  run::Launch launch;
  run::Block block;
};

double processor_time_ns() {
  timespec now = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e9 * static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec);
}

// The same eight requests over and over, of another warp each time.
void measure(const char* name, Space space, std::uint32_t size_bytes, Pattern pattern,
             std::uint32_t lanes, const std::function<std::uint64_t(std::uint64_t)>& address,
             bool is_atomic = false) {
  Launched launched;
  const std::uint64_t room = memory::allocate(1 << 22, memory::Allocation::Kind::kDevice, {});
  count::Watcher watcher;
  watcher.set_counting(true);
  run::Monitor& monitor = watcher;
  monitor.launch_begins(launched.launch);
  monitor.block_starts(launched.block);
  std::array<Access, 8> requests;
  for (std::uint64_t r = 0; r < requests.size(); ++r) {
    Access& access = requests[r];
    access.instruction = &launched.launch.kernel->instructions[r];
    access.space = space;
    access.pattern = pattern;
    access.lanes = lanes;
    access.reads = true;
    access.is_atomic = access.writes = is_atomic;
    access.element_bytes = static_cast<std::uint8_t>(size_bytes);
    access.size_bytes = size_bytes;
    const std::uint64_t base = (space == Space::kShared ? 0 : room) + 128 * r;
    for (std::uint64_t lane = 0; lane < 32; ++lane) access.address[lane] = base + address(lane);
    access.base = access.address[0];
  }
  double best = 1e9;
  for (int repeat = 0; repeat < 5; ++repeat) {
    const double begin = processor_time_ns();
    for (int round = 0; round < kRounds / 5; ++round) {
      const auto index = static_cast<std::size_t>(round);
      Access& access = requests[index % 8];
      monitor.access(*launched.block.warps[index / 8 % kNumWarps], access);
      if (is_atomic) monitor.wrote(*launched.block.warps[index / 8 % kNumWarps], access);
    }
    best = std::min(best, (processor_time_ns() - begin) / (kRounds / 5));
  }
  std::printf("%-36s %6.1f ns\n", name, best);
  monitor.launch_ends(launched.launch);
  watcher.take();
  memory::release(room, memory::Allocation::Kind::kDevice, {});
}

}  // namespace

int main() {
  memory::reserve();
  using L = std::uint64_t;
  constexpr std::uint32_t kAll = ~0U;
  const auto steps = [](L step) { return [step](L lane) { return lane * step; }; };
  const auto scattered = [](L lane) { return (lane + 1) * 2654435761 % (1 << 20) * 4; };
  const auto scattered_near = [](L lane) { return (lane + 1) * 2654435761 % 1024 * 4; };
  const auto permuted = [](L lane) { return (lane * 13 % 32) * 4; };
  measure("global, contiguous", Space::kGlobal, 4, Pattern::kContiguous, kAll, steps(4));
  measure("global, contiguous, half the lanes", Space::kGlobal, 4, Pattern::kContiguous, 0x55555555,
          steps(4));
  measure("global, contiguous vectors", Space::kGlobal, 16, Pattern::kContiguous, kAll, steps(16));
  measure("global, one address", Space::kGlobal, 4, Pattern::kUniform, kAll, steps(0));
  measure("global, stride of 32 words", Space::kGlobal, 4, Pattern::kOther, kAll, steps(128));
  measure("global, permuted", Space::kGlobal, 4, Pattern::kOther, kAll, permuted);
  measure("global, scattered", Space::kGlobal, 4, Pattern::kOther, kAll, scattered);
  measure("global, scattered, half the lanes", Space::kGlobal, 4, Pattern::kOther, 0x33333333,
          scattered);
  measure("shared, contiguous", Space::kShared, 4, Pattern::kContiguous, kAll, steps(4));
  measure("shared, contiguous vectors", Space::kShared, 16, Pattern::kContiguous, kAll, steps(16));
  measure("shared, one address", Space::kShared, 4, Pattern::kUniform, kAll, steps(0));
  measure("shared, stride of 32 words", Space::kShared, 4, Pattern::kOther, kAll, steps(128));
  measure("shared, scattered", Space::kShared, 4, Pattern::kOther, kAll, scattered_near);
  measure("shared, 4 rows of 8", Space::kShared, 4, Pattern::kOther, kAll,
          [](L lane) { return lane / 8 * 132 + lane % 8 * 4; });
  measure("shared, vectors, pairs of lanes", Space::kShared, 16, Pattern::kOther, kAll,
          [](L lane) { return lane / 2 * 16; });
  measure("shared atomic, scattered", Space::kShared, 4, Pattern::kOther, kAll, scattered_near,
          true);
  measure("global atomic, one address", Space::kGlobal, 4, Pattern::kUniform, kAll, steps(0), true);
  measure("global atomic, scattered", Space::kGlobal, 4, Pattern::kOther, kAll, scattered, true);
  return 0;
}
