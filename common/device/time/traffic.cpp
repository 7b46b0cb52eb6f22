// SPDX-License-Identifier: MIT
#include "time/traffic.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <span>
#include <utility>

#include "count/counters.h"
#include "count/request.h"

namespace timing {
namespace {

using count::kSectorBytes;
using run::Access;
using run::Pattern;

// Of a multiprocessor since compute capability 9.0: shared memory and the first cache together.
constexpr std::uint64_t kFirstCacheBytes = 256 * 1024;
constexpr std::uint64_t kMemorySectors = kMemoryBytes / kSectorBytes;

// Of one block. A small grid does not give each multiprocessor as many blocks as it could hold.
std::uint64_t cache_sectors(const run::Launch& launch) {
  const std::uint64_t shared = launch.kernel->shared_bytes + launch.dynamic_shared_bytes;
  const std::uint64_t started =
      (launch.grid.count() + launch.num_multiprocessors - 1) / launch.num_multiprocessors;
  const std::uint64_t room = count::occupancy(launch.block.count(), shared).blocks;
  const std::uint64_t held =
      std::clamp<std::uint64_t>(room, 1, std::max<std::uint64_t>(started, 1));
  const std::uint64_t used = std::min(held * shared, kFirstCacheBytes * 7 / 8);
  return (kFirstCacheBytes - used) / held / kSectorBytes;
}

// The addresses of the lanes that take part, in order.
class SortedAddresses {
 public:
  explicit SortedAddresses(const Access& access) {
    for (std::uint32_t rest = access.lanes; rest != 0; rest &= rest - 1) {
      addresses_[size_++] = access.address[static_cast<std::size_t>(std::countr_zero(rest))];
    }
    if (access.pattern == Pattern::kOther)
      std::sort(addresses_.begin(), addresses_.begin() + size_);
  }
  std::span<const std::uint64_t> all() const {
    return {addresses_.data(), static_cast<std::size_t>(size_)};
  }

