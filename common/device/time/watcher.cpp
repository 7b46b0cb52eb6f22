// SPDX-License-Identifier: MIT
#include "time/watcher.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <utility>

#include "count/counters.h"
#include "count/request.h"

namespace timing {
namespace {

using run::Access;
using run::Space;
using run::Warp;

constexpr std::uint64_t kSectorBytes = 32;
// Of a multiprocessor since compute capability 9.0: shared memory and the first cache together.
constexpr std::uint64_t kFirstCacheBytes = 256 * 1024;
constexpr std::uint64_t kMostWords = 1 << 22;  // that are told apart, so that memory has a bound

std::uint64_t cache_sectors(const run::Launch& launch) {
  const std::uint64_t shared = launch.kernel->shared_bytes + launch.dynamic_shared_bytes;
  const std::uint64_t held =
      std::max<std::uint64_t>(count::occupancy(launch.block.count(), shared).blocks, 1);
  const std::uint64_t used = std::min(held * shared, kFirstCacheBytes * 7 / 8);
  return (kFirstCacheBytes - used) / held / kSectorBytes;
}

// Products of 16 bits are the unit: what a tensor core does of others in the same time.
std::uint64_t in_products_of_16_bits(const code::Instruction& at, std::uint64_t multiply_adds) {
  if (at.has("tf32")) return 2 * multiply_adds;
  const bool has_8_bits = at.has("e4m3") || at.has("e5m2") || at.has("s8") || at.has("u8");
  return has_8_bits ? multiply_adds / 2 : multiply_adds;
}

constexpr std::pair<Pipe, Feature> kFeatureOfPipe[] = {
    {Pipe::kFp32, Feature::kFp32},         {Pipe::kInteger, Feature::kInteger},
    {Pipe::kFp64, Feature::kFp64},         {Pipe::kSpecial, Feature::kSpecial},
    {Pipe::kExchange, Feature::kExchange}, {Pipe::kMemory, Feature::kMemory}};

}  // namespace

const char* name_of(Feature feature) {
  static constexpr const char* kNames[] = {
#define DEVICE_FEATURE(constant, name) name,
#include "time/features.inc"
  };
  return kNames[std::size_t(feature)];
}

std::vector<Shape> Watcher::take() {
  shape_ = nullptr;
  costs_.clear();
  return std::exchange(shapes_, {});
}

// ---- launches and blocks

void Watcher::launch_begins(run::Launch& launch) {
  shape_ = nullptr;
  if (!is_watching_) return;
  const std::uint64_t shared = launch.kernel->shared_bytes + launch.dynamic_shared_bytes;
  const auto is_same = [](const run::Dim& a, const run::Dim& b) {
    return a.x == b.x && a.y == b.y && a.z == b.z;
  };
  const auto same = std::ranges::find_if(shapes_, [&](const Shape& shape) {
    return shape.kernel == launch.kernel->readable && is_same(shape.grid, launch.grid) &&
           is_same(shape.block, launch.block) && shape.shared_bytes == shared;
  });
  if (same == shapes_.end()) {
    shapes_.push_back({launch.kernel->readable, launch.grid, launch.block, shared, {}});
    shape_ = &shapes_.back();
  } else {
    shape_ = &*same;
  }
  const std::uint64_t num_warps = (launch.block.count() + run::kWarpSize - 1) / run::kWarpSize;
  (*shape_)[Feature::kLaunches] += 1;
  (*shape_)[Feature::kBlocks] += launch.grid.count();
  (*shape_)[Feature::kWarps] += launch.grid.count() * num_warps;
  cache_sectors_ = cache_sectors(launch);
  read_.clear();
  written_.clear();
  atomics_.clear();
  longest_ = {};
}

void Watcher::launch_ends(run::Launch& /*launch*/) {
  if (shape_ == nullptr) return;
  for (BlockState& block : states_) end_block(block);  // a fault may have ended the kernel
  std::uint64_t hottest = 0;
  for (const auto& [word, number] : atomics_) hottest = std::max(hottest, number);
  (*shape_)[Feature::kHottestWord] += hottest;
  (*shape_)[Feature::kLongestCycles] += longest_.cycles;
  (*shape_)[Feature::kLongestLoads] += longest_.loads;
  shape_ = nullptr;
}

void Watcher::block_starts(run::Block& block) {
  if (shape_ == nullptr) return;
  if (states_.size() <= block.slot) states_.resize(block.slot + 1);
  BlockState& state = states_[block.slot];
  state.is_resident = true;
  state.cache.start(cache_sectors_);
  state.warps.assign(block.warps.size(), {});
}

void Watcher::block_ends(run::Block& block) {
  if (shape_ != nullptr) end_block(states_[block.slot]);
}

void Watcher::end_block(BlockState& block) {
  if (!block.is_resident) return;
  block.is_resident = false;
  Path path;
  for (const WarpState& warp : block.warps) path = longer(path, warp.path);
  (*shape_)[Feature::kChainCycles] += path.cycles;
  (*shape_)[Feature::kChainLoads] += path.loads;
  longest_ = longer(longest_, path);
}

// ---- instructions

const BlockCost& Watcher::cost(const code::Function& function, const code::Block& block) {
  const auto [found, is_new] = costs_.try_emplace(&block);
  if (is_new) found->second = cost_of(function, block);
  return found->second;
}

void Watcher::enters_block(Warp& warp, const code::Block& block, std::uint32_t /*lanes*/) {
  if (shape_ == nullptr) return;
  const BlockCost& own = cost(*warp.part->frames.back().function, block);
  (*shape_)[Feature::kIssued] += own.issued();
  for (const auto& [pipe, feature] : kFeatureOfPipe) {
    (*shape_)[feature] += own.slots[std::size_t(pipe)];
  }
  WarpState& state = states_[warp.block->slot].warps[warp.id];
  state.path += state.has_pending ? longer(own.path, Path{0, 1}) : own.path;
  state.has_pending = own.has_pending;
}

void Watcher::block_meets(run::Block& block, const code::Instruction& /*instruction*/) {
  if (shape_ == nullptr) return;
  (*shape_)[Feature::kBarriers] += 1;
  BlockState& state = states_[block.slot];
  Path path;
  for (const WarpState& warp : state.warps) path = longer(path, warp.path);
  for (WarpState& warp : state.warps) warp.path = path;
}

void Watcher::multiplies(Warp& /*warp*/, const code::Instruction& instruction,
                         std::uint64_t multiply_adds) {
  if (shape_ == nullptr) return;
  (*shape_)[Feature::kTensor] += in_products_of_16_bits(instruction, multiply_adds);
}

void Watcher::copies_committed(Warp& warp, std::uint32_t /*lanes*/) {
  if (shape_ == nullptr) return;
  WarpState& state = states_[warp.block->slot].warps[warp.id];
  state.copies.push_back(state.path);
}

void Watcher::copies_waited(Warp& warp, std::uint32_t /*lanes*/, std::uint32_t num_left) {
  if (shape_ == nullptr) return;
  WarpState& state = states_[warp.block->slot].warps[warp.id];
  while (state.copies.size() > num_left) {
    Path arrived = state.copies.front();
    arrived.loads += 1;
    state.path = longer(state.path, arrived);
    state.copies.pop_front();
  }
}

// ---- memory

void Watcher::access(Warp& warp, Access& access) {
  if (shape_ == nullptr || access.lanes == 0) return;
  if (access.space == Space::kShared) {
    (*shape_)[Feature::kSharedWavefronts] +=
        static_cast<std::uint64_t>(count::wavefronts_of(access).total);
  } else if (access.space == Space::kGlobal) {
    count_sectors(states_[warp.block->slot], access);
  }
}

void Watcher::count_sectors(BlockState& block, const Access& access) {
  std::array<std::uint64_t, run::kWarpSize * 2> sectors;  // a lane's 16 bytes are in two at most
  std::size_t num_sectors = 0;
  for (std::uint32_t rest = access.lanes; rest != 0; rest &= rest - 1) {
    const std::uint64_t address = access.address[static_cast<std::size_t>(std::countr_zero(rest))];
    if (access.is_atomic && atomics_.size() < kMostWords) atomics_[address] += 1;
    const std::uint64_t last = (address + access.size_bytes - 1) / kSectorBytes;
    for (std::uint64_t sector = address / kSectorBytes;
         sector <= last && num_sectors < sectors.size(); ++sector) {
      sectors[num_sectors++] = sector;
    }
  }
  const auto end = sectors.begin() + static_cast<std::ptrdiff_t>(num_sectors);
  std::sort(sectors.begin(), end);
  const auto last = std::unique(sectors.begin(), end);
  const auto number = static_cast<std::uint64_t>(last - sectors.begin());
  if (access.is_atomic) {
    (*shape_)[Feature::kL2AtomicSectors] += number;
    (*shape_)[Feature::kAtomicLanes] += static_cast<std::uint64_t>(std::popcount(access.lanes));
    return;
  }
  (*shape_)[Feature::kL1Sectors] += number;
  const bool is_cached = access.reads && !access.is_async && !access.bypasses_cache &&
                         access.order == run::Order::kWeak;
  for (auto sector = sectors.begin(); sector != last; ++sector) {
    if (access.writes) {
      (*shape_)[Feature::kWrittenSectors] += written_.add(*sector) ? 1 : 0;
      (*shape_)[Feature::kL2WriteSectors] += 1;
      continue;
    }
    (*shape_)[Feature::kReadSectors] += read_.add(*sector) ? 1 : 0;
    if (!is_cached || !block.cache.reads(*sector)) (*shape_)[Feature::kL2ReadSectors] += 1;
  }
}

}  // namespace timing
