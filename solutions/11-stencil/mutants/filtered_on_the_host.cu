// SPDX-License-Identifier: MIT
// mutant of: 02_halo
// mistake: the host filters the line, and no kernel reads it
// expect: failed forbidden
// also: slow
// needs: budget
#include <vector>

#include "lab/cuda_error.cuh"
#include "stencil.cuh"

namespace lab {

void filter_line(const float* d_in, int num_points, const float* d_weights, float* d_out,
                 Scratch& /*scratch*/, cudaStream_t stream) {
  std::vector<float> h_in(num_points);
  std::vector<float> h_weights(kTaps);
  std::vector<float> h_out(num_points);
  check(cudaMemcpyAsync(h_in.data(), d_in, num_points * sizeof(float), cudaMemcpyDeviceToHost,
                        stream));
  check(cudaMemcpyAsync(h_weights.data(), d_weights, kTaps * sizeof(float), cudaMemcpyDeviceToHost,
                        stream));
  check(cudaStreamSynchronize(stream));
  for (int x = 0; x < num_points; ++x) {
    for (int i = 0; i < kTaps; ++i) {
      const int from = x + i - kRadius;
      if (0 <= from && from < num_points) h_out[x] += h_weights[i] * h_in[from];
    }
  }
  check(cudaMemcpyAsync(d_out, h_out.data(), num_points * sizeof(float), cudaMemcpyHostToDevice,
                        stream));
  check(cudaStreamSynchronize(stream));
}

}  // namespace lab
