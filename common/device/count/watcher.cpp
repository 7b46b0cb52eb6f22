// SPDX-License-Identifier: MIT
#include "count/watcher.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>

#include "count/request.h"
#include "memory/book.h"
#include "run/machine.h"

namespace count {
namespace {

using run::Access;
using run::Space;

constexpr std::size_t kWordBytes = 4;
// Of a launch's arguments: pointers, sizes and options take less, tables take more.
constexpr std::size_t kUsualArgumentBytes = 256;
// A block that a device's compiler makes conditional instead of a branch.
constexpr std::uint32_t kMaxPredicatedOps = 8;

constexpr std::array<const char*, kNumCounters> kNames = {
#define DEVICE_COUNTER(constant, name) name,
#include "count/counters.inc"
};

void raise(std::uint64_t& most, std::uint64_t amount) { most = std::max(most, amount); }

template <class Visit>
void for_each_lane(std::uint32_t lanes, Visit visit) {
  for (; lanes != 0; lanes &= lanes - 1) visit(static_cast<std::size_t>(std::countr_zero(lanes)));
}

int kind_of(const Access& access) { return access.is_atomic ? 2 : access.writes ? 1 : 0; }

// Counters of a space and a kind of access come in groups of four.
Counter first_counter(const Access& access) {
  const bool is_shared = access.space == Space::kShared;
  if (access.is_atomic) {
    return is_shared ? Counter::kSharedAtomicRequests : Counter::kGlobalAtomicRequests;
  }
  if (access.writes) {
    return is_shared ? Counter::kSharedWriteRequests : Counter::kGlobalWriteRequests;
  }
  return is_shared ? Counter::kSharedReadRequests : Counter::kGlobalReadRequests;
}

bool touches_memory(const code::Instruction& instruction) {
  const std::string_view opcode = instruction.words.front();
  return opcode == "ld" || opcode == "st" || opcode == "atom" || opcode == "red" ||
         opcode == "cp" || opcode == "bar" || opcode == "barrier" || opcode == "call" ||
         opcode == "shfl" || opcode == "vote" || opcode == "match" || opcode == "redux";
}

// A side of a branch that the sides' meeting point follows at once.
bool is_short(const code::Function& function, std::uint32_t block, std::uint32_t meeting) {
  if (block == meeting) return true;
  const code::Block& side = function.blocks[block];
  if (side.successors.size() != 1 || side.successors.front() != meeting) return false;
  if (side.end - side.begin > kMaxPredicatedOps) return false;
  for (std::uint32_t i = side.begin; i < side.end; ++i) {
    if (touches_memory(function.instructions[i])) return false;
  }
  return true;
}

}  // namespace

const char* name_of(Counter counter) { return kNames[std::size_t(counter)]; }

Watcher::Kernel& Watcher::kernel(std::string_view name) {
  for (const auto& kernel : kernels_) {
    if (kernel->totals.name == name) return *kernel;
  }
  kernels_.push_back(std::make_unique<Kernel>());
  kernels_.back()->totals.name = name;
  return *kernels_.back();
}

Watcher::Tally& Watcher::tally(const code::Instruction& instruction) {
  Tally*& cached = cache_[instruction.id];
  if (cached == nullptr) {
    cached = &current_->tallies[instruction.id];
    cached->instruction = &instruction;
  }
  return *cached;
}

void Watcher::launch_begins(run::Launch& launch) {
  if (!is_counting_) return;
  current_ = &kernel(launch.kernel->readable);
  current_->program = launch.program;
  cache_.assign(launch.program->num_instructions, nullptr);
  most_sectors_ = most_passes_ = 0;
  exposed_words_.clear();
  publications_.begin_launch();
  wire::KernelCounters& totals = current_->totals;
  totals.grid = {launch.grid.x, launch.grid.y, launch.grid.z};
  totals.block = {launch.block.x, launch.block.y, launch.block.z};
  totals.static_shared_bytes = launch.kernel->shared_bytes;
  totals.dynamic_shared_bytes = launch.dynamic_shared_bytes;
  CounterSet& counters = current_->counters;
  const std::uint64_t num_blocks = launch.grid.count();
  const std::uint64_t num_threads = launch.block.count();
  counters[Counter::kLaunches] += 1;
  counters[Counter::kBlocks] += num_blocks;
  counters[Counter::kThreads] += num_blocks * num_threads;
  counters[Counter::kWarps] += num_blocks * ((num_threads + run::kWarpSize - 1) / run::kWarpSize);
  if (launch.kernel->parameter_bytes > kUsualArgumentBytes) {
    current_->host_lines[{launch.host_file, launch.host_line}][Counter::kHostBytes] +=
        launch.kernel->parameter_bytes;
  }
}

void Watcher::launch_ends(run::Launch&) {
  if (current_ == nullptr) return;
  for (BlockState& block : blocks_) {  // of a kernel that was ended
    if (block.is_resident) raise(most_sectors_, block.num_sectors);
    block.is_resident = false;
  }
  current_->counters[Counter::kBusiestBlocksSectors] += most_sectors_;
  current_->counters[Counter::kBusiestWarpsPasses] += most_passes_;
  current_ = nullptr;
}

void Watcher::block_starts(run::Block& block) {
  if (current_ == nullptr) return;
  if (blocks_.size() <= block.slot) blocks_.resize(block.slot + 1);
  BlockState& fresh = state(block);
  fresh = {};
  fresh.is_resident = true;
  fresh.warps.resize(block.warps.size());
  for (WarpState& warp : fresh.warps) {
    for (Chain& chain : warp.chains) chain.started_after = publications_.num_made();
  }
}

void Watcher::block_ends(run::Block& block) {
  if (current_ == nullptr) return;
  BlockState& ended = state(block);
  ended.is_resident = false;
  raise(most_sectors_, ended.num_sectors);
  for (const WarpState& warp : ended.warps) raise(most_passes_, warp.num_passes);
}

int Watcher::count_request(run::Warp& warp, Tally& here, const Access& access) {
  CounterSet& counters = here.counters;
  const Counter first = first_counter(access);
  const auto num_lanes = static_cast<std::uint64_t>(std::popcount(access.lanes));
  const bool is_shared = access.space == Space::kShared;
  counters[first] += 1;
  if (access.is_atomic) {
    const int same_address = largest_multiplicity(access);
    counters[first + 1] += num_lanes;
    raise(counters[first + 2], static_cast<std::uint64_t>(same_address));
    BlockState& block = state(*warp.block);
    block.num_atomics += num_lanes;
    raise(counters[Counter::kAtomicsMaxPerBlock], block.num_atomics);
    if (!is_shared) {
      const int sectors = sectors_of(access);
      counters[first + 3] += static_cast<std::uint64_t>(sectors);
      return sectors;
    }
    const Wavefronts wavefronts = wavefronts_of(access);
    const int passes = std::max(same_address, wavefronts.total);
    counters[first + 3] += static_cast<std::uint64_t>(passes - wavefronts.ideal);
    return passes;
  }
  counters[first + 3] += num_lanes;
  if (!is_shared) {
    const int sectors = sectors_of(access);
    counters[first + 1] += static_cast<std::uint64_t>(sectors);
    counters[first + 2] += num_lanes * access.size_bytes;
    return sectors;
  }
  const Wavefronts wavefronts = wavefronts_of(access);
  counters[first + 1] += static_cast<std::uint64_t>(wavefronts.total);
  counters[first + 2] += static_cast<std::uint64_t>(wavefronts.total - wavefronts.ideal);
  return wavefronts.total;
}

void Watcher::access(run::Warp& warp, Access& access) {
  if (current_ == nullptr || access.lanes == 0) return;
  if (access.space != Space::kGlobal && access.space != Space::kShared &&
      access.space != Space::kConst) {
    return;
  }
  if (access.space == Space::kConst && access.pattern == run::Pattern::kUniform) return;
  Tally& here = tally(*access.instruction);
  WarpState& own = state(warp);
  if (access.is_async && access.reads) own.reading = access.lanes;
  const int cost = count_request(warp, here, access);
  keep_pattern(warp, here, access, cost);
  const bool is_shared = access.space == Space::kShared;
  const bool looks = access.order != run::Order::kWeak || access.bypasses_cache;
  const bool polls = looks && access.reads && !access.writes && !is_shared;
  const std::uint64_t polls_before = own.num_polls;
  if (polls) count_poll(warp, here, access);
  // How often a warp asks again until a word has changed depends on the order of execution.
  if (!polls || own.num_polls != polls_before)
    own.num_passes += static_cast<std::uint64_t>(passes_of(access));
  if (is_shared) return;
  state(*warp.block).num_sectors += static_cast<std::uint64_t>(cost);
  count_exposed(here, access);
  if (polls) {
    for_each_lane(access.lanes, [&](std::size_t lane) {
      publications_.read(access.address[lane], own.chains[lane]);
    });
  }
  if (access.is_atomic) {
    for_each_lane(access.lanes, [&](std::size_t lane) {
      std::memcpy(&old_values_[lane], reinterpret_cast<const void*>(access.address[lane]),
                  std::min<std::size_t>(access.element_bytes, sizeof old_values_[lane]));
    });
  }
}

void Watcher::wrote(run::Warp& warp, const Access& access) {
  if (current_ == nullptr || access.space != Space::kGlobal || access.lanes == 0) return;
  const bool publishes =
      access.is_atomic || access.order != run::Order::kWeak || access.bypasses_cache;
  if (publishes) publish(warp, tally(*access.instruction), access);
}

void Watcher::publish(run::Warp& warp, Tally& here, const Access& access) {
  WarpState& own = state(warp);
  std::uint64_t& most = here.counters[Counter::kPublicationsMaxChain];
  for_each_lane(access.lanes, [&](std::size_t lane) {
    const std::uint64_t address = access.address[lane];
    if (!access.is_atomic) return raise(most, publications_.publish(address, own.chains[lane]));
    std::uint64_t now = old_values_[lane];
    std::memcpy(&now, reinterpret_cast<const void*>(address),
                std::min<std::size_t>(access.element_bytes, sizeof now));
    if (now != old_values_[lane]) {
      raise(most, publications_.update(address, own.chains[lane]));
    } else {
      publications_.read(address, own.chains[lane]);
    }
  });
}

void Watcher::count_poll(run::Warp& warp, Tally& here, const Access& access) {
  WarpState& own = state(warp);
  bool is_repeated = true;
  for_each_lane(access.lanes, [&](std::size_t lane) {
    is_repeated &= std::ranges::find(own.polled, access.address[lane]) != own.polled.end();
  });
  if (is_repeated) return;  // it waits, perhaps for fewer of the words
  own.polled.clear();
  for_each_lane(access.lanes,
                [&](std::size_t lane) { own.polled.push_back(access.address[lane]); });
  raise(here.counters[Counter::kPollsMaxPerWarp], ++own.num_polls);
}

// Memory that the host uses without a copy, and variables. Their words count once in a launch.
void Watcher::count_exposed(Tally& here, const Access& access) {
  using Kind = memory::Allocation::Kind;
  const auto first = static_cast<std::size_t>(std::countr_zero(access.lanes));
  const memory::Allocation* const found = memory::find(access.address[first]);
  if (found == nullptr) return;
  const bool is_hosts = found->kind == Kind::kManaged || found->kind == Kind::kPinnedHost;
  const bool is_variable = found->kind == Kind::kSymbol && access.writes;
  if (!is_hosts && !is_variable) return;
  std::uint64_t& bytes = here.counters[is_hosts ? Counter::kHostBytes : Counter::kVariableBytes];
  for_each_lane(access.lanes, [&](std::size_t lane) {
    const std::uint64_t end = access.address[lane] + access.size_bytes;
    for (std::uint64_t word = access.address[lane] / kWordBytes; word * kWordBytes < end; ++word) {
      if (exposed_words_.insert(word).second) bytes += kWordBytes;
    }
  });
}

void Watcher::keep_pattern(const run::Warp& warp, Tally& here, const Access& access, int cost) {
  const bool is_shared = access.space == Space::kShared;
  wire::Pattern& kept =
      here.patterns[static_cast<std::size_t>((is_shared ? 3 : 0) + kind_of(access))];
  const auto rank = std::pair(access.lanes == ~0U, static_cast<std::uint32_t>(cost));
  if (rank <= std::pair(kept.lanes == ~0U, kept.cost)) return;
  const auto first = static_cast<std::size_t>(std::countr_zero(access.lanes));
  const std::uint64_t any = access.address[first];
  std::uint64_t base = any;
  if (is_shared) {
    kept.base = "shared memory";
    const code::Function& kernel = *warp.block->launch->kernel;
    base = 0;
    if (any >= kernel.dynamic_shared_offset) {
      kept.base = "dynamic shared memory";
      base = kernel.dynamic_shared_offset;
    }
    for (const code::SharedVariable& variable : kernel.shared) {
      if (any - variable.offset >= variable.size_bytes) continue;
      kept.base = variable.name;
      base = variable.offset;
    }
  } else {
    const memory::Allocation* const found = memory::find(any);
    kept.base = found == nullptr ? "a __device__ variable" : found->name;
    if (found != nullptr) base = found->base;
  }
  kept.space = is_shared ? wire::Space::kShared : wire::Space::kGlobal;
  kept.access = static_cast<wire::Access>(kind_of(access));
  kept.size_bytes = access.size_bytes;
  kept.cost = static_cast<std::uint32_t>(cost);
  kept.lanes = access.lanes;
  kept.offsets = {};
  for_each_lane(access.lanes, [&](std::size_t lane) {
    kept.offsets[lane] = static_cast<std::int64_t>(access.address[lane] - base);
  });
}

void Watcher::count_barrier(run::Block& block, const code::Instruction& instruction) {
  CounterSet& counters = tally(instruction).counters;
  counters[Counter::kBarriers] += 1;
  raise(counters[Counter::kBarriersMaxPerBlock], ++state(block).num_barriers);
}

void Watcher::block_meets(run::Block& block, const code::Instruction& instruction) {
  if (current_ == nullptr) return;
  count_barrier(block, instruction);
  BlockState& own = state(block);
  std::uint64_t longest = 0;
  for (const WarpState& warp : own.warps) {
    for (const Chain& chain : warp.chains) raise(longest, chain.length);
  }
  for (WarpState& warp : own.warps) {
    for (Chain& chain : warp.chains) chain.length = longest;
  }
}

void Watcher::threads_meet(run::Block& block, std::span<const std::uint32_t> lanes_by_warp,
                           const code::Instruction& instruction) {
  if (current_ == nullptr) return;
  count_barrier(block, instruction);
  BlockState& own = state(block);
  std::uint64_t longest = 0;
  const auto for_each_chain = [&](auto visit) {
    for (std::size_t w = 0; w < own.warps.size() && w < lanes_by_warp.size(); ++w) {
      for_each_lane(lanes_by_warp[w], [&](std::size_t lane) { visit(own.warps[w].chains[lane]); });
    }
  };
  for_each_chain([&](const Chain& chain) { raise(longest, chain.length); });
  for_each_chain([&](Chain& chain) { chain.length = longest; });
}

void Watcher::arrives_at_barrier(run::Warp& warp, std::uint32_t,
                                 const code::Instruction& instruction) {
  if (current_ != nullptr) state(*warp.block).last_barrier = &instruction;
}

void Watcher::grid_meets(run::Launch&) {
  if (current_ == nullptr) return;
  for (BlockState& block : blocks_) {
    if (!block.is_resident || block.last_barrier == nullptr) continue;
    CounterSet& counters = tally(*block.last_barrier).counters;
    counters[Counter::kBarriers] += 1;
    raise(counters[Counter::kBarriersMaxPerBlock], ++block.num_barriers);
  }
}

void Watcher::phase_completes(run::Block& block, const code::Instruction& instruction,
                              std::uint32_t expected) {
  if (current_ == nullptr) return;
  if (expected > run::kWarpSize || expected == block.num_threads) count_barrier(block, instruction);
}

void Watcher::copy_begins(run::Warp& warp, const Access& destination) {
  if (current_ == nullptr) return;
  WarpState& own = state(warp);
  Tally& here = tally(*destination.instruction);
  here.counters[Counter::kCopiesToShared] += static_cast<std::uint64_t>(std::popcount(own.reading));
  for_each_lane(own.reading, [&](std::size_t lane) {
    own.copies.push_back(
        {static_cast<std::uint8_t>(lane), own.batches[lane], destination.instruction->id, false});
  });
  own.reading = 0;
}

void Watcher::copies_committed(run::Warp& warp, std::uint32_t lanes) {
  if (current_ == nullptr) return;
  for_each_lane(lanes, [&](std::size_t lane) { ++state(warp).batches[lane]; });
}

void Watcher::copies_waited(run::Warp& warp, std::uint32_t lanes, std::uint32_t num_left) {
  if (current_ == nullptr) return;
  WarpState& own = state(warp);
  std::erase_if(own.copies, [&](WarpState::Copy& copy) {
    if ((lanes >> copy.lane & 1) == 0) return false;
    const std::uint32_t batches = own.batches[copy.lane];
    if (copy.batch + num_left < batches) return true;  // it has arrived
    if (copy.batch < batches && !copy.was_left) {
      copy.was_left = true;
      current_->tallies[copy.instruction].counters[Counter::kCopiesOutlastingWaits] += 1;
    }
    return false;
  });
}

void Watcher::enters_block(run::Warp& warp, const code::Block& block, std::uint32_t lanes) {
  if (current_ == nullptr) return;
  const code::Function& function = *warp.part->frames.back().function;
  CounterSet& counters = tally(function.instructions[block.begin]).counters;
  counters[Counter::kBasicBlocks] += 1;
  counters[Counter::kActiveLanes] += static_cast<std::uint64_t>(std::popcount(lanes));
}

void Watcher::diverges(run::Warp& warp, const code::Instruction& instruction, std::uint32_t,
                       std::uint32_t) {
  if (current_ == nullptr) return;
  const code::Function& function = *warp.part->frames.back().function;
  const code::Block& block = function.blocks[instruction.block];
  const std::uint32_t meeting = block.post_dominator;
  bool is_predicated = meeting != code::Block::kNone;
  for (const std::uint32_t side : block.successors) {
    is_predicated = is_predicated && is_short(function, side, meeting);
  }
  if (!is_predicated) tally(instruction).counters[Counter::kDivergentBranches] += 1;
}

void Watcher::warp_operation(run::Warp& warp, std::uint32_t lanes,
                             const code::Instruction& instruction) {
  if (current_ == nullptr) return;
  WarpState& own = state(warp);
  std::uint64_t longest = 0;
  for_each_lane(lanes, [&](std::size_t lane) { raise(longest, own.chains[lane].length); });
  for_each_lane(lanes, [&](std::size_t lane) { own.chains[lane].length = longest; });
  if (instruction.words.front() == "activemask") return;
  tally(instruction).counters[Counter::kWarpOperations] += 1;
  own.num_passes += 1;
}

void Watcher::copy(std::string_view file, std::uint32_t line, std::uint64_t to, std::uint64_t from,
                   std::uint64_t size_bytes) {
  if (!is_counting_ || size_bytes == 0) return;
  CounterSet& here = kernel("cudaMemcpy").host_lines[{std::string(file), line}];
  const auto count_row = [&](Counter first, std::uint64_t address) {
    if (address == 0) return;
    const std::uint64_t num_lanes = (size_bytes + kWordBytes - 1) / kWordBytes;
    here[first] += (num_lanes + run::kWarpSize - 1) / run::kWarpSize;
    here[first + 1] += (address + size_bytes - 1) / kSectorBytes - address / kSectorBytes + 1;
    here[first + 2] += size_bytes;
    here[first + 3] += num_lanes;
  };
  count_row(Counter::kGlobalReadRequests, from);
  count_row(Counter::kGlobalWriteRequests, to);
  const auto is_hosts = [](std::uint64_t address) {
    if (address == 0) return true;
    const memory::Allocation* const found = memory::find(address);
    return found != nullptr && found->is_hosts_too();
  };
  if (is_hosts(to) || is_hosts(from)) here[Counter::kHostBytes] += size_bytes;
}

namespace {

constexpr bool is_maximum(Counter counter) {
  switch (counter) {
    case Counter::kGlobalAtomicMaxSameAddress:
    case Counter::kSharedAtomicMaxSameAddress:
    case Counter::kAtomicsMaxPerBlock:
    case Counter::kPollsMaxPerWarp:
    case Counter::kPublicationsMaxChain:
    case Counter::kBarriersMaxPerBlock:
      return true;
    default:
      return false;
  }
}

void add(CounterSet& sum, const CounterSet& more) {
  for (std::size_t i = 0; i < kNumCounters; ++i) {
    const auto counter = static_cast<Counter>(i);
    if (is_maximum(counter)) {
      raise(sum[counter], more[counter]);
    } else {
      sum[counter] += more[counter];
    }
  }
}

wire::Counters to_wire(const CounterSet& counters) {
  wire::Counters values;
  for (std::size_t i = 0; i < kNumCounters; ++i) {
    const auto counter = static_cast<Counter>(i);
    if (counters[counter] != 0) values[name_of(counter)] = counters[counter];
  }
  return values;
}

void add_pattern(std::vector<wire::Pattern>& patterns, const wire::Pattern& pattern) {
  const auto same = std::ranges::find_if(patterns, [&](const wire::Pattern& other) {
    return other.space == pattern.space && other.access == pattern.access;
  });
  const auto rank = [](const wire::Pattern& p) { return std::pair(p.lanes == ~0U, p.cost); };
  if (same == patterns.end()) {
    patterns.push_back(pattern);
  } else if (rank(*same) < rank(pattern)) {
    *same = pattern;
  }
}

wire::Occupancy occupancy(std::uint64_t threads, std::uint64_t shared_bytes) {
  constexpr std::uint64_t kMaxWarps = 64;
  constexpr std::uint64_t kMaxBlocks = 32;
  const std::uint64_t warps = std::max<std::uint64_t>(1, (threads + 31) / 32);
  const std::uint64_t by_warps = kMaxWarps / warps;
  const std::uint64_t by_shared = (std::uint64_t{228} << 10) / (shared_bytes + 1024);
  const std::uint64_t blocks = std::min({by_warps, by_shared, kMaxBlocks});
  wire::Occupancy result;
  result.blocks = static_cast<std::uint32_t>(blocks);
  result.warps = static_cast<std::uint32_t>(blocks * warps);
  result.of_warps = kMaxWarps;
  result.limiter = blocks == by_warps     ? "threads"
                   : blocks == kMaxBlocks ? "blocks"
                                          : "shared memory";
  return result;
}

}  // namespace

wire::KernelCounters Watcher::finish(const Kernel& kernel) {
  struct Line {
    CounterSet counters;
    std::vector<wire::Pattern> patterns;
  };
  std::map<std::pair<std::string, std::uint32_t>, Line> lines;
  const std::map<std::uint32_t, const Tally*> ordered = [&] {
    std::map<std::uint32_t, const Tally*> all;
    for (const auto& [id, tally] : kernel.tallies) all[id] = &tally;
    return all;
  }();
  for (const auto& [id, tally] : ordered) {
    CounterSet counters = tally->counters;
    const std::uint32_t place = tally->instruction == nullptr ? 0 : tally->instruction->place;
    // Where no student wrote a branch, a device needs none either: minima, bounds of shuffles.
    const std::uint32_t file = kernel.program->module.places[place].file;
    if (kernel.program->files[file].owner == code::SourceFile::Owner::kLibrary) {
      counters[Counter::kDivergentBranches] = 0;
    }
    const code::Program::Line where = kernel.program->line_of(place);
    Line& line = lines[{std::string(where.file), where.line}];
    add(line.counters, counters);
    for (const wire::Pattern& pattern : tally->patterns) {
      if (pattern.lanes != 0) add_pattern(line.patterns, pattern);
    }
  }
  for (const auto& [where, counters] : kernel.host_lines) add(lines[where].counters, counters);
  wire::KernelCounters result = kernel.totals;
  CounterSet sum = kernel.counters;
  for (const auto& [where, line] : lines) {
    add(sum, line.counters);
    const wire::Counters values = to_wire(line.counters);
    if (values.empty()) continue;
    result.lines.push_back(
        {where.first, static_cast<std::int32_t>(where.second), values, line.patterns});
  }
  result.counters = to_wire(sum);
  const std::uint64_t threads = std::uint64_t{result.block[0]} * result.block[1] * result.block[2];
  result.occupancy = occupancy(threads, result.static_shared_bytes + result.dynamic_shared_bytes);
  return result;
}

std::vector<wire::KernelCounters> Watcher::take() {
  std::vector<wire::KernelCounters> result;
  for (const auto& kernel : kernels_) result.push_back(finish(*kernel));
  kernels_.clear();
  wire::fold(result);
  return result;
}

}  // namespace count
