// SPDX-License-Identifier: MIT
// What has been counted, by kernel and by instruction; in the end by source line.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "code/program.h"
#include "count/counters.h"
#include "memory/book.h"
#include "run/monitor.h"
#include "run/warp.h"

namespace count {

// What an instruction has to do with the counters, in addition to its accesses.
enum class Role : std::uint8_t {
  kUsual,
  kBarrierObject,  // mbarrier: none of its accesses is a request
  kArrival,        // mbarrier.arrive
  kBulkCopy,       // cp.async.bulk
  kProduct,        // wgmma: how it reads shared memory is not documented
  kActiveMask,     // exchanges nothing
};

// Where in AccessPattern's space and kind an access belongs.
struct RequestKind {
  MemorySpace space;
  AccessKind access;
  std::size_t index() const { return std::size_t(space) * 3 + std::size_t(access); }
};
RequestKind kind_of(const run::Access& access);

// An instruction's.
struct Place {
  static constexpr std::size_t kNumKinds = 2 * 3;

  explicit Place(const code::Instruction& at);

  // `cost`: its sectors or wavefronts.
  void keep_pattern(const run::Warp& warp, const run::Access& access, RequestKind kind,
                    std::uint32_t cost) {
    const std::uint32_t rank = (access.lanes == ~0U ? kAllLanesRank : 0) + cost;
    if (rank > ranks[kind.index()]) replace_pattern(warp, access, kind, cost, rank);
  }
  void replace_pattern(const run::Warp& warp, const run::Access& access, RequestKind kind,
                       std::uint32_t cost, std::uint32_t rank);

  static constexpr std::uint32_t kAllLanesRank = 1U << 31;

  CounterSet counters;
  std::array<std::uint32_t, kNumKinds> ranks = {};
  std::vector<AccessPattern> patterns;  // one for each kind that there is
  const code::Instruction* instruction;
  Role role;
  enum class Branch : std::uint8_t { kUnknown, kCounts, kDoesNot } branch = Branch::kUnknown;
};

// Whether the host has used the page of memory that begins at this address.
using HasHostUsed = std::function<bool(std::uint64_t)>;

// A kernel of one program.
class KernelTally {
 public:
  explicit KernelTally(std::string_view name) { totals.name = name; }

  Place& place(const code::Instruction& instruction) {
    std::unique_ptr<Place>& place = places_[instruction.id];
    if (place == nullptr) place = std::make_unique<Place>(instruction);
    return *place;
  }
  CounterSet& host_line(const memory::HostPlace& at) { return host_lines_[{at.file, at.line}]; }

  // Bytes of a page that both the host and the device can use. They count if the host uses it.
  void expose(Place& place, std::uint64_t page, std::uint64_t size_bytes) {
    pages_[{&place.counters, page}] += size_bytes;
  }
  // The same of a copy.
  void expose_range(const memory::HostPlace& at, std::uint64_t address, std::uint64_t size_bytes);

  void begin_launch(const run::Launch& launch);
  KernelCounters finish(const HasHostUsed& has_host_used);

  const code::Program* program = nullptr;  // null: of copies
  KernelCounters totals;                   // without what lines have

 private:
  std::vector<std::unique_ptr<Place>> places_;  // by instruction
  std::map<std::pair<std::string, std::uint32_t>, CounterSet> host_lines_;
  std::map<std::pair<CounterSet*, std::uint64_t>, std::uint64_t> pages_;
};

// All kernels since the last take(), in order of their first launch.
class Tallies {
 public:
  KernelTally& kernel(std::string_view name, const code::Program* program);
  std::vector<KernelCounters> take(const HasHostUsed& has_host_used);

 private:
  std::vector<std::unique_ptr<KernelTally>> kernels_;
};

}  // namespace count
