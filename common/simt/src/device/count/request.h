// SPDX-License-Identifier: MIT
// What one warp memory instruction costs.
#pragma once

#include <array>
#include <cstdint>

#include "simt/counters.h"

namespace simt::device {

inline constexpr std::uintptr_t kSectorBytes = 32;

struct Request {
  MemorySpace space;
  AccessKind access;
  int size_bytes;  // of each lane's access
  std::uint32_t pc;
  std::uint32_t lanes = 0;  // mask, not 0
  int num_lanes = 0;        // in the mask
  std::array<std::uintptr_t, kWarpSize> addresses;
};

// Distinct blocks of 32 bytes that it touches.
int count_sectors(const Request& request);

// A request has phases of 32 lanes at up to 4 bytes per lane, 16 at 8 bytes, 8 at 16. These are all
// of them, also those without a lane: a lane that works alone gains nothing by wide accesses.
int passes_of(const Request& request);

// Shared memory answers in wavefronts: in each, every one of 32 banks of 4 bytes delivers one word,
// to all lanes that read it. Without conflicts a phase in which a lane takes part takes one
// wavefront.
struct Wavefronts {
  int total = 0;
  int ideal = 0;
};
Wavefronts count_wavefronts(const Request& request);

// Whether all lanes are at one address. Of constant memory the device broadcasts what is there.
bool has_one_address(const Request& request);

// The number of lanes at the most frequent address.
int largest_multiplicity(const Request& request);

}  // namespace simt::device
