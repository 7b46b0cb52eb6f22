// SPDX-License-Identifier: MIT
// More bins than shared memory holds: they are cut into ranges, and a block counts one range of a
// share of the samples. New: the blocks of one share, one for each range, are neighbours and read
// the same samples at about the same time. So all but the first find them in the L2 cache.
// Limit: every sample is read once per range; at many ranges, sort the samples by range first.
#include <algorithm>
#include <cmath>

#include "histogram.cuh"
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"

namespace lab {
namespace {

constexpr int kThreadsPerBlock = 1024;
constexpr int kVectorsInFlight = 4;  // loads that a thread has in flight
constexpr int kVectorsPerTile = kThreadsPerBlock * kVectorsInFlight;

// Bins first to first + size - 1, with their counts in shared memory.
struct Range {
  int first;
  int size;
  unsigned int* counts;  // (size)

  __device__ void count(float sample, EvenBins bins) const {
    const int place = bins.bin_of(sample) - first;  // below 0 for a sample without a bin, too
    if (0 <= place && place < size) atomicAdd(&counts[place], 1u);
  }
};

// d_samples (num_samples), d_counts (bins.num_bins), which is 0 at first. A range has most_bins
// bins, the last one perhaps fewer; gridDim.x is the number of ranges, and gridDim.y of shares.
__global__ void __launch_bounds__(kThreadsPerBlock)
    bin_ranges_kernel(const float* d_samples, int num_samples, EvenBins bins, int most_bins,
                      unsigned int* d_counts) {
  extern __shared__ unsigned int counts[];  // (most_bins)
  const int t = threadIdx.x;
  const int first = blockIdx.x * most_bins;
  const Range range = {first, min(most_bins, bins.num_bins - first), counts};
  for (int i = t; i < range.size; i += kThreadsPerBlock) counts[i] = 0;
  __syncthreads();  // no thread counts before all bins are 0

  const float4* d_vectors = reinterpret_cast<const float4*>(d_samples);  // (num_vectors)
  const int num_vectors = num_samples / 4;
  for (int tile = blockIdx.y * kVectorsPerTile; tile < num_vectors;
       tile += gridDim.y * kVectorsPerTile) {
    float4 vectors[kVectorsInFlight];  // all loads are issued before the first is used
#pragma unroll
    for (int k = 0; k < kVectorsInFlight; ++k) {
      const int v = tile + k * kThreadsPerBlock + t;
      vectors[k] = v < num_vectors ? d_vectors[v] : make_float4(NAN, NAN, NAN, NAN);
    }
#pragma unroll
    for (const float4& vector : vectors) {
      range.count(vector.x, bins);
      range.count(vector.y, bins);
      range.count(vector.z, bins);
      range.count(vector.w, bins);
    }
  }
  // The last 0 to 3 samples fill no vector.
  if (blockIdx.y == 0 && t < num_samples % 4) range.count(d_samples[num_vectors * 4 + t], bins);
  __syncthreads();  // all samples of the block are counted

  for (int i = t; i < range.size; i += kThreadsPerBlock) {
    if (counts[i] > 0) atomicAdd(&d_counts[first + i], counts[i]);  // other shares add theirs
  }
}

}  // namespace

void histogram(const float* d_samples, int num_samples, int num_bins, float lower, float upper,
               unsigned int* d_counts, Scratch& /*scratch*/, cudaStream_t stream) {
  const EvenBins bins(num_bins, lower, upper);
  check(cudaMemsetAsync(d_counts, 0, num_bins * sizeof(unsigned int), stream));
  int device = 0;
  int most_bytes = 0;  // of shared memory that a block may have, if it asks for it
  check(cudaGetDevice(&device));
  check(cudaDeviceGetAttribute(&most_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  const int num_ranges = ceil_div(num_bins, most_bytes / static_cast<int>(sizeof(int)));
  const int most_bins = ceil_div(num_bins, num_ranges);
  const int shared_bytes = most_bins * static_cast<int>(sizeof(unsigned int));
  check(cudaFuncSetAttribute(bin_ranges_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             shared_bytes));

  const int most_blocks = max_resident_blocks(bin_ranges_kernel, kThreadsPerBlock, shared_bytes);
  const int num_shares = std::clamp(ceil_div(num_samples, 4 * kVectorsPerTile), 1,
                                    std::max(1, most_blocks / num_ranges));
  bin_ranges_kernel<<<dim3(num_ranges, num_shares), kThreadsPerBlock, shared_bytes, stream>>>(
      d_samples, num_samples, bins, most_bins, d_counts);
  check_launch();
}

}  // namespace lab
