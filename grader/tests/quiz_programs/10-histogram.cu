// SPDX-License-Identifier: MIT
#include "quiz.cuh"

namespace {

using quiz::Drawn;

__global__ void find_bin(int* d_bin, int bins, int sample) {
  *d_bin = -1;
  for (int bin = 0; bin < bins; ++bin) {
    if (48 * bin <= sample * bins && sample * bins < 48 * (bin + 1)) {
      *d_bin = bin;
    }
  }
}

void bin_of_a_sample(const Drawn& drawn) {
  const quiz::Array<int> bin(1);
  find_bin<<<1, 1>>>(bin.get(), drawn["bins"], drawn["sample"]);
  quiz::answer(bin.read()[0]);
}

__global__ void merge_bins(unsigned* d_counts) {
  __shared__ unsigned counts[256];
  counts[threadIdx.x] = threadIdx.x + 1;
  atomicAdd(&d_counts[threadIdx.x], counts[threadIdx.x]);
}

void atomics_of_a_merge(const Drawn& drawn) {
  const quiz::Array<unsigned> counts(drawn["bins"]);
  merge_bins<<<drawn["blocks"], drawn["bins"]>>>(counts.get());
  quiz::counted("global_atomic_lanes");
}

__global__ void count_hot_bin(int copies) {
  __shared__ unsigned counts[320];
  for (int i = threadIdx.x; i < 320; i += blockDim.x) {
    counts[i] = 0;
  }
  __syncwarp();
  const int bin = 7;
  atomicAdd(&counts[bin * copies + threadIdx.x % copies], 1U);
}

void passes_of_a_hot_bin(const Drawn& drawn) {
  count_hot_bin<<<1, 32>>>(drawn["copies"]);
  quiz::counted("1 + shared_atomic_conflicts");
}

__global__ void fit_copies(int* d_copies, int bins) {
  __shared__ unsigned counters[48 * 1024 / sizeof(unsigned)];
  int copies = 32;
  while (copies * bins > static_cast<int>(sizeof counters / sizeof counters[0])) {
    copies /= 2;
  }
  counters[copies * bins - 1] = 0;
  *d_copies = copies;
}

void copies_that_fit(const Drawn& drawn) {
  const quiz::Array<int> copies(1);
  fit_copies<<<1, 1>>>(copies.get(), drawn["bins"]);
  quiz::answer(copies.read()[0]);
}

__global__ void write_copies(int bins) {
  __shared__ unsigned counts[32 * 272];
  counts[threadIdx.x * bins] = 1;
}

void copies_in_a_row(const Drawn& drawn) {
  write_copies<<<1, 32>>>(drawn["bins"]);
  quiz::counted("shared_write_wavefronts");
}

__global__ void add_by_group(unsigned* d_counts, int run) {
  const int lane = threadIdx.x;
  const int bin = lane / run;
  const unsigned peers = __match_any_sync(0xffffffff, bin);
  if ((peers & ((1U << lane) - 1)) == 0) {
    atomicAdd(&d_counts[bin], __popc(peers));
  }
}

void groups_of_a_warp(const Drawn& drawn) {
  const quiz::Array<unsigned> counts(32);
  add_by_group<<<1, 32>>>(counts.get(), drawn["run"]);
  quiz::counted("global_atomic_lanes");
}

__global__ void count_peers(int* d_peers, int bins) {
  const int lane = threadIdx.x;
  d_peers[lane] = __popc(__match_any_sync(0xffffffff, lane % bins));
}

void peers_of_a_lane(const Drawn& drawn) {
  const quiz::Array<int> peers(32);
  count_peers<<<1, 32>>>(peers.get(), drawn["bins"]);
  quiz::answer(peers.read()[drawn["lane"]]);
}

// Cuts off one range after the other.
__global__ void cut_ranges(int* d_ranges, int bins, int kib) {
  int ranges = 0;
  for (int first = 0; first < bins; first += kib * 1024 / static_cast<int>(sizeof(unsigned))) {
    ++ranges;
  }
  *d_ranges = ranges;
}

void ranges_of_bins(const Drawn& drawn) {
  const quiz::Array<int> ranges(1);
  cut_ranges<<<1, 1>>>(ranges.get(), drawn["bins"], drawn["kib"]);
  quiz::answer(ranges.read()[0]);
}

__global__ void read_all(const float* d_samples) {
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) {
    const float sample = d_samples[i];
    static_cast<void>(sample);
  }
}

void bytes_of_ranges(const Drawn& drawn) {
  const quiz::Array<float> samples(1024);
  read_all<<<drawn["ranges"], 128>>>(samples.get());
  quiz::counted("global_read_bytes / 1024");
}

}  // namespace

int main(int argc, char** argv) {
  return quiz::run(argc, argv,
                   {{"bin-of-a-sample", bin_of_a_sample},
                    {"atomics-of-a-merge", atomics_of_a_merge},
                    {"passes-of-a-hot-bin", passes_of_a_hot_bin},
                    {"copies-that-fit", copies_that_fit},
                    {"copies-in-a-row", copies_in_a_row},
                    {"groups-of-a-warp", groups_of_a_warp},
                    {"peers-of-a-lane", peers_of_a_lane},
                    {"ranges-of-bins", ranges_of_bins},
                    {"bytes-of-ranges", bytes_of_ranges}});
}
