// SPDX-License-Identifier: MIT
// What is kept for the blocks that run.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "code/program.h"
#include "count/arrivals.h"
#include "count/async_copies.h"
#include "count/publications.h"
#include "run/monitor.h"

namespace count {

// The words of global memory that a warp's last polling request read, and how many such requests
// have read others than the one before. Waiting for a word counts once.
class Polls {
 public:
  // Whether the request asks for other words than the last one. Then it is the last one.
  bool begin(const run::Access& access) {
    const std::uint64_t* const end = words_.data() + size_;
    bool is_repeated = true;
    for_each(access, [&](std::uint64_t address) {
      is_repeated =
          is_repeated && std::find<const std::uint64_t*>(words_.data(), end, address) != end;
    });
    if (is_repeated) return false;  // it waits, perhaps for fewer of the words
    size_ = 0;
    for_each(access, [&](std::uint64_t address) { words_[size_++] = address; });
    ++number_;
    return true;
  }
  std::uint64_t number() const { return number_; }

 private:
  template <class Visit>
  static void for_each(const run::Access& access, Visit visit) {
    if (access.pattern == run::Pattern::kUniform) return visit(access.base);
    for (std::uint32_t rest = access.lanes; rest != 0; rest &= rest - 1) {
      visit(access.address[static_cast<std::size_t>(std::countr_zero(rest))]);
    }
  }

  std::array<std::uint64_t, run::kWarpSize> words_;
  std::size_t size_ = 0;
  std::uint64_t number_ = 0;
};

struct WarpState {
  std::uint64_t num_passes = 0;
  Polls polls;
  Chains chains = {};
  AsyncCopies copies;
  std::uint32_t reading = 0;  // lanes of the copy that begins, of which memory is read

  // The sector, and the wavefront, of the bulk copy's last piece.
  std::array<std::uint64_t, 2> bulk_units = {};
};

struct BlockState {
  bool is_resident = false;
  std::uint32_t num_threads = 0;
  std::uint64_t started_after = 0;  // so many publications
  std::uint64_t num_sectors = 0;
  std::uint64_t num_atomics = 0;
  std::uint64_t num_barriers = 0;
  const code::Instruction* last_barrier = nullptr;  // at which a warp arrived
  Arrivals arrivals;
  std::vector<WarpState> warps;

  // Only as far as it may be in use: blocks start often.
  void start(std::size_t num_warps, std::uint32_t threads, std::uint64_t publications) {
    warps.resize(num_warps);
    for (WarpState& warp : warps) {
      AsyncCopies copies = std::move(warp.copies);
      copies.clear();
      warp = {};
      warp.copies = std::move(copies);
    }
    is_resident = true;
    num_threads = threads;
    started_after = publications;
    num_sectors = num_atomics = num_barriers = 0;
    last_barrier = nullptr;
  }
};

}  // namespace count