 private:
  std::array<std::uint64_t, run::kWarpSize> addresses_;
  std::ptrdiff_t size_ = 0;
};

template <class Visit>
void for_each_sector(const Access& access, Visit visit) {
  std::uint64_t next = 0;  // the first sector that was not visited
  const auto visit_range = [&](std::uint64_t address, std::uint64_t size_bytes) {
    const std::uint64_t end = (address + size_bytes - 1) / kSectorBytes + 1;
    for (next = std::max(next, address / kSectorBytes); next < end; ++next) visit(next);
  };
  if (access.pattern == Pattern::kUniform) return visit_range(access.base, access.size_bytes);
  if (access.pattern == Pattern::kContiguous && access.lanes == ~0U) {
    return visit_range(access.base, std::uint64_t{run::kWarpSize} * access.size_bytes);
  }
  const SortedAddresses addresses(access);
  for (const std::uint64_t address : addresses.all()) visit_range(address, access.size_bytes);
}

// Whether it can be a word for other blocks, or a look at one.
bool is_strong(const Access& access) {
  return access.order != run::Order::kWeak || access.bypasses_cache || access.is_atomic;
}

}  // namespace

FirstCaches::Found FirstCaches::read(std::uint64_t block, std::uint64_t sector,
                                     const Request& request, std::uint32_t reach) {
  constexpr int kSectorBits = 40;
  const std::uint64_t key =
      block << kSectorBits | (sector & ((std::uint64_t{1} << kSectorBits) - 1));
  constexpr std::uint64_t kMix = 0x9E3779B97F4A7C15;
  const std::size_t set = static_cast<std::size_t>(key * kMix >> 48) % kSets * kWays;
  const auto begin = entries_.begin() + static_cast<std::ptrdiff_t>(set);
  const auto end = begin + kWays;
  const auto known = std::find_if(begin, end, [&](const Entry& entry) { return entry.key == key; });
  Found found = Found::kMissing;
  Entry entry = {key, request.position, request.warp, request.waits};
  if (known != end &&
      std::max(request.position, known->position) - std::min(request.position, known->position) <=
          reach) {
    const bool is_coming = known->warp != request.warp && request.waits <= known->waits;
    found = is_coming ? Found::kComing : Found::kThere;
    entry.warp = known->warp;
    entry.waits = known->waits;
  }
  std::copy_backward(begin, known == end ? end - 1 : known, known == end ? end : known + 1);
  *begin = entry;
  return found;
}

void Traffic::begin_launch(const run::Launch& launch) {
  const std::uint64_t num_warps = (launch.block.count() + run::kWarpSize - 1) / run::kWarpSize;
  reach_ = static_cast<std::uint32_t>(cache_sectors(launch) / num_warps);
  atomics_.clear();
  slices_.clear();
  float_sums_.clear();
  writers_.clear();
  depths_.clear();
  hottest_line_ = hottest_slice_ = hottest_float_ = longest_chain_ = 0;
}

void Traffic::start(BlockTraffic& block, const run::Block& started) {
  block.number = started.linear + 1;
  block.serial = ++num_started_;
  block.requested.assign(started.warps.size(), 0);
  block.look_back_width = block.look_back_depth = 0;
  block.looked_at.assign(started.warps.size(), 0);
  block.look_back_cycles = 0;
}

void Traffic::end(Features& features, BlockTraffic& block) {
  features[Feature::kLookBackBlocks] += block.look_back_width != 0 ? 1 : 0;
  features[Feature::kLookBackWidth] += block.look_back_width;
  features[Feature::kLookBackCycles] += static_cast<std::uint64_t>(block.look_back_cycles);
}

void Traffic::end_launch(Features& features) {
  features[Feature::kHottestLine] += hottest_line_;
  features[Feature::kHottestSlice] += hottest_slice_;
  features[Feature::kHottestFloat] += hottest_float_;
  features[Feature::kLookBackDepth] += longest_chain_;
  features[Feature::kLocalWords] +=
      static_cast<std::uint64_t>(std::ranges::count(local_words_, true));
  local_words_.clear();
  sectors_.for_each([](std::uint8_t& touched) { touched = touched != 0 ? kEarlier : 0; });
}

void Traffic::forget() { sectors_.clear(); }

void Traffic::read(Features& features, std::uint64_t sector) {
  std::uint8_t& touched = sectors_.at(sector * kSectorBytes);
  if ((touched & kRead) == 0) {
    features[Feature::kReadSectors] += kMemorySectors;
    features[Feature::kColdSectors] += touched == 0 ? kMemorySectors : 0;
  }
  touched |= kRead;
}

void Traffic::write(Features& features, std::uint64_t sector) {
  std::uint8_t& touched = sectors_.at(sector * kSectorBytes);
  features[Feature::kWrittenSectors] += (touched & kWritten) == 0 ? kMemorySectors : 0;
  touched |= kWritten;
}

std::uint64_t Traffic::access(Features& features, BlockTraffic& block, std::uint32_t warp,
                              const Path& now, const Access& access) {
  if (!memory::is_device(
          access.address[static_cast<std::size_t>(std::countr_zero(access.lanes))])) {
    return 0;  // without the checks it may lie outside: `run` ends the kernel then
  }
  if (is_strong(access)) look(block, warp, now.cycles, access);
  if (access.is_atomic) {
    count_atomic(features, access);
    return 0;
  }
  if (access.reads && !access.continues) features[Feature::kGlobalLoads] += 1;
  // A piece of a bulk copy lies in one sector.
  if (access.is_async_proxy && count::new_units(access, kSectorBytes, block.bulk_sector) == 0)
    return 0;
  if (!access.writes) return load(features, block, warp, now, access);
  store(features, access);
  return 0;
}

std::uint64_t Traffic::load(Features& features, BlockTraffic& block, std::uint32_t warp,
                            const Path& now, const Access& access) {
  const bool is_cached = !access.is_async && !is_strong(access);
  // An asynchronous copy of 16 bytes passes L1 by, and takes half of its cycles.
  const std::uint64_t of_cycle = access.is_async && access.size_bytes == 16 ? 2 : 1;
  std::uint64_t num_sectors = 0, wavefronts = 0;
  if (!access.is_async_proxy) {
    wavefronts = static_cast<std::uint64_t>(count::wavefronts_of(access).total) / of_cycle;
  }
  std::uint64_t line = 0, of_line = 0;  // sectors that the request of a line asks of L2
  const auto end_line = [&] {
    const bool is_single = of_line == 1 && !access.is_async_proxy;  // a bulk copy takes whole lines
    features[Feature::kL2SingleSectors] += is_single ? 1 : 0;
  };
  bool is_missing = false;
  for_each_sector(access, [&](std::uint64_t sector) {
    ++num_sectors;
    if (is_cached) {
      const FirstCaches::Request request = {warp, block.requested[warp]++,
                                            static_cast<std::uint32_t>(now.loads)};
      const FirstCaches::Found found = caches_.read(block.serial, sector, request, reach_);
      is_missing = is_missing || found != FirstCaches::Found::kThere;
      if (found != FirstCaches::Found::kMissing) return;
    }
    is_missing = true;
    features[Feature::kL2ReadSectors] += 1;
    read(features, sector);
    if (sector * kSectorBytes / kLineBytes != line) {
      end_line();
      line = sector * kSectorBytes / kLineBytes;
      of_line = 0;
    }
    ++of_line;
  });
  end_line();
  features[Feature::kL1Wavefronts] += wavefronts;
  features[Feature::kL1Sectors] += num_sectors / of_cycle;
  features[Feature::kMissingLoads] += is_missing && !access.continues ? 1 : 0;
  return std::max(num_sectors / of_cycle * kSectorBytes / kLineBytes, wavefronts);
}

// Word w of each thread of a warp lies in one line of 128 bytes, lane by lane.
void Traffic::touch_local(Features& features, const Access& access) {
  for (std::uint32_t word = 0; word < std::max(access.size_bytes / 4, 1U); ++word) {
    std::uint32_t rest = access.lanes;
    const auto at = [&](int lane) {
      return access.address[static_cast<std::size_t>(lane)] / 4 + word;
    };
    while (rest != 0) {
      const std::uint64_t line = at(std::countr_zero(rest));
      std::uint32_t same = 0;
      for (std::uint32_t others = rest; others != 0; others &= others - 1) {
        const int lane = std::countr_zero(others);
        if (at(lane) == line) same |= 1U << lane;
      }
      rest &= ~same;
      if (local_words_.size() <= line) local_words_.resize(line + 1);
      local_words_[line] = true;
      std::uint64_t sectors = 0, parts = 0;  // of 8 lanes each
      for (std::uint32_t eight = same; eight != 0; eight >>= 8) {
        sectors += (eight & 0xff) != 0 ? 1 : 0;
        parts += (eight & 0xff) != 0 && (eight & 0xff) != 0xff ? 1 : 0;
      }
      if (access.writes) {
        features[Feature::kL2WriteLines] += 1;
        features[Feature::kL2WriteSectors] += sectors;
        features[Feature::kL2PartSectors] += parts;
      } else {
        features[Feature::kL1Sectors] += sectors;
        features[Feature::kL1Wavefronts] += 1;
      }
    }
  }
}

void Traffic::store(Features& features, const Access& access) {
  const SortedAddresses addresses(access);
  constexpr std::uint64_t kNone = ~std::uint64_t{0};
  std::uint64_t last = kNone, sector = kNone, line = kNone, written_bytes = 0;
  const auto end_sector = [&] {
    if (sector == kNone) return;
    features[Feature::kL2WriteSectors] += 1;
    features[Feature::kL2PartSectors] += written_bytes < kSectorBytes ? 1 : 0;
    write(features, sector);
  };
  for (const std::uint64_t address : addresses.all()) {
    if (address == last) continue;
    last = address;
    if (address / kSectorBytes != sector) {
      end_sector();
      sector = address / kSectorBytes;
      written_bytes = 0;
    }
    written_bytes += access.size_bytes;
    features[Feature::kL2WriteLines] += address / kLineBytes != line ? 1 : 0;
    line = address / kLineBytes;
  }
  end_sector();
}

// The second cache updates the words of a sector side by side, and lanes at one word one by one.
// Operations of a line queue, and so do those of a slice. A sum of floats takes longer than one of
// integers where the next one needs it.
void Traffic::count_atomic(Features& features, const Access& access) {
  const SortedAddresses addresses(access);
  const code::Instruction& at = *access.instruction;
  const bool is_chained = at.is_read || (at.has("add") && (at.has("f32") || at.has("f64")));
  std::uint64_t sector = 0, word = 0;
  std::uint32_t at_word = 0, at_sector = 0;
  const auto add = [](auto& table, std::uint64_t address, std::uint32_t more, std::uint64_t& most) {
    std::uint32_t& sum = table.at(address);
    sum += more;
    most = std::max<std::uint64_t>(most, sum);
  };
  const auto end_sector = [&] {
    if (at_sector == 0) return;
    add(atomics_, sector * kSectorBytes, at_sector, hottest_line_);
    add(slices_, sector * kSectorBytes, at_sector, hottest_slice_);
  };
  for (const std::uint64_t address : addresses.all()) {
    if (!memory::is_device(address)) continue;
    if (at_sector == 0 || address / kSectorBytes != sector) {
      end_sector();
      sector = address / kSectorBytes;
      at_sector = 0;
      features[Feature::kL2AtomicSectors] += 1;
    }
    at_word = at_sector != 0 && address == word ? at_word + 1 : 1;
    word = address;
    if (is_chained) add(float_sums_, address, 1, hottest_float_);
    at_sector = std::max(at_sector, at_word);
  }
  end_sector();
}

void Traffic::look(BlockTraffic& block, std::uint32_t warp, std::int64_t now,
                   const Access& access) {
  std::int64_t& looked_at = block.looked_at[warp];
  if (access.writes && looked_at != 0) {
    block.look_back_cycles = std::max(block.look_back_cycles, now - std::exchange(looked_at, 0));
  }

  std::array<std::uint32_t, run::kWarpSize> others;
  std::size_t num_others = 0;
  for (std::uint32_t rest = access.lanes; rest != 0; rest &= rest - 1) {
    const std::uint64_t address = access.address[static_cast<std::size_t>(std::countr_zero(rest))];
    if (!memory::is_device(address)) continue;
    std::uint32_t& writer = writers_.at(address);
    if (access.writes) {
      writer = static_cast<std::uint32_t>(block.number);
    } else if (writer != 0 && writer != block.number) {
      others[num_others++] = writer;
      const std::uint64_t depth = writer < depths_.size() ? depths_[writer] : 0;
      block.look_back_depth = std::max(block.look_back_depth, depth + 1);
    }
    if (access.pattern == Pattern::kUniform) break;
  }
  if (num_others == 0) return;
  looked_at = now;
  if (depths_.size() <= block.number) depths_.resize(block.number + 1);
  depths_[block.number] = static_cast<std::uint32_t>(block.look_back_depth);
  longest_chain_ = std::max(longest_chain_, block.look_back_depth);
  const auto end = others.begin() + static_cast<std::ptrdiff_t>(num_others);
  std::sort(others.begin(), end);
  const auto width = static_cast<std::uint64_t>(std::unique(others.begin(), end) - others.begin());
  block.look_back_width = std::max(block.look_back_width, width);
}

void Traffic::copy(Features& features, std::uint64_t to, std::uint64_t from,
                   std::uint64_t size_bytes) {
  const auto touch = [&](std::uint64_t address, auto visit) {
    const std::uint64_t begin = address / kSectorBytes;
    const std::uint64_t end = (address + size_bytes - 1) / kSectorBytes + 1;
    for (std::uint64_t sector = begin; sector < end; ++sector) visit(sector);
    for (std::uint64_t sector = begin; sector < end; ++sector) {
      sectors_.at(sector * kSectorBytes) = kEarlier;
    }
  };
  if (memory::is_device(from)) {
    touch(from, [&](std::uint64_t sector) {
      features[Feature::kL2ReadSectors] += 1;
      read(features, sector);
    });
  }
  if (memory::is_device(to)) {
    touch(to, [&](std::uint64_t sector) {
      features[Feature::kL2WriteSectors] += 1;
      write(features, sector);
    });
  }
}

}  // namespace timing
