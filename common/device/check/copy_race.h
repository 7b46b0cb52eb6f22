// SPDX-License-Identifier: MIT
// Races of copies, fills, allocations, frees and the host's own code with kernels and copies that
// may still run (see streams.h).
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <tuple>

#include "check/device_shadow.h"
#include "check/findings.h"
#include "check/streams.h"
#include "run/monitor.h"
#include "run/warp.h"

namespace check {

struct HostTouch {
  std::uint64_t address = 0;
  std::uint64_t size_bytes = 0;
  bool writes = false;
  bool is_volatile = false;
  report::Place at;
};

class CopyRaces {
 public:
  CopyRaces(const DeviceShadow& device, StreamOrder& streams, Instructions& instructions)
      : device_(device), streams_(streams), instructions_(instructions) {}

  void begin_launch() { known_.clear(); }

  // A kernel's access against the copies that may still run.
  void check(const run::Warp& warp, const run::Access& access) const;
  // The current kernel reads constants, which have no shadow.
  void note_constants_read(const run::Warp& warp, const run::Access& access);

  // The current copy or fill reads or writes device memory: checks that against concurrent work,
  // and records it. An allocation or a free in the order of a stream counts as a write.
  void note_copied(std::uint64_t address, std::uint64_t size_bytes, bool is_written);
  void note_allocated(const memory::Allocation& allocation);
  void note_freed(const memory::Allocation& allocation);

  void check_host(const HostTouch& touch);

 private:
  report::Place place_in(const Work& kernel, std::uint32_t id);
  void check_kernel(const Work& copy, const Work::Range& range, const Work& kernel);
  static void check_ranges(const Work& copy, const Work::Range& range, const Work& other);

  const DeviceShadow& device_;
  StreamOrder& streams_;
  Instructions& instructions_;
  // What the host raced with, by its line and the work.
  std::set<std::tuple<std::string, std::uint32_t, const Work*, std::uint64_t>> known_;
};

}  // namespace check
