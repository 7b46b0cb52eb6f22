// SPDX-License-Identifier: MIT
// mutant of: 02_privatized
// mistake: the host counts the samples, and no kernel reads them
// expect: failed forbidden
// also: slow
// needs: budget
#include <vector>

#include "histogram.cuh"
#include "lab/cuda_error.cuh"

namespace lab {

void histogram(const float* d_samples, int num_samples, int num_bins, float lower, float upper,
               unsigned int* d_counts, Scratch& /*scratch*/, cudaStream_t stream) {
  const EvenBins bins(num_bins, lower, upper);
  std::vector<float> h_samples(num_samples);
  check(cudaMemcpyAsync(h_samples.data(), d_samples, num_samples * sizeof(float),
                        cudaMemcpyDeviceToHost, stream));
  check(cudaStreamSynchronize(stream));
  std::vector<unsigned int> h_counts(num_bins);
  for (const float sample : h_samples) {
    if (const int bin = bins.bin_of(sample); bin >= 0) ++h_counts[bin];
  }
  check(cudaMemcpyAsync(d_counts, h_counts.data(), num_bins * sizeof(unsigned int),
                        cudaMemcpyHostToDevice, stream));
  check(cudaStreamSynchronize(stream));
}

}  // namespace lab
