// SPDX-License-Identifier: MIT
#include "count/tally.h"

#include <algorithm>
#include <map>
#include <utility>

#include "count/access_pattern.h"
#include "program/address.h"
#include "program/source_line.h"
#include "run/closed_device.h"
#include "simt/call_stack.h"
#include "simt/memory.h"
#include "simt/page.h"

namespace simt {
namespace device {
namespace {

bool g_counting = false;

// Where a space's and an access's counters begin; they come in groups of four.
// Of a launch's arguments: pointers, sizes and options take less, tables take more.
constexpr std::size_t kUsualArgumentBytes = 256;

constexpr Counter first_counter(MemorySpace space, AccessKind access) {
  if (space == MemorySpace::kGlobal) {
    if (access == AccessKind::kAtomic) return Counter::kGlobalAtomicRequests;
    return access == AccessKind::kRead ? Counter::kGlobalReadRequests
                                       : Counter::kGlobalWriteRequests;
  }
  if (access == AccessKind::kAtomic) return Counter::kSharedAtomicRequests;
  return access == AccessKind::kRead ? Counter::kSharedReadRequests : Counter::kSharedWriteRequests;
}

constexpr Counter operator+(Counter counter, int index) {
  return static_cast<Counter>(static_cast<int>(counter) + index);
}

void raise(std::uint64_t& most, std::uint64_t amount) { most = std::max(most, amount); }

// Counts the request and returns its sectors or wavefronts.
int count_plain(CounterSet& counters, const Request& request, Counter first, int num_lanes) {
  counters[first] += 1;
  counters[first + 3] += static_cast<std::uint64_t>(num_lanes);
  if (request.space == MemorySpace::kGlobal) {
    const int sectors = count_sectors(request);
    counters[first + 1] += static_cast<std::uint64_t>(sectors);
    counters[first + 2] += static_cast<std::uint64_t>(num_lanes * request.size_bytes);
    return sectors;
  }
  const Wavefronts wavefronts = count_wavefronts(request);
  counters[first + 1] += static_cast<std::uint64_t>(wavefronts.total);
  counters[first + 2] += static_cast<std::uint64_t>(wavefronts.total - wavefronts.ideal);
  return wavefronts.total;
}

int count_atomic(CounterSet& counters, const Request& request, Counter first, int num_lanes) {
  const int same_address = largest_multiplicity(request);
  counters[first] += 1;
  counters[first + 1] += static_cast<std::uint64_t>(num_lanes);
  raise(counters[first + 2], static_cast<std::uint64_t>(same_address));
  if (request.space == MemorySpace::kGlobal) {
    const int sectors = count_sectors(request);
    counters[first + 3] += static_cast<std::uint64_t>(sectors);
    return sectors;
  }
  const Wavefronts wavefronts = count_wavefronts(request);
  const int passes = std::max(same_address, wavefronts.total);
  counters[first + 3] += static_cast<std::uint64_t>(passes - wavefronts.ideal);
  return passes;
}

// The program's own call that leads here; null if the compiler has left no trace of it.
const void* programs_call() {
  for (const void* const caller : capture_call_stack().return_addresses) {
    if (caller == nullptr || source_line(caller).line != 0) return caller;
  }
  return nullptr;
}

// As the requests of warps whose lanes move one word each.
void count_row(CounterSet& counters, Counter first, const CopyEnd& end, std::size_t size_bytes) {
  if (!end.is_devices) return;
  constexpr std::size_t kWordBytes = 4;
  const std::size_t num_lanes = (size_bytes + kWordBytes - 1) / kWordBytes;
  counters[first] += (num_lanes + kWarpSize - 1) / kWarpSize;
  counters[first + 1] += (number(end.address) + size_bytes - 1) / kSectorBytes -
                         number(end.address) / kSectorBytes + 1;
  counters[first + 2] += size_bytes;
  counters[first + 3] += num_lanes;
}

}  // namespace

Tally& tally() {
  static Tally& instance =  // outlives all users
      *std::pmr::polymorphic_allocator<>(sealed_memory()).new_object<Tally>();
  return instance;
}

std::size_t Tally::index_of(std::string_view name) {
  const auto known = std::find_if(kernels_.begin(), kernels_.end(), [&](const KernelTally& kernel) {
    return kernel.counters.name == name;
  });
  const auto index = static_cast<std::size_t>(known - kernels_.begin());
  if (known == kernels_.end()) kernels_.emplace_back().counters.name = name;
  return index;
}

void Tally::begin_launch(const LaunchSite& site, const LaunchConfig& config,
                         std::size_t argument_bytes) {
  current_ = index_of(site.kernel);
  cache_ = {};
  exposed_words_.clear();
  most_passes_ = 0;

  KernelTally& kernel = kernels_[current_];
  kernel.counters.grid = config.grid;
  kernel.counters.block = config.block;
  kernel.counters.dynamic_shared_bytes = config.shared_bytes;
  const std::string_view path(site.file);
  kernel.launches.emplace(path.substr(path.rfind('/') + 1), site.line);
  const std::uint64_t num_blocks = std::uint64_t{config.grid.x} * config.grid.y * config.grid.z;
  const std::uint64_t num_threads = std::uint64_t{config.block.x} * config.block.y * config.block.z;
  CounterSet& counters = kernel.counters.counters;
  counters[Counter::kLaunches] += 1;
  counters[Counter::kBlocks] += num_blocks;
  counters[Counter::kThreads] += num_blocks * num_threads;
  counters[Counter::kWarps] += num_blocks * ((num_threads + kWarpSize - 1) / kWarpSize);
  if (argument_bytes <= kUsualArgumentBytes) return;
  const void* const call = programs_call();
  const std::uint32_t pc = call != nullptr ? pack_pc(call) : 0;
  kernel.places[pc].counters[Counter::kHostBytes] += argument_bytes;
}

void Tally::count_copy(const CopyEnd& to, const CopyEnd& from, std::size_t size_bytes) {
  KernelTally& copies = kernels_[index_of("cudaMemcpy")];
  const void* const call = programs_call();
  const std::uint32_t pc = call != nullptr ? pack_pc(call) : 0;
  CounterSet& here = copies.places[pc].counters;
  count_row(here, Counter::kGlobalReadRequests, from, size_bytes);
  count_row(here, Counter::kGlobalWriteRequests, to, size_bytes);
  if (!to.is_devices || !from.is_devices) {
    here[Counter::kHostBytes] += size_bytes;
    return;
  }
  if (const auto counter = exposing_counter(to.address)) {
    expose(copies, pc, *counter, number(to.address), size_bytes);
  }
  // As in record_access(): what is read may come from the host.
  if (exposing_counter(from.address) == Counter::kHostBytes) {
    expose(copies, pc, Counter::kHostBytes, number(from.address), size_bytes);
  }
}

// The host may use the page before or after this. So all of the call's uses count at its end.
void Tally::expose(KernelTally& kernel, std::uint32_t pc, Counter counter, std::uintptr_t address,
                   std::size_t size_bytes) {
  const bool is_watched =
      internal::is_host_watched() && is_device_address(reinterpret_cast<const void*>(address));
  if (!is_watched) {
    kernel.places[pc].counters[counter] += size_bytes;
    return;
  }
  const std::uintptr_t end = address + size_bytes;
  while (address < end) {
    const std::uintptr_t page = address / page_bytes();
    const std::uintptr_t next = std::min(end, (page + 1) * page_bytes());
    kernel.open_bytes[{pc, page}] += next - address;
    address = next;
  }
}

void Tally::settle_exposed(KernelTally& kernel) {
  for (const auto& [use, bytes] : kernel.open_bytes) {
    const auto [pc, page] = use;
    if (internal::has_host_used(page)) kernel.places[pc].counters[Counter::kHostBytes] += bytes;
  }
}

void Tally::count_exposed(std::uint32_t pc, Counter counter, std::uintptr_t address,
                          std::size_t size_bytes) {
  constexpr std::uintptr_t kWordBytes = 4;
  for (std::uintptr_t word = address / kWordBytes; word * kWordBytes < address + size_bytes;
       ++word) {
    if (!exposed_words_.insert(word).second) continue;
    expose(kernels_[current_], pc, counter, word * kWordBytes, kWordBytes);
  }
}

void Tally::end_launch(const std::set<const SharedVariable*>& shared_variables,
                       std::uint64_t most_sectors) {
  KernelTally& kernel = kernels_[current_];
  kernel.shared_variables.insert(shared_variables.begin(), shared_variables.end());
  kernel.counters.counters[Counter::kBusiestBlocksSectors] += most_sectors;
  kernel.counters.counters[Counter::kBusiestWarpsPasses] += most_passes_;
}

Tally::PlaceTally& Tally::place(std::uint32_t pc) {
  Cached& cached = cache_[(pc ^ pc >> 8) % cache_.size()];
  if (cached.pc == pc && cached.place != nullptr) return *cached.place;
  PlaceTally& place = kernels_[current_].places[pc];
  cached = {pc, &place};  // references outlive later insertions
  return place;
}

void Tally::count(std::uint32_t pc, Counter counter, std::uint64_t amount) {
  place(pc).counters[counter] += amount;
}

void Tally::count_most(std::uint32_t pc, Counter maximum, std::uint64_t amount) {
  raise(place(pc).counters[maximum], amount);
}

void Tally::count_passes(std::uint64_t num_passes) { raise(most_passes_, num_passes); }

void Tally::count_block(std::uint32_t pc, int num_lanes) {
  CounterSet& counters = place(pc).counters;
  counters[Counter::kBasicBlocks] += 1;
  counters[Counter::kActiveLanes] += static_cast<std::uint64_t>(num_lanes);
}

void Tally::count_divergence(std::uint32_t pc) { count(pc, Counter::kDivergentBranches, 1); }

int Tally::count_request(const Request& request) {
  PlaceTally& here = place(request.pc);
  const Counter first = first_counter(request.space, request.access);
  const int num_lanes = request.num_lanes;
  const int cost = request.access == AccessKind::kAtomic
                       ? count_atomic(here.counters, request, first, num_lanes)
                       : count_plain(here.counters, request, first, num_lanes);
  keep_pattern(here, request, cost);
  return cost;
}

void Tally::keep_pattern(PlaceTally& place, const Request& request, int cost) {
  const std::size_t index = std::size_t(request.space) * 3 + std::size_t(request.access);
  AccessPattern& kept = place.patterns[index];
  const bool has_all_lanes = request.lanes == UINT32_MAX;
  const auto rank = std::pair(has_all_lanes, cost);
  if (rank <= std::pair(bool(place.has_all_lanes[index]), kept.cost)) return;
  kept = access_pattern(request, cost);
  place.has_all_lanes[index] = has_all_lanes;
}

KernelCounters Tally::finish(KernelTally& kernel) {
  std::map<std::pair<std::string, int>, LineCounters> lines;
  KernelCounters& result = kernel.counters;
  // By address, so that the same run always gives the same order of patterns.
  const std::map<std::uint32_t, PlaceTally> places(kernel.places.begin(), kernel.places.end());
  for (const auto& [pc, place] : places) {
    CounterSet counters = place.counters;
    // Where no student wrote a branch, a device needs none either: minima, shuffles' bounds.
    if (!is_students_own(unpack_pc(pc))) counters[Counter::kDivergentBranches] = 0;
    const SourceLine& where = source_line(unpack_pc(pc));
    // The launch's own steps are not the kernel's. They lie in its line, or with g++ 11 in no line
    // of the student's. A kernel may be in that line, too, but steps alone earn and cost
    // nothing.
    const bool is_of_launch =
        !kernel.launches.empty() &&
        (where.line == 0 || kernel.launches.contains({where.file, where.line}));
    if (is_of_launch) {
      counters[Counter::kBasicBlocks] = 0;
      counters[Counter::kActiveLanes] = 0;
      if (counters == CounterSet{}) continue;
    }
    LineCounters& line = lines[{where.file, where.line}];
    line.file = where.file;
    line.line = where.line;
    line.counters += counters;
    result.counters += counters;
    for (const AccessPattern& pattern : place.patterns) {
      if (pattern.cost > 0) add_pattern(line.patterns, pattern);
    }
  }
  for (auto& [place, line] : lines) result.lines.push_back(std::move(line));
  for (const SharedVariable* variable : kernel.shared_variables) {
    result.static_shared_bytes += variable->size_bytes;
  }
  return std::move(result);
}

std::vector<KernelCounters> Tally::take() {
  std::vector<KernelCounters> result;
  for (KernelTally& kernel : kernels_) {
    settle_exposed(kernel);
    result.push_back(finish(kernel));
  }
  internal::forget_hosts_uses();
  kernels_.clear();
  cache_ = {};
  return result;
}

}  // namespace device

void set_counting(bool on) { device::g_counting = on; }
bool is_counting() { return device::g_counting; }

void count_copy(const CopyEnd& to, const CopyEnd& from, std::size_t size_bytes) {
  if (!is_counting() || (!to.is_devices && !from.is_devices)) return;
  device::tally().count_copy(to, from, size_bytes);
}

std::vector<KernelCounters> take_counters() { return device::tally().take(); }

}  // namespace simt
