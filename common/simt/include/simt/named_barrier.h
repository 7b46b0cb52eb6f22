// SPDX-License-Identifier: MIT
// Barriers of a part of a block, by number: 0 to 15 are those of PTX. Each tile of more than a warp
// has one, too, with a negative number.
#pragma once

namespace simt {

inline constexpr int kNumPtxBarriers = 16;
inline constexpr int kNumTileBarriers = 5 * 16;  // of 2, 4, 8, 16, 32 warps; at most 16 of a size

// The barrier of the tile with this rank among those of num_warps warps.
constexpr int tile_barrier(int num_warps, int rank) {
  int number = -1 - rank;
  for (int warps = num_warps; warps > 2; warps /= 2) number -= 16;
  return number;
}

// Comes to the barrier, for num_threads threads of the block, or for all of them (0). Waits until
// they have come, or goes on. Orders memory as a barrier of the block does.
void sync_named_barrier(int number, int num_threads);
void arrive_at_named_barrier(int number, int num_threads);

// A value that a warp of the running block leaves for the others of its tile.
struct Exchanged {
  unsigned char bytes[32];
};
void put_exchanged(unsigned warp, Exchanged value);
Exchanged get_exchanged(unsigned warp);

}  // namespace simt
