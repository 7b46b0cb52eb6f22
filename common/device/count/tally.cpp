// SPDX-License-Identifier: MIT
#include "count/tally.h"

#include <algorithm>
#include <bit>

#include "memory/page.h"

namespace count {
namespace {

using run::Access;
using run::Space;

Role role_of(const code::Instruction& instruction) {
  if (instruction.words.empty()) return Role::kUsual;
  const std::string_view opcode = instruction.words.front();
  if (opcode == "activemask") return Role::kActiveMask;
  if (opcode == "mbarrier") {
    const bool arrives = instruction.has("arrive") || instruction.has("arrive_drop");
    return arrives ? Role::kArrival : Role::kBarrierObject;
  }
  if (opcode == "wgmma") return Role::kProduct;
  return opcode == "cp" && instruction.has("bulk") ? Role::kBulkCopy : Role::kUsual;
}

// What offsets count from.
struct Base {
  std::string name;
  std::uint64_t address = 0;
};

Base global_base(std::uint64_t address) {
  const memory::Allocation* const found = memory::find(address);
  if (found == nullptr || !found->contains(address)) return {"global memory", address};
  return {found->name, found->base};
}

Base shared_base(const run::Warp& warp, std::uint64_t offset) {
  const code::Function& kernel = *warp.block->launch->kernel;
  for (const code::SharedVariable& variable : kernel.shared) {
    if (offset - variable.offset < variable.size_bytes) return {variable.name, variable.offset};
  }
  if (offset >= kernel.dynamic_shared_offset) {
    return {"dynamic shared memory", kernel.dynamic_shared_offset};
  }
  return {"shared memory", 0};
}

// Keeps the costlier of two patterns of one line's space and access.
void add_pattern(std::vector<AccessPattern>& patterns, const AccessPattern& pattern) {
  const auto same = std::ranges::find_if(patterns, [&](const AccessPattern& other) {
    return other.space == pattern.space && other.access == pattern.access;
  });
  if (same == patterns.end()) {
    patterns.push_back(pattern);
  } else if (std::pair(same->has_all_lanes(), same->cost) <
             std::pair(pattern.has_all_lanes(), pattern.cost)) {
    *same = pattern;
  }
}

// Of two tallies of one name: a program's kernel, and the same kernel of the next program.
void merge(KernelCounters& sum, KernelCounters more) {
  sum.counters += more.counters;
  sum.grid = more.grid;
  sum.block = more.block;
  sum.static_shared_bytes = std::max(sum.static_shared_bytes, more.static_shared_bytes);
  sum.dynamic_shared_bytes = more.dynamic_shared_bytes;
  for (LineCounters& line : more.lines) {
    const auto same = std::ranges::find_if(sum.lines, [&](const LineCounters& other) {
      return other.file == line.file && other.line == line.line;
    });
    if (same == sum.lines.end()) {
      sum.lines.push_back(std::move(line));
      continue;
    }
    same->counters += line.counters;
    for (const AccessPattern& pattern : line.patterns) add_pattern(same->patterns, pattern);
  }
}

}  // namespace

RequestKind kind_of(const Access& access) {
  return {access.space == Space::kShared ? MemorySpace::kShared : MemorySpace::kGlobal,
          access.is_atomic ? AccessKind::kAtomic
          : access.writes  ? AccessKind::kWrite
                           : AccessKind::kRead};
}

Place::Place(const code::Instruction& at) : instruction(&at), role(role_of(at)) {}

void Place::replace_pattern(const run::Warp& warp, const Access& access, RequestKind kind,
                            std::uint32_t cost, std::uint32_t rank) {
  ranks[kind.index()] = rank;
  const std::uint64_t any =
      access.address[static_cast<std::size_t>(std::countr_zero(access.lanes))];
  const Base base = kind.space == MemorySpace::kShared ? shared_base(warp, any) : global_base(any);
  AccessPattern pattern = {kind.space, kind.access, access.size_bytes, base.name, {}, cost};
  for (std::uint32_t rest = access.lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(rest));
    pattern.offsets[lane] = static_cast<std::int64_t>(access.address[lane] - base.address);
  }
  const auto same = std::ranges::find_if(patterns, [&](const AccessPattern& other) {
    return other.space == kind.space && other.access == kind.access;
  });
  if (same == patterns.end()) {
    patterns.push_back(std::move(pattern));
  } else {
    *same = std::move(pattern);
  }
}

