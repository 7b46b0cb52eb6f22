// SPDX-License-Identifier: MIT
// Instructions that compute nothing: special registers, windows, fences, time.
#include <time.h>

#include <algorithm>
#include <stdexcept>
#include <string>

#include "run/access.h"
#include "run/register_counts.h"

namespace run {
namespace {

using code::File;
using code::Instruction;
using code::Op;

// Clocks of a device that takes a nanosecond for each block of code: the same in every run. A loop
// that looks at the clock and at no memory waits for a time to pass: that passes ever faster, so
// the loop has few rounds. Its last one is at most a small part of the wait.
constexpr std::uint64_t kClockReadTime = 40;
template <class T>
const Op* read_clock(Warp& warp, const Op* op, std::uint32_t lanes) {
  Engine& engine = *warp.engine;
  if (engine.waiting_access != engine.accesses) engine.waiting_reads = 0;
  engine.waiting_access = engine.accesses;
  engine.clock_waits += kClockReadTime * ++engine.waiting_reads;
  const std::uint64_t now = engine.steps + engine.switches + engine.clock_waits;
  const std::uint64_t value = op->immediate == 1 ? now >> 32 : now;
  T* const row = reinterpret_cast<T*>((sizeof(T) == 4 ? warp.r32 : warp.r64) + op->d);
  for_each_lane(lanes, [&](int lane) { row[lane] = static_cast<T>(value); });
  return op + 1;
}

// cvta: op.c says which space, op.b whether it goes to the generic address.
enum Window : std::uint32_t { kNoWindow, kSharedWindow, kLocalWindow, kParamWindow };

std::uint64_t window_base(const Warp& warp, std::uint32_t window, int lane) {
  switch (window) {
    case kSharedWindow:
      return memory::kSharedBase;
    case kLocalWindow:
      return local_window(warp, lane);
    case kParamWindow:
      return memory::kParamBase;
    default:
      return 0;
  }
}

const Op* convert_address(Warp& warp, const Op* op, std::uint32_t lanes) {
  const bool is_generic_result = op->immediate != 0;
  const std::uint64_t* const from = warp.row64<std::uint64_t>(op->a);
  std::uint64_t* const to = warp.row64<std::uint64_t>(op->d);
  for_each_lane(lanes, [&](int lane) {
    const std::uint64_t base = window_base(warp, op->c, lane);
    to[lane] = is_generic_result ? from[lane] + base : from[lane] - base;
  });
  return op + 1;
}

// A 32-bit address of a variable in shared memory.
const Op* convert_address_32(Warp& warp, const Op* op, std::uint32_t lanes) {
  const std::uint32_t* const from = warp.row32<std::uint32_t>(op->a);
  std::uint64_t* const to = warp.row64<std::uint64_t>(op->d);
  for_each_lane(lanes, [&](int lane) { to[lane] = from[lane] + window_base(warp, op->c, lane); });
  return op + 1;
}

const Op* is_in_space(Warp& warp, const Op* op, std::uint32_t lanes) {
  const std::uint64_t* const address = warp.row64<std::uint64_t>(op->a);
  std::uint32_t found = 0;
  for_each_lane(lanes, [&](int lane) {
    bool is_in = false;
    switch (op->c) {
      case kSharedWindow:
        is_in = address[lane] - memory::kSharedBase <
                memory::kSharedWindowBytes * (memory::kMaxClusterSize + 1);
        break;
      case kLocalWindow:
        is_in = address[lane] - memory::kLocalBase < memory::kSharedBase - memory::kLocalBase;
        break;
      case kParamWindow:
        is_in = address[lane] - memory::kParamBase < memory::kLocalWindowBytes;
        break;
      default:
        is_in = memory::is_device(address[lane]);
    }
    found |= is_in ? 1U << lane : 0;
  });
  std::uint32_t& predicate = warp.predicate(op->d);
  predicate = (predicate & ~lanes) | found;
  return op + 1;
}

Scope scope_of(const Instruction& instruction) {
  if (instruction.has("cta")) return Scope::kBlock;
  if (instruction.has("cluster")) return Scope::kCluster;
  if (instruction.has("sys")) return Scope::kSystem;
  return Scope::kDevice;
}

const Op* fence(Warp& warp, const Op* op, std::uint32_t lanes) {
  for (Monitor* const monitor : warp.engine->monitors) {
    monitor->fence(warp, lanes, static_cast<Scope>(op->immediate));
  }
  return op + 1;
}

const Op* fence_async_proxy(Warp& warp, const Op* op, std::uint32_t lanes) {
  for (Monitor* const monitor : warp.engine->monitors) monitor->fence_async_proxy(warp, lanes);
  return op + 1;
}

// Time passes for the thread: the others run.
const Op* sleep(Warp& warp, const Op* op, std::uint32_t lanes) {
  if (lanes != warp.lanes) return op + 1;
  let_others_run(warp, op + 1, true);
  return nullptr;
}

// The address of the same variable in another block of the cluster: mapa.
template <class T>
const Op* map_address(Warp& warp, const Op* op, std::uint32_t lanes) {
  const bool is_generic = op->immediate != 0;
  T* const to = reinterpret_cast<T*>((sizeof(T) == 4 ? warp.r32 : warp.r64) + op->d);
  const T* const from = reinterpret_cast<const T*>((sizeof(T) == 4 ? warp.r32 : warp.r64) + op->a);
  const std::uint32_t* const rank = warp.row32<std::uint32_t>(op->b);
  const std::uint64_t base = is_generic ? memory::kSharedBase : 0;
  for_each_lane(lanes, [&](int lane) {
    const std::uint64_t offset = (from[lane] - base) % memory::kSharedWindowBytes;
    to[lane] = static_cast<T>(base + memory::kSharedWindowBytes * (rank[lane] + 1ULL) + offset);
  });
  return op + 1;
}

template <class T>
const Op* rank_of_address(Warp& warp, const Op* op, std::uint32_t lanes) {
  const T* const from = reinterpret_cast<const T*>((sizeof(T) == 4 ? warp.r32 : warp.r64) + op->a);
  std::uint32_t* const to = warp.row32<std::uint32_t>(op->d);
  const std::uint64_t base = op->immediate != 0 ? memory::kSharedBase : 0;
  for_each_lane(lanes, [&](int lane) {
    const std::uint64_t window = (from[lane] - base) / memory::kSharedWindowBytes;
    to[lane] = window == 0 ? own_cluster_rank(warp) : static_cast<std::uint32_t>(window - 1);
  });
  return op + 1;
}

std::uint32_t window_of(const Instruction& instruction) {
  for (const std::string_view word : instruction.words) {
    if (word.starts_with("shared")) return kSharedWindow;
    if (word == "local") return kLocalWindow;
    if (word.starts_with("param")) return kParamWindow;
  }
  return kNoWindow;
}

code::Handler clock_handler(Op& op, const Instruction& instruction) {
  const std::string_view name = instruction.operands.at(1).symbol;
  if (instruction.operands.at(1).slot.exists()) return nullptr;
  op.immediate = name.ends_with("_hi") ? 1 : 0;
  if (!name.starts_with("%clock") && !name.starts_with("%globaltimer")) return nullptr;
  return instruction.operands.at(0).slot.file == File::k64 ? read_clock<std::uint64_t>
                                                           : read_clock<std::uint32_t>;
}

}  // namespace

code::Handler move_handler(Op& op, const Instruction& instruction, code::Function&) {
  const std::string_view opcode = instruction.words.front();
  const auto& operands = instruction.operands;
  if (opcode == "mov" && operands.size() == 2 && operands.at(1).elements.empty()) {
    return clock_handler(op, instruction);
  }
  if (opcode == "cvta") {
    op.immediate = instruction.has("to") ? 0 : 1;
    op.c = window_of(instruction);
    if (operands.at(1).slot.file == File::k32) return convert_address_32;
    return convert_address;
  }
  if (opcode == "isspacep") {
    op.c = window_of(instruction);
    return is_in_space;
  }
  if (opcode == "membar" || opcode == "fence") {
    if (instruction.has("proxy") && instruction.has("async")) return fence_async_proxy;
    if (instruction.has("proxy") && !instruction.has("alias")) return no_operation;
    Scope scope = scope_of(instruction);
    if (opcode == "membar" && instruction.has("gl")) scope = Scope::kDevice;
    op.immediate = static_cast<std::int64_t>(scope);
    return fence;
  }
  if (opcode == "nanosleep") return sleep;
  if (opcode == "mapa") {
    op.immediate = window_of(instruction) == kSharedWindow ? 0 : 1;
    return operands.at(0).slot.file == File::k64 ? map_address<std::uint64_t>
                                                 : map_address<std::uint32_t>;
  }
  if (opcode == "getctarank") {
    op.immediate = window_of(instruction) == kSharedWindow ? 0 : 1;
    return operands.at(1).slot.file == File::k64 ? rank_of_address<std::uint64_t>
                                                 : rank_of_address<std::uint32_t>;
  }
  if (opcode == "pmevent" || opcode == "griddepcontrol" || opcode == "brkpt") return no_operation;
  return register_count_handler(op, instruction);
}

}  // namespace run
