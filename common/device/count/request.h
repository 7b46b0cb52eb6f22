// SPDX-License-Identifier: MIT
// What one memory instruction of a warp costs.
#pragma once

#include <bit>
#include <cstdint>

#include "run/monitor.h"

namespace count {

inline constexpr std::uint64_t kSectorBytes = 32;
inline constexpr std::uint64_t kWavefrontBytes = 128;

inline std::uint64_t num_lanes(std::uint32_t lanes) {
  return static_cast<std::uint64_t>(std::popcount(lanes));
}

// Distinct blocks of 32 bytes of global memory that it touches.
int sectors_of(const run::Access& access);

// Shared memory answers in wavefronts: in each, every one of 32 banks of 4 bytes delivers one word,
// to all lanes that access it. It serves 32 lanes at a time for accesses of up to 4 bytes, 16 for 8
// bytes and 8 for 16 bytes. It serves twice as many for loads of 8 and 16 bytes in which every lane
// reads the same vector as its neighbour: the lane whose number differs in the last bit, or for
// every lane the one that differs in the last bit but one. Lanes that do not take part are no
// obstacle. Source: Nsight Compute on an H100, for 904 requests; tests/bank_requests.txt has most
// of them.
struct Wavefronts {
  int total = 0;
  int ideal = 0;  // without bank conflicts: one each time that lanes are served
};
Wavefronts wavefronts_of(const run::Access& access);

// A request has a pass for each time that memory serves lanes, also where no lane takes part: a
// lane that works alone gains nothing by wide accesses.
int passes_of(const run::Access& access);

// Of a piece of a bulk copy: units of `unit_bytes` that the piece before it does not touch. `last`
// is that piece's last unit, and becomes this one's.
std::uint64_t new_units(const run::Access& access, std::uint64_t unit_bytes, std::uint64_t& last);

// The number of lanes at the most frequent address.
int largest_multiplicity(const run::Access& access);

// Whether all lanes are at one address. Of constant memory the device broadcasts what is there.
bool has_one_address(const run::Access& access);

}  // namespace count
