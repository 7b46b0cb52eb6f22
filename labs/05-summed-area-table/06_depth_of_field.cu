// SPDX-License-Identifier: MIT
// A picture that is sharp at one distance and blurred before and behind it: every pixel has a
// window of its own. When it is right, look at what you have made: the check says where the
// pictures are.
#include "lab/cuda_error.cuh"
#include "lab/launch.cuh"
#include "lab/todo.cuh"
#include "summed_area_table.cuh"

namespace lab {
namespace {

constexpr int kBlockWidth = 64;
constexpr int kBlockHeight = 4;

// One thread per pixel; blocks of kBlockWidth x kBlockHeight, row after row of blocks.
__global__ void depth_of_field_kernel(const int* d_tables, const unsigned char* d_nearness,
                                      int width, int height, int focus, int max_radius,
                                      unsigned char* d_out) {
  // TODO 1. The pixel's nearness gives its radius; see summed_area_table.cuh. In which order must
  //         you multiply and divide, in integers?
  // TODO 2. The window is the same for the three colours. Which part of the work can they share?
  // TODO 3. Where does the table of colour c begin? Four look-ups in each, as in your 05.
  // TODO 4. Round to the nearest integer. Where do red, green and blue of a pixel go?
}

}  // namespace

void depth_of_field(const int* d_tables, const unsigned char* d_nearness, int width, int height,
                    int focus, int max_radius, unsigned char* d_out, Scratch& /*scratch*/,
                    cudaStream_t stream) {
  todo("06_depth_of_field: write the kernel and its launch, then delete this line");

  // TODO 5. The grid of your 05.
  const int num_blocks = 1;
  const dim3 threads_per_block(kBlockWidth, kBlockHeight);
  depth_of_field_kernel<<<num_blocks, threads_per_block, 0, stream>>>(
      d_tables, d_nearness, width, height, focus, max_radius, d_out);
  check_launch();
}

}  // namespace lab
