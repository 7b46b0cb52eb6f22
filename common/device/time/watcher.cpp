// SPDX-License-Identifier: MIT
#include "time/watcher.h"

#include <algorithm>
#include <bit>
#include <map>
#include <utility>

#include "count/request.h"

namespace timing {
namespace {

using run::Access;
using run::Space;
using run::Warp;

constexpr std::pair<Pipe, Feature> kFeatureOfPipe[] = {{Pipe::kFp32, Feature::kFp32},
                                                       {Pipe::kInteger, Feature::kInteger},
                                                       {Pipe::kFp64, Feature::kFp64},
                                                       {Pipe::kSpecial, Feature::kSpecial},
                                                       {Pipe::kExchange, Feature::kExchange},
                                                       {Pipe::kMemory, Feature::kMemory},
                                                       {Pipe::kAlu, Feature::kInteger},
                                                       {Pipe::kAlu, Feature::kAlu},
                                                       {Pipe::kAdu, Feature::kAdu}};

bool is_bulk_copy(const Access& access) {
  return access.is_async_proxy && access.instruction->has("bulk");
}

bool is_aligned(const Access& access, std::uint32_t bytes) {
  for (std::uint32_t lanes = access.lanes; lanes != 0; lanes &= lanes - 1) {
    if (access.address[std::size_t(std::countr_zero(lanes))] % bytes != 0) return false;
  }
  return true;
}

bool is_same(const run::Dim& a, const run::Dim& b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

}  // namespace

std::vector<Shape> Watcher::take() {
  std::vector<Shape> shapes;
  shapes.reserve(shapes_.size());
  for (const auto& shape : shapes_) shapes.push_back(std::move(*shape));
  shapes_.clear();
  shape_ = copies_ = nullptr;
  program_ = nullptr;
  traffic_.forget();
  return shapes;
}

// ---- launches and blocks

Shape& Watcher::shape_of(const run::Launch& launch) {
  const std::uint64_t shared = launch.kernel->shared_bytes + launch.dynamic_shared_bytes;
  for (const auto& shape : shapes_) {
    if (shape->kernel == launch.kernel->readable && is_same(shape->grid, launch.grid) &&
        is_same(shape->block, launch.block) && shape->shared_bytes == shared) {
      return *shape;
    }
  }
  shapes_.push_back(std::make_unique<Shape>(
      Shape{launch.kernel->readable, launch.grid, launch.block, shared, {}, {}}));
  return *shapes_.back();
}

void Watcher::launch_begins(run::Launch& launch) {
  shape_ = nullptr;
  if (!is_watching_) return;
  shape_ = &shape_of(launch);
  const std::uint64_t num_warps = (launch.block.count() + run::kWarpSize - 1) / run::kWarpSize;
  shape_->features[Feature::kLaunches] += 1;
  shape_->features[Feature::kBlocks] += launch.grid.count();
  shape_->features[Feature::kClusterBlocks] += std::max<std::uint64_t>(launch.cluster.count(), 1);
  shape_->features[Feature::kWarps] += launch.grid.count() * num_warps;
  traffic_.begin_launch(launch);
  longest_ = {};
  if (launch.program == program_) return;
  program_ = launch.program;
  regions_.clear();
  executed_.clear();
  executed_.resize(program_->num_instructions);
  joined_.assign(program_->num_instructions, {});
  waits_.assign(program_->num_instructions, {});
  used_.clear();
  awaited_.clear();
}

void Watcher::launch_ends(run::Launch& launch) {
  if (shape_ == nullptr) return;
  for (BlockState& block : states_) end_block(block);  // a fault may have ended the kernel
  traffic_.end_launch(shape_->features);
  shape_->features[Feature::kLongestCycles] += static_cast<std::uint64_t>(longest_.cycles);
  shape_->features[Feature::kLongestLoads] += static_cast<std::uint64_t>(longest_.loads);
  add_lines(*launch.program);
  shape_ = nullptr;
}

void Watcher::block_starts(run::Block& block) {
  if (shape_ == nullptr) return;
  if (states_.size() <= block.slot) states_.resize(block.slot + 1);
  BlockState& state = states_[block.slot];
  state.is_resident = true;
  state.warps.assign(block.warps.size(), {});
  state.work = {};
  state.begin = {};
  traffic_.start(state.traffic, block);
  state.arrivals = state.phase = {};
}

void Watcher::block_ends(run::Block& block) {
  if (shape_ != nullptr) end_block(states_[block.slot]);
}

void Watcher::end_block(BlockState& block) {
  if (!block.is_resident) return;
  block.is_resident = false;
  const Path path = join(block);
  shape_->features[Feature::kChainCycles] += static_cast<std::uint64_t>(path.cycles);
  shape_->features[Feature::kChainLoads] += static_cast<std::uint64_t>(path.loads);
  longest_ = longer(longest_, path);
  traffic_.end(shape_->features, block.traffic);
}

// ---- instructions

const Regions& Watcher::regions_of(const code::Function& function) {
  return regions_.try_emplace(&function, function).first->second;
}

Watcher::Executed& Watcher::executed(const Warp& warp, const code::Block& block) {
  const code::Function& function = *warp.part->frames.back().function;
  const std::uint32_t id = function.instructions[block.begin].id;
  std::unique_ptr<Executed>& known = executed_[id];
  if (known == nullptr) {
    known = std::make_unique<Executed>();
    const Regions& regions = regions_of(function);
    const std::uint32_t number = function.instructions[block.begin].block;
    known->is_first = !regions.blocks_of(number).empty();
    if (known->is_first) known->cost = cost_of(function, regions, number);
    for (const BlockCost::Wide& wide : known->cost.wide) {
      for (const code::Instruction* const load : wide.loads) {
        joined_[load->id] = {wide.loads.front()->id, wide.bytes};
      }
    }
    for (const code::Instruction* const at : known->cost.conditional_accesses) {
      joined_[at->id].is_conditional = true;
    }
  }
  return *known;
}

void Watcher::enters_block(Warp& warp, const code::Block& block, std::uint32_t /*lanes*/) {
  if (shape_ == nullptr) return;
  Executed& own = executed(warp, block);
  if (!own.is_first) return;
  if (own.times++ == 0) used_.push_back(&own);
  BlockState& state = states_[warp.block->slot];
  const WarpTime::Wait wait = state.warps[warp.id].execute(own.cost, state.work);
  add_wait(wait.instruction, wait.path);
}

void Watcher::add_wait(const code::Instruction* instruction, const Path& path) {
  if (instruction == nullptr || path == Path{}) return;
  Path& sum = waits_[instruction->id];
  if (sum == Path{}) awaited_.push_back(instruction);
  sum += path;
}

// The launch's instructions become features, and costs of the lines that they are of.
void Watcher::add_lines(const code::Program& program) {
  std::map<std::pair<std::string_view, std::uint32_t>, LineCost> lines;
  const auto line_of = [&](const code::Instruction& at) -> LineCost& {
    const code::Program::Line where = program.line_near(at);
    return lines[{where.file, where.line}];
  };
  for (Executed* const used : used_) {
    Executed& block = *used;
    for (const auto& [pipe, feature] : kFeatureOfPipe) {
      shape_->features[feature] += block.times * block.cost.slots[std::size_t(pipe)];
    }
    shape_->features[Feature::kIssued] += block.times * block.cost.issued;
    shape_->features[Feature::kSharedWavefronts] +=
        block.times * block.cost.conditional_accesses.size();
    for (const BlockCost::Part& part : block.cost.parts) {
      LineCost& line = line_of(*part.instruction);
      if (part.pipe == Pipe::kMemory && is_in_wide_load(*part.instruction)) {
        shape_->features[Feature::kMemory] -= block.times * part.slots;
        shape_->features[Feature::kIssued] -= block.times * part.slots;
      } else {
        line.issued += block.times * part.slots;
      }
      line.path += static_cast<std::int64_t>(block.times) * part.path;
    }
    block.times = 0;
  }
  used_.clear();
  for (const code::Instruction* const at : awaited_) {
    line_of(*at).path += std::exchange(waits_[at->id], {});
  }
  awaited_.clear();
  for (auto& [where, cost] : lines) {
    const auto same = std::ranges::find_if(shape_->lines, [&](const LineCost& line) {
      return line.file == where.first && line.line == where.second;
    });
    if (same == shape_->lines.end()) {
      shape_->lines.push_back({std::string(where.first), where.second, cost.issued, cost.path});
    } else {
      same->issued += cost.issued;
      same->path += cost.path;
    }
  }
}

void Watcher::multiplies(Warp& warp, const code::Instruction& instruction,
                         std::uint64_t multiply_adds) {
  if (shape_ == nullptr) return;
  const bool is_of_warpgroup = opcode_of(instruction) == "wgmma";
  const std::uint64_t products = in_products_of_16_bits(instruction, multiply_adds);
  shape_->features[is_of_warpgroup ? Feature::kWarpgroupTensor : Feature::kTensor] += products;
  if (!is_of_warpgroup) states_[warp.block->slot].work.add_multiply_adds(products);
}

// ---- where threads meet

void Watcher::meet(std::span<WarpTime* const> warps, const code::Instruction* instruction) {
  Path path;
  for (const WarpTime* const warp : warps) path = longer(path, warp->now());
  for (WarpTime* const warp : warps) add_wait(instruction, warp->wait_until(path));
}

// When all warps of a block have come to where they are: not before the multiprocessor has done
// what they asked of it since they met last.
Path Watcher::join(BlockState& block) {
  for (WarpTime& warp : block.warps) block.work.add_lead(warp.take_lead());
  Path path = block.begin + block.work.path();
  for (const WarpTime& warp : block.warps) path = longer(path, warp.now());
  block.work = {};
  block.begin = path;
  return path;
}

void Watcher::block_meets(run::Block& block, const code::Instruction& instruction) {
  if (shape_ == nullptr) return;
  shape_->features[Feature::kBarriers] += 1;
  BlockState& state = states_[block.slot];
  std::vector<WarpTime*> warps;
  for (WarpTime& warp : state.warps) warps.push_back(&warp);
  meet(warps, &instruction);
  const Path path = join(state);
  for (WarpTime& warp : state.warps) {
    warp.wait_until(path);
    warp.go_on(state.work);
  }
}

void Watcher::threads_meet(run::Block& block, std::span<const std::uint32_t> lanes_by_warp,
                           const code::Instruction& instruction, const void* /*barrier*/) {
  if (shape_ == nullptr) return;
  shape_->features[Feature::kBarriers] += 1;
  std::vector<WarpTime*> warps;
  for (std::size_t w = 0; w < lanes_by_warp.size(); ++w) {
    if (lanes_by_warp[w] != 0) warps.push_back(&states_[block.slot].warps[w]);
  }
  meet(warps, &instruction);
  for (WarpTime* const warp : warps) warp->go_on(states_[block.slot].work);
}

void Watcher::grid_meets(run::Launch& /*launch*/) {
  if (shape_ == nullptr) return;
  std::vector<WarpTime*> warps;
  for (BlockState& block : states_) {
    if (!block.is_resident) continue;
    shape_->features[Feature::kBarriers] += 1;
    for (WarpTime& warp : block.warps) warps.push_back(&warp);
  }
  meet(warps, nullptr);
}

void Watcher::cluster_meets(std::span<run::Block* const> blocks) {
  if (shape_ == nullptr) return;
  std::vector<WarpTime*> warps;
  for (const run::Block* const block : blocks) {
    shape_->features[Feature::kBarriers] += 1;
    for (WarpTime& warp : states_[block->slot].warps) warps.push_back(&warp);
  }
  meet(warps, nullptr);
}

// Barrier objects of a block are not told apart: a warp that waits for one may wait for another's
// arrivals, too.
void Watcher::phase_completes(run::Block& block, const code::Instruction& /*instruction*/,
                              std::uint32_t /*expected*/, const void* /*barrier*/) {
  if (shape_ == nullptr) return;
  BlockState& own = states_[block.slot];
  own.phase = longer(own.phase, own.arrivals);
}

void Watcher::releases(Warp& warp, std::uint32_t /*lanes*/, run::Scope /*scope*/,
                       const void* /*barrier*/) {
  if (shape_ == nullptr) return;
  BlockState& own = states_[warp.block->slot];
  own.arrivals = longer(own.arrivals, own.warps[warp.id].now());
}

void Watcher::acquires(Warp& warp, std::uint32_t /*lanes*/, run::Scope /*scope*/,
                       const void* /*barrier*/) {
  if (shape_ == nullptr) return;
  BlockState& own = states_[warp.block->slot];
  own.warps[warp.id].wait_until(own.phase);
}

void Watcher::copies_committed(Warp& warp, std::uint32_t /*lanes*/) {
  if (shape_ == nullptr) return;
  BlockState& block = states_[warp.block->slot];
  block.warps[warp.id].commit_copies(block.work);
}

void Watcher::copies_waited(Warp& warp, std::uint32_t /*lanes*/, std::uint32_t num_left) {
  if (shape_ == nullptr) return;
  BlockState& block = states_[warp.block->slot];
  block.warps[warp.id].wait_for_copies(num_left, block.work);
}

// ---- memory

bool Watcher::is_in_wide_load(const code::Instruction& at) const {
  const Joined& joined = joined_[at.id];
  return joined.bytes != 0 && joined.first != at.id && joined_[joined.first].bytes != 0;
}

std::uint64_t Watcher::shared_wavefronts(const Access& access) {
  if (is_in_wide_load(*access.instruction)) return 0;
  const std::uint64_t counted = joined_[access.instruction->id].is_conditional ? 1 : 0;
  return wavefronts_of(access) - counted;  // the region's
}

std::uint64_t Watcher::wavefronts_of(const Access& access) {
  Joined& joined = joined_[access.instruction->id];
  if (joined.bytes != 0 && joined.first == access.instruction->id) {
    if (is_aligned(access, joined.bytes)) {
      Access wide = access;
      wide.size_bytes = joined.bytes;
      if (wide.pattern == run::Pattern::kContiguous) wide.pattern = run::Pattern::kOther;
      return static_cast<std::uint64_t>(count::wavefronts_of(wide).total);
    }
    joined.bytes = 0;  // so ptxas does not know that the address is a multiple, either
  }
  const auto total = static_cast<std::uint64_t>(count::wavefronts_of(access).total);
  if (!access.is_atomic) return total;
  // Lanes at one word come one by one.
  return std::max(total, static_cast<std::uint64_t>(count::largest_multiplicity(access)));
}

void Watcher::access(Warp& warp, Access& access) {
  if (shape_ == nullptr || access.lanes == 0) return;
  // How wgmma reads shared memory is not documented; its rate includes that.
  if (opcode_of(*access.instruction) == "wgmma") return;
  BlockState& block = states_[warp.block->slot];
  if (access.space == Space::kShared) {
    // What is copied asynchronously has a way of its own into shared memory.
    const std::uint64_t wavefronts = access.is_async ? 0 : shared_wavefronts(access);
    shape_->features[Feature::kSharedWavefronts] += wavefronts;
    block.work.add_wavefronts(wavefronts);
    if (access.remote != nullptr) {
      shape_->features[Feature::kRemotePackets] += static_cast<std::uint64_t>(
          access.is_atomic ? std::popcount(access.lanes) : count::sectors_of(access));
    }
  }
  if (access.space != Space::kGlobal) return;
  if (access.is_async) block.warps[warp.id].copy();
  const std::uint64_t wavefronts =
      traffic_.access(shape_->features, block.traffic, warp.id, block.warps[warp.id].now(), access);
  block.work.add_wavefronts(wavefronts);
  if (is_bulk_copy(access)) {
    block.arrivals = longer(block.arrivals, block.warps[warp.id].now() + Path{0, 1});
  }
}

void Watcher::touches_local(Warp& warp, const Access& access) {
  if (shape_ == nullptr) return;
  if (!regions_of(*warp.part->frames.back().function).has_local_memory()) return;
  traffic_.touch_local(shape_->features, access);
}

void Watcher::begin_copy(const char* name) {
  copies_ = nullptr;
  if (!is_watching_) return;
  auto found = std::ranges::find_if(shapes_, [&](const auto& own) { return own->kernel == name; });
  if (found == shapes_.end()) {
    shapes_.push_back(std::make_unique<Shape>(Shape{name, {0, 0, 0}, {0, 0, 0}, 0, {}, {}}));
    found = shapes_.end() - 1;
  }
  copies_ = found->get();
  copies_->features[Feature::kLaunches] += 1;
}

void Watcher::copy_row(std::uint64_t to, std::uint64_t from, std::uint64_t size_bytes) {
  if (copies_ == nullptr || size_bytes == 0) return;
  traffic_.copy(copies_->features, to, from, size_bytes);
}

}  // namespace timing
