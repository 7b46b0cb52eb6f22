// SPDX-License-Identifier: MIT
// Lanes whose samples have the same bin find each other, and one of them adds for all.
// New: __match_any_sync in place of copies, so that a hot bin costs one atomic per warp with any
// number of bins. Limit: where all bins differ, the match is work for nothing.
// Source: E. Westphal, "Voting and Shuffling to Optimize Atomic Operations", NVIDIA blog, 2015.
#include <algorithm>
#include <cmath>

#include "histogram.cuh"
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"

namespace lab {
namespace {

constexpr int kWarpSize = 32;
constexpr unsigned kFullWarp = 0xffffffffu;
constexpr int kThreadsPerBlock = 512;
constexpr int kVectorsInFlight = 4;  // loads that a thread has in flight
constexpr int kVectorsPerTile = kThreadsPerBlock * kVectorsInFlight;

// Counts the samples of a warp into counts (bins.num_bins). All 32 lanes must call; a lane without
// a sample passes NaN.
__device__ void count(float sample, EvenBins bins, unsigned int* counts) {
  const int bin = bins.bin_of(sample);
  const unsigned peers = __match_any_sync(kFullWarp, bin);  // lanes with this bin, bit by bit
  const int lane_id = threadIdx.x % kWarpSize;
  const bool is_first = (peers & ((1u << lane_id) - 1)) == 0;
  if (is_first && bin >= 0) atomicAdd(&counts[bin], static_cast<unsigned int>(__popc(peers)));
}

// d_samples (num_samples), d_counts (bins.num_bins), which is 0 at first.
__global__ void __launch_bounds__(kThreadsPerBlock)
    aggregated_kernel(const float* d_samples, int num_samples, EvenBins bins,
                      unsigned int* d_counts) {
  __shared__ unsigned int counts[kMaxBins];  // (bins.num_bins), the block's own
  const int t = threadIdx.x;
  for (int bin = t; bin < bins.num_bins; bin += kThreadsPerBlock) counts[bin] = 0;
  __syncthreads();  // no thread counts before all bins are 0

  const float4* d_vectors = reinterpret_cast<const float4*>(d_samples);  // (num_vectors)
  const int num_vectors = num_samples / 4;
  // The condition is the same for the whole block, so all lanes reach every match.
  for (int tile = blockIdx.x * kVectorsPerTile; tile < num_vectors;
       tile += gridDim.x * kVectorsPerTile) {
    float4 vectors[kVectorsInFlight];  // all loads are issued before the first is used
#pragma unroll
    for (int k = 0; k < kVectorsInFlight; ++k) {
      const int v = tile + k * kThreadsPerBlock + t;
      vectors[k] = v < num_vectors ? __ldcs(&d_vectors[v]) : make_float4(NAN, NAN, NAN, NAN);
    }
#pragma unroll
    for (const float4& vector : vectors) {
      count(vector.x, bins, counts);
      count(vector.y, bins, counts);
      count(vector.z, bins, counts);
      count(vector.w, bins, counts);
    }
  }
  // The last 0 to 3 samples fill no vector.
  const bool has_sample = blockIdx.x == 0 && t < num_samples % 4;
  count(has_sample ? d_samples[num_vectors * 4 + t] : NAN, bins, counts);
  __syncthreads();  // all samples of the block are counted

  for (int bin = t; bin < bins.num_bins; bin += kThreadsPerBlock) {
    if (counts[bin] > 0) atomicAdd(&d_counts[bin], counts[bin]);  // other blocks add theirs
  }
}

}  // namespace

void histogram(const float* d_samples, int num_samples, int num_bins, float lower, float upper,
               unsigned int* d_counts, Scratch& /*scratch*/, cudaStream_t stream) {
  const EvenBins bins(num_bins, lower, upper);
  check(cudaMemsetAsync(d_counts, 0, num_bins * sizeof(unsigned int), stream));
  const int most_blocks = max_resident_blocks(aggregated_kernel, kThreadsPerBlock);
  const int num_blocks = std::clamp(ceil_div(num_samples, 4 * kVectorsPerTile), 1, most_blocks);
  aggregated_kernel<<<num_blocks, kThreadsPerBlock, 0, stream>>>(d_samples, num_samples, bins,
                                                                 d_counts);
  check_launch();
}

}  // namespace lab
