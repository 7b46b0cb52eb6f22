// SPDX-License-Identifier: MIT
// A block keeps several copies of its histogram, up to one per lane of a warp, side by side: copy r
// of a bin is word r of the bin's row. With 32 copies each lane has a bank of its own.
// New: no two lanes of a warp meet, whatever the samples are; 16-byte loads, four at a time.
// Limit: shared memory. Many bins leave room for few copies.
#include <algorithm>
#include <cmath>

#include "histogram.cuh"
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"

namespace lab {
namespace {

constexpr int kWarpSize = 32;
constexpr int kThreadsPerBlock = 512;
constexpr int kVectorsInFlight = 4;  // loads that a thread has in flight
constexpr int kVectorsPerTile = kThreadsPerBlock * kVectorsInFlight;
constexpr int kMaxCounters = 12288;  // 48 KiB, what a block may have without asking for more

// Counts into the column `copy` of counts (bins.num_bins, num_copies).
__device__ void count(float sample, EvenBins bins, unsigned int* counts, int num_copies, int copy) {
  const int bin = bins.bin_of(sample);
  if (bin >= 0) atomicAdd(&counts[bin * num_copies + copy], 1u);
}

// d_samples (num_samples), d_counts (bins.num_bins), which is 0 at first. num_copies is a power of
// two up to 32; needs bins.num_bins * num_copies words of dynamic shared memory.
__global__ void __launch_bounds__(kThreadsPerBlock)
    replicas_kernel(const float* d_samples, int num_samples, EvenBins bins, int num_copies,
                    unsigned int* d_counts) {
  extern __shared__ unsigned int counts[];  // (bins.num_bins, num_copies)
  const int t = threadIdx.x;
  const int copy = t % num_copies;
  for (int i = t; i < bins.num_bins * num_copies; i += kThreadsPerBlock) counts[i] = 0;
  __syncthreads();  // no thread counts before all counters are 0

  const float4* d_vectors = reinterpret_cast<const float4*>(d_samples);  // (num_vectors)
  const int num_vectors = num_samples / 4;
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
      count(vector.x, bins, counts, num_copies, copy);
      count(vector.y, bins, counts, num_copies, copy);
      count(vector.z, bins, counts, num_copies, copy);
      count(vector.w, bins, counts, num_copies, copy);
    }
  }
  // The last 0 to 3 samples fill no vector.
  if (blockIdx.x == 0 && t < num_samples % 4) {
    count(d_samples[num_vectors * 4 + t], bins, counts, num_copies, copy);
  }
  __syncthreads();  // all samples of the block are counted

  for (int bin = t; bin < bins.num_bins; bin += kThreadsPerBlock) {
    unsigned int sum = 0;
    for (int r = 0; r < num_copies; ++r) {  // each lane begins at another copy: at another bank
      sum += counts[bin * num_copies + ((t + r) & (num_copies - 1))];
    }
    if (sum > 0) atomicAdd(&d_counts[bin], sum);
  }
}

}  // namespace

void histogram(const float* d_samples, int num_samples, int num_bins, float lower, float upper,
               unsigned int* d_counts, Scratch& /*scratch*/, cudaStream_t stream) {
  const EvenBins bins(num_bins, lower, upper);
  check(cudaMemsetAsync(d_counts, 0, num_bins * sizeof(unsigned int), stream));
  int num_copies = kWarpSize;
  while (num_bins * num_copies > kMaxCounters) num_copies /= 2;
  const int shared_bytes = num_bins * num_copies * static_cast<int>(sizeof(unsigned int));

  const int most_blocks = max_resident_blocks(replicas_kernel, kThreadsPerBlock, shared_bytes);
  const int num_blocks = std::clamp(ceil_div(num_samples, 4 * kVectorsPerTile), 1, most_blocks);
  replicas_kernel<<<num_blocks, kThreadsPerBlock, shared_bytes, stream>>>(
      d_samples, num_samples, bins, num_copies, d_counts);
  check_launch();
}

}  // namespace lab
