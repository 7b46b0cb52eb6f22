// SPDX-License-Identifier: MIT
// What becomes of a request past the counters: which sectors a multiprocessor's cache has, how much
// of memory a launch touches, where atomic operations meet, and which blocks look back at others.
#pragma once

#include <cstdint>
#include <vector>

#include "run/warp.h"
#include "time/address_table.h"
#include "time/features.h"
#include "time/path.h"

namespace timing {

inline constexpr std::uint64_t kLineBytes = 128;    // of the caches
inline constexpr std::uint64_t kSliceBytes = 1024;  // neighbouring lines that one slice of L2 has
inline constexpr std::uint64_t kMemoryBytes = 64;   // that memory delivers at a time

struct BlockTraffic {
  std::uint64_t number = 0;              // of the block in the launch, from 1 on
  std::uint64_t serial = 0;              // of all blocks of all launches
  std::vector<std::uint32_t> requested;  // sectors, by warp
  std::uint64_t look_back_width = 0;     // most other blocks whose words one request reads
  std::uint64_t look_back_depth = 0;     // of the longest chain of blocks that ends here
  std::vector<std::int64_t> looked_at;   // when, by warp: since then it has not published; 0: never
  std::int64_t look_back_cycles = 0;     // most that a warp takes from a look to its publication
  std::uint64_t bulk_sector = 0;         // of the bulk copy's last piece
};

// Multiprocessors' first caches, as far as blocks have a share of them. A device has the warps of a
// block in step; here one runs until it waits, and then the next. So the position of a sector is
// how many its warp had requested before, and a warp finds what a warp of its block has requested
// nearby. If another warp had waited for loads as often when it asked for the sector, it is still
// on its way.
class FirstCaches {
 public:
  enum class Found : std::uint8_t { kThere, kComing, kMissing };
  struct Request {
    std::uint32_t warp = 0;
    std::uint32_t position = 0;
    std::uint32_t waits = 0;  // for loads, that the warp has made before
  };

  FirstCaches() : entries_(kSets * kWays) {}
  // How the sector was found; now it is there. `reach`: for so many positions a sector stays.
  Found read(std::uint64_t block, std::uint64_t sector, const Request& request,
             std::uint32_t reach);

 private:
  static constexpr std::size_t kWays = 4;
  static constexpr std::size_t kSets = 1 << 14;
  struct Entry {
    std::uint64_t key = 0;
    std::uint32_t position = 0;         // of the last request
    std::uint32_t warp = 0, waits = 0;  // of the request that has brought it
  };
  std::vector<Entry> entries_;  // of a set, the one used last first
};

class Traffic {
 public:
  // Of a launch, all within begin_launch() and end_launch().
  void begin_launch(const run::Launch& launch);
  void start(BlockTraffic& block, const run::Block& started);
  // now: of the warp's path. Returns the cycles for which the first cache delivers what is loaded.
  std::uint64_t access(Features& features, BlockTraffic& block, std::uint32_t warp, const Path& now,
                       const run::Access& access);
  void touch_local(Features& features, const run::Access& access);
  void end(Features& features, BlockTraffic& block);
  void end_launch(Features& features);

  // Of a row of a copy or a fill, between launches. Addresses of the host are 0.
  void copy(Features& features, std::uint64_t to, std::uint64_t from, std::uint64_t size_bytes);
  void forget();  // which sectors earlier launches have touched

 private:
  enum Touched : std::uint8_t { kRead = 1, kWritten = 2, kEarlier = 4 };

  std::uint64_t load(Features& features, BlockTraffic& block, std::uint32_t warp, const Path& now,
                     const run::Access& access);
  void read(Features& features, std::uint64_t sector);
  void write(Features& features, std::uint64_t sector);
  void store(Features& features, const run::Access& access);
  void count_atomic(Features& features, const run::Access& access);
  void look(BlockTraffic& block, std::uint32_t warp, std::int64_t now, const run::Access& access);

  FirstCaches caches_;
  std::uint64_t num_started_ = 0;                     // blocks
  std::uint32_t reach_ = 0;                           // of a warp's sector in its cache
  AddressTable<std::uint8_t, kMemoryBytes> sectors_;  // pairs of them
  // Operations of atomics.
  AddressTable<std::uint32_t, kLineBytes> atomics_;  // at each line
  AddressTable<std::uint32_t, kSliceBytes> slices_;  // at each slice's lines
  AddressTable<std::uint32_t, 4> float_sums_;        // at each word, of floats
  AddressTable<std::uint32_t, 4> writers_;           // blocks that publish words
  std::vector<std::uint32_t> depths_;                // of chains of blocks that look back
  std::vector<bool> local_words_;                    // that a thread has touched of its own
  std::uint64_t hottest_line_ = 0, hottest_slice_ = 0, hottest_float_ = 0;
  std::uint64_t longest_chain_ = 0;
};

}  // namespace timing