void KernelTally::begin_launch(const run::Launch& launch) {
  program = launch.program;
  places_.resize(program->num_instructions);
  totals.grid = launch.grid;
  totals.block = launch.block;
  totals.static_shared_bytes =
      std::max<std::uint64_t>(totals.static_shared_bytes, launch.kernel->shared_bytes);
  totals.dynamic_shared_bytes = launch.dynamic_shared_bytes;
  const std::uint64_t num_blocks = launch.grid.count();
  const std::uint64_t num_threads = launch.block.count();
  CounterSet& counters = totals.counters;
  counters[Counter::kLaunches] += 1;
  counters[Counter::kBlocks] += num_blocks;
  counters[Counter::kThreads] += num_blocks * num_threads;
  counters[Counter::kWarps] += num_blocks * ((num_threads + run::kWarpSize - 1) / run::kWarpSize);
}

void KernelTally::expose_range(const memory::HostPlace& at, std::uint64_t address,
                               std::uint64_t size_bytes) {
  const std::uint64_t end = address + size_bytes;
  while (address < end) {
    const std::uint64_t page = memory::page_below(address);
    const std::uint64_t next = std::min(end, page + memory::page_bytes());
    pages_[{&host_line(at), page}] += next - address;
    address = next;
  }
}

KernelCounters KernelTally::finish(const HasHostUsed& has_host_used) {
  for (const auto& [use, bytes] : pages_) {
    const auto [counters, page] = use;
    if (!has_host_used || has_host_used(page)) (*counters)[Counter::kHostBytes] += bytes;
  }
  std::map<std::pair<std::string, std::uint32_t>, LineCounters> lines;
  const auto line_at = [&](std::string file, std::uint32_t number) -> LineCounters& {
    LineCounters& line = lines[{file, number}];
    line.file = std::move(file);
    line.line = number;
    return line;
  };
  for (const auto& place : places_) {
    if (place == nullptr || place->counters == CounterSet{}) continue;
    const code::Program::Line where = program->line_of(*place->instruction);
    LineCounters& line = line_at(std::string(where.file), where.line);
    line.counters += place->counters;
    for (const AccessPattern& pattern : place->patterns) add_pattern(line.patterns, pattern);
  }
  for (const auto& [where, counters] : host_lines_) {
    if (counters != CounterSet{}) line_at(where.first, where.second).counters += counters;
  }
  KernelCounters result = std::move(totals);
  for (auto& [where, line] : lines) {
    result.counters += line.counters;
    result.lines.push_back(std::move(line));
  }
  return result;
}

KernelTally& Tallies::kernel(std::string_view name, const code::Program* program) {
  for (const auto& kernel : kernels_) {
    if (kernel->totals.name == name && kernel->program == program) return *kernel;
  }
  kernels_.push_back(std::make_unique<KernelTally>(name));
  return *kernels_.back();
}

std::vector<KernelCounters> Tallies::take(const HasHostUsed& has_host_used) {
  std::vector<KernelCounters> result;
  for (const auto& kernel : kernels_) {
    KernelCounters finished = kernel->finish(has_host_used);
    const auto same = std::ranges::find(result, finished.name, &KernelCounters::name);
    if (same == result.end()) {
      result.push_back(std::move(finished));
    } else {
      merge(*same, std::move(finished));
    }
  }
  kernels_.clear();
  return result;
}

}  // namespace count
