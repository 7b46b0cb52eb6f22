// SPDX-License-Identifier: MIT
// What one memory instruction of a warp costs.
#pragma once

#include "run/monitor.h"

namespace count {

inline constexpr std::uint64_t kSectorBytes = 32;

// Blocks of 32 bytes of global memory that the lanes touch.
int sectors_of(const run::Access& access);

// Passes of shared memory: `total`, and the number without bank conflicts. In each pass every one
// of 32 banks delivers one word of 4 bytes, to all lanes that ask for it. Accesses of 8 bytes are
// served for 16 lanes at a time, of 16 bytes for 8; lanes with the same address count as one lane.
struct Wavefronts {
  int total = 0;
  int ideal = 0;
};
Wavefronts wavefronts_of(const run::Access& access);

// Passes of the warp, however many lanes take part and whatever the banks say.
int passes_of(const run::Access& access);

// The number of lanes at the most frequent address.
int largest_multiplicity(const run::Access& access);

}  // namespace count
