// SPDX-License-Identifier: MIT
// The same by CUB, NVIDIA's library: you bring the operator, and the value that comes first.
// New: temporary memory that the library asks for; operators of your own, one not commutative.
// Cost: one launch that clears the words of the tiles, and one pass by look-back, as in 06.
// Source: D. Merrill and M. Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back".
#include <cub/device/device_scan.cuh>
#include <cuda/functional>
#include <limits>

#include "lab/cuda_error.cuh"
#include "scan.cuh"

namespace lab {
namespace {

// Calls `call(d_temporary, size_bytes)` twice: with null, which only sets the size that the library
// needs, and with that much of scratch.
template <class Call>
void with_temporary(Scratch& scratch, const Call& call) {
  std::size_t size_bytes = 0;
  check(call(nullptr, size_bytes));
  check(call(scratch.allocate<char>(size_bytes), size_bytes));
}

// Applies `first`, then `second`. The library may regroup the items, but keeps their order.
struct Compose {
  __host__ __device__ AffineMap operator()(AffineMap first, AffineMap second) const {
    return {first.scale * second.scale, first.shift * second.scale + second.shift};
  }
};

}  // namespace

void exclusive_scan(const int* d_in, int num_items, int* d_out, Scratch& scratch,
                    cudaStream_t stream) {
  with_temporary(scratch, [&](void* d_temporary, std::size_t& size_bytes) {
    return cub::DeviceScan::ExclusiveSum(d_temporary, size_bytes, as_unsigned(d_in),
                                         as_unsigned(d_out), num_items, stream);
  });
}

void exclusive_max_scan(const int* d_in, int num_items, int* d_out, Scratch& scratch,
                        cudaStream_t stream) {
  constexpr int kLeast = std::numeric_limits<int>::min();
  with_temporary(scratch, [&](void* d_temporary, std::size_t& size_bytes) {
    return cub::DeviceScan::ExclusiveScan(d_temporary, size_bytes, d_in, d_out, cuda::maximum<>{},
                                          kLeast, num_items, stream);
  });
}

void inclusive_affine_scan(const AffineMap* d_in, int num_maps, AffineMap* d_out, Scratch& scratch,
                           cudaStream_t stream) {
  with_temporary(scratch, [&](void* d_temporary, std::size_t& size_bytes) {
    return cub::DeviceScan::InclusiveScan(d_temporary, size_bytes, d_in, d_out, Compose{}, num_maps,
                                          stream);
  });
}

}  // namespace lab
