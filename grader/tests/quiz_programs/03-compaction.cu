// SPDX-License-Identifier: MIT
#include <numeric>

#include "quiz.cuh"

namespace {

using quiz::Drawn;

__global__ void find_places(const int* d_flags, int* d_places, int num_items) {
  int kept = 0;
  for (int i = 0; i < num_items; ++i) {
    d_places[i] = kept;
    kept += d_flags[i];
  }
}

void places(const Drawn& drawn) {
  const quiz::Array<int> flags(std::vector<int>{1, 0, drawn["a"], 1, drawn["b"], 0, 1});
  const quiz::Array<int> found(7);
  find_places<<<1, 1>>>(flags.get(), found.get(), 7);
  quiz::answer(found.read());
}

__global__ void count_kept(const int* d_flags, int* d_count) {
  if (d_flags[threadIdx.x] == 1) {
    atomicAdd(d_count, 1);
  }
}

// As many kept items as the last one's place says, one that is not kept, and the last one.
void count_from_scan(const Drawn& drawn) {
  std::vector<int> flags(drawn["place"], 1);
  flags.push_back(0);
  flags.push_back(drawn["flag"]);
  const quiz::Array<int> kept(flags);
  const quiz::Array<int> count(1);
  count_kept<<<1, static_cast<int>(flags.size())>>>(kept.get(), count.get());
  quiz::answer(count.read()[0]);
}

__global__ void rank_lanes(int* d_ranks, unsigned wanted) {
  const int lane = threadIdx.x;
  const unsigned mask = __ballot_sync(0xffffffff, (wanted >> lane & 1) != 0);
  d_ranks[lane] = __popc(mask & ((1U << lane) - 1));
}

void popc_below(const Drawn& drawn) {
  const quiz::Array<int> ranks(32);
  rank_lanes<<<1, 32>>>(ranks.get(), drawn["mask"]);
  quiz::answer(ranks.read()[drawn["lane"]]);
}

__global__ void take_places(int* d_taken, int kept) {
  if (static_cast<int>(threadIdx.x % 32) < kept) {
    atomicAdd(d_taken, 1);
  }
}

__global__ void take_places_by_warp(int* d_taken, int kept) {
  const int lane = threadIdx.x % 32;
  const unsigned mask = __ballot_sync(0xffffffff, lane < kept);
  if (lane == 0 && mask != 0) {
    atomicAdd(d_taken, __popc(mask));
  }
}

void warp_aggregated(const Drawn& drawn) {
  const int items = drawn["items"];
  const quiz::Array<int> taken(2);
  take_places<<<items / 160, 160>>>(taken.get(), drawn["kept"]);
  take_places_by_warp<<<items / 160, 160>>>(taken.get() + 1, drawn["kept"]);
  const std::vector<int> ends = taken.read();
  quiz::require(ends[0] == ends[1], "the two count differently");
  quiz::counted("take_places.global_atomic_lanes - take_places_by_warp.global_atomic_lanes");
}

__global__ void keep_one_in(const int* d_in, int* d_out, int every) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int item = d_in[i];
  if (item % every == 0) {
    d_out[i / every] = item;
  }
}

void bytes_minimum(const Drawn& drawn) {
  std::vector<int> items(1280);
  std::iota(items.begin(), items.end(), 0);
  const quiz::Array<int> in(items);
  const quiz::Array<int> out(1280);
  keep_one_in<<<10, 128>>>(in.get(), out.get(), drawn["every"]);
  quiz::counted("(global_read_bytes + global_write_bytes) / threads");
}

// Every item of every row is kept, so each row's count is as large as it can be.
__global__ void pack_counts(int* d_rows, int row, int bits) {
  const int rows = 32 / bits;
  unsigned packed = 0;
  for (int i = 0; i < row; ++i) {
    for (int r = 0; r < rows; ++r) {
      packed += 1U << (r * bits);
    }
  }
  int right = 0;
  for (int r = 0; r < rows; ++r) {
    const unsigned count = packed >> (r * bits) & ((1U << bits) - 1);
    right += count == static_cast<unsigned>(row) ? 1 : 0;
  }
  *d_rows = right == rows ? rows : 0;
}

void packed_rows(const Drawn& drawn) {
  const quiz::Array<int> rows(1);
  for (const int bits : {8, 16}) {
    pack_counts<<<1, 1>>>(rows.get(), drawn["row"], bits);
    if (rows.read()[0] != 0) {
      break;
    }
  }
  quiz::answer(rows.read()[0]);
}

}  // namespace

int main(int argc, char** argv) {
  return quiz::run(argc, argv,
                   {{"places", places},
                    {"count-from-scan", count_from_scan},
                    {"popc-below", popc_below},
                    {"warp-aggregated", warp_aggregated},
                    {"bytes-minimum", bytes_minimum},
                    {"packed-rows", packed_rows}});
}
