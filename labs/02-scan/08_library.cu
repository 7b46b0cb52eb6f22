// SPDX-License-Identifier: MIT
// The same by CUB, NVIDIA's library: you bring the operator, and the value that comes first.
#include <cub/device/device_scan.cuh>
#include <cuda/functional>
#include <limits>

#include "lab/cuda_error.cuh"
#include "lab/todo.cuh"
#include "scan.cuh"

namespace lab {
namespace {

// Calls a function of CUB, `call(d_temporary, size_bytes)`.
template <class Call>
void with_temporary(Scratch& scratch, const Call& call) {
  std::size_t size_bytes = 0;
  // TODO 1. With nullptr for d_temporary, a call only sets size_bytes: nothing is launched. Then
  //         call again, with that much of scratch. Both calls return an error code: check() it.
}

// Applies `first`, then `second`.
struct Compose {
  __host__ __device__ AffineMap operator()(AffineMap first, AffineMap second) const {
    // TODO 2. second(first(x)) is one map of x: what are its scale and its shift?
    return first;
  }
};

}  // namespace

void exclusive_scan(const int* d_in, int num_items, int* d_out, Scratch& scratch,
                    cudaStream_t stream) {
  todo("08_library: exclusive_scan");
  with_temporary(scratch, [&](void* d_temporary, std::size_t& size_bytes) {
    // TODO 3. cub::DeviceScan::ExclusiveSum. Which type must the sums have, by the contract?
    return cudaSuccess;
  });
}

void exclusive_max_scan(const int* d_in, int num_items, int* d_out, Scratch& scratch,
                        cudaStream_t stream) {
  todo("08_library: exclusive_max_scan");
  // TODO 4. cub::DeviceScan::ExclusiveScan with cuda::maximum<>{}. Which value comes first?
}

void inclusive_affine_scan(const AffineMap* d_in, int num_maps, AffineMap* d_out, Scratch& scratch,
                           cudaStream_t stream) {
  todo("08_library: inclusive_affine_scan");
  // TODO 5. cub::DeviceScan::InclusiveScan with Compose{}. Why does it need no first value?
}

}  // namespace lab
