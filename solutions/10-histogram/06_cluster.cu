// SPDX-License-Identifier: MIT
// A histogram per cluster: eight blocks hold an eighth of the bins each, and every thread counts in
// the shared memory of the block that has the bin. New: distributed shared memory in place of
// ranges, so each sample is read once. Limit: compute capability 9.0; seven of eight atomics go to
// another multiprocessor.
#include <cooperative_groups.h>

#include <algorithm>
#include <cmath>

#include "histogram.cuh"
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"

namespace lab {
namespace {

namespace cg = cooperative_groups;

constexpr int kThreadsPerBlock = 1024;
constexpr int kBlocksPerCluster = 8;  // the most that every device with clusters allows
constexpr int kVectorsInFlight = 4;   // loads that a thread has in flight
constexpr int kVectorsPerTile = kThreadsPerBlock * kVectorsInFlight;

// Counts in the block that has the bin: the upper bits of a bin are a rank, the lower ones a place.
__device__ void count(float sample, EvenBins bins, int place_bits, unsigned int* counts) {
  const int bin = bins.bin_of(sample);
  if (bin < 0) return;
  unsigned int* const owners = cg::this_cluster().map_shared_rank(counts, bin >> place_bits);
  atomicAdd(&owners[bin & ((1 << place_bits) - 1)], 1u);
}

// d_samples (num_samples), d_counts (bins.num_bins), which is 0 at first. A block has 2^place_bits
// bins, so that a cluster has bins.num_bins or more.
__global__ void __cluster_dims__(8) __launch_bounds__(kThreadsPerBlock)
    cluster_kernel(const float* d_samples, int num_samples, EvenBins bins, int place_bits,
                   unsigned int* d_counts) {
  extern __shared__ unsigned int counts[];  // (bins_per_block), from bin `first` on
  const int bins_per_block = 1 << place_bits;
  const auto cluster = cg::this_cluster();
  const int t = threadIdx.x;
  for (int i = t; i < bins_per_block; i += kThreadsPerBlock) counts[i] = 0;
  cluster.sync();  // no block of the cluster counts before all bins are 0

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
      count(vector.x, bins, place_bits, counts);
      count(vector.y, bins, place_bits, counts);
      count(vector.z, bins, place_bits, counts);
      count(vector.w, bins, place_bits, counts);
    }
  }
  // The last 0 to 3 samples fill no vector.
  if (blockIdx.x == 0 && t < num_samples % 4) {
    count(d_samples[num_vectors * 4 + t], bins, place_bits, counts);
  }
  cluster.sync();  // all samples of the cluster are counted, and no block needs another any more

  const int first = static_cast<int>(cluster.block_rank()) * bins_per_block;
  for (int i = t; i < min(bins_per_block, bins.num_bins - first); i += kThreadsPerBlock) {
    if (counts[i] > 0) atomicAdd(&d_counts[first + i], counts[i]);  // other clusters add theirs
  }
}

}  // namespace

void histogram(const float* d_samples, int num_samples, int num_bins, float lower, float upper,
               unsigned int* d_counts, Scratch& /*scratch*/, cudaStream_t stream) {
  const EvenBins bins(num_bins, lower, upper);
  check(cudaMemsetAsync(d_counts, 0, num_bins * sizeof(unsigned int), stream));
  int place_bits = 0;
  while (kBlocksPerCluster << place_bits < num_bins) ++place_bits;
  const int shared_bytes = static_cast<int>(sizeof(unsigned int)) << place_bits;
  check(cudaFuncSetAttribute(cluster_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             shared_bytes));

  const int most_blocks = max_resident_blocks(cluster_kernel, kThreadsPerBlock, shared_bytes);
  const int num_clusters = std::clamp(ceil_div(num_samples, kBlocksPerCluster * kVectorsPerTile), 1,
                                      std::max(1, most_blocks / kBlocksPerCluster));
  cluster_kernel<<<num_clusters * kBlocksPerCluster, kThreadsPerBlock, shared_bytes, stream>>>(
      d_samples, num_samples, bins, place_bits, d_counts);
  check_launch();
}

}  // namespace lab
