// SPDX-License-Identifier: MIT
// What has been counted since the last take_counters(), by kernel and by place in the code.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory_resource>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "count/request.h"
#include "program/shared_variables.h"
#include "simt/counters.h"
#include "simt/launch.h"
#include "simt/sealed.h"

namespace simt::device {

class Tally {
 public:
  // The launch that everything after it belongs to. num_warps, num_threads: of one block.
  // argument_bytes: of the kernel's arguments. The host may have put data there.
  void begin_launch(const LaunchSite& site, const LaunchConfig& config, std::size_t argument_bytes);

  // The launch has ended. Its blocks have used these variables, and one of them has moved this many
  // sectors, the others no more.
  void end_launch(const std::set<const SharedVariable*>& shared_variables,
                  std::uint64_t most_sectors);

  // At the place of a call; `pc` as pack_pc() gives it.
  void count(std::uint32_t pc, Counter counter, std::uint64_t amount);
  void count_most(std::uint32_t pc, Counter maximum, std::uint64_t amount);
  void count_passes(std::uint64_t num_passes);  // that a warp of the launch has made so far
  void count_block(std::uint32_t pc, int num_lanes);
  void count_divergence(std::uint32_t pc);
  int count_request(const Request& request);  // returns its sectors or wavefronts

  // See simt::count_copy.
  void count_copy(const CopyEnd& to, const CopyEnd& from, std::size_t size_bytes);

  // The launch accesses memory that the host uses without a copy. Its words count once, and anew
  // when the host may have read or written them meanwhile.
  void count_exposed(std::uint32_t pc, Counter counter, std::uintptr_t address,
                     std::size_t size_bytes);
  void expose_anew() { exposed_words_.clear(); }

  std::vector<KernelCounters> take();

 private:
  static constexpr std::size_t kNumPatterns = 2 * 3;  // of each space, reads, writes, atomics

  struct PlaceTally {
    CounterSet counters;
    std::array<AccessPattern, kNumPatterns> patterns;
    std::array<bool, kNumPatterns> has_all_lanes = {};
  };
  struct KernelTally {
    KernelCounters counters;
    std::set<const SharedVariable*> shared_variables;
    std::set<std::pair<std::string, int>> launches;  // file and line of each launch
    std::pmr::unordered_map<std::uint32_t, PlaceTally> places{sealed_memory()};
    // By place and page of managed or pinned memory: bytes that count if the host uses the page.
    std::pmr::map<std::pair<std::uint32_t, std::uintptr_t>, std::uint64_t> open_bytes{
        sealed_memory()};
  };

  std::size_t index_of(std::string_view name);  // in kernels_
  PlaceTally& place(std::uint32_t pc);
  static void expose(KernelTally& kernel, std::uint32_t pc, Counter counter, std::uintptr_t address,
                     std::size_t size_bytes);
  static void settle_exposed(KernelTally& kernel);
  static void keep_pattern(PlaceTally& place, const Request& request, int cost);
  static KernelCounters finish(KernelTally& kernel);

  std::pmr::vector<KernelTally> kernels_{sealed_memory()};
  std::size_t current_ = 0;
  std::uint64_t most_passes_ = 0;  // of any warp of the launch
  std::pmr::unordered_set<std::uintptr_t> exposed_words_{sealed_memory()};  // of the launch
  // The places looked up last.
  struct Cached {
    std::uint32_t pc = 0;
    PlaceTally* place = nullptr;
  };
  std::array<Cached, 256> cache_ = {};
};

Tally& tally();

}  // namespace simt::device
