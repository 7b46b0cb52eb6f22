// SPDX-License-Identifier: MIT
// The anchors that call CUB. They are in one file because nvcc needs most of its time to read CUB's
// headers: this file takes 11 s of processor time, four files took 30 s.
#include <cstddef>
#include <cub/device/device_histogram.cuh>
#include <cub/device/device_merge.cuh>
#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>

#include "anchors.cuh"
#include "lab/cuda_error.cuh"
#include "lab/scratch.cuh"

namespace lab {
namespace {

constexpr int kBits = 32;
// CUB sorts few keys and many pairs faster when num_items is an int, and otherwise when it is a
// std::size_t. Where that changes lies between two sizes of docs/bench/h200-library.json.
constexpr int kManyKeys = 1 << 23;
constexpr int kManyPairs = 1 << 18;

struct ByValue {
  __device__ bool operator()(Ratio x, Ratio y) const {
    return static_cast<std::int64_t>(x.numerator) * y.denominator <
           static_cast<std::int64_t>(y.numerator) * x.denominator;
  }
};

// Calls `call(d_temporary, temporary_bytes)` twice: first with null, which returns the memory it
// needs, then with that much of `scratch`. Throws CudaError, std::bad_alloc.
template <class Call>
void call_cub(Scratch& scratch, const Call& call) {
  std::size_t temporary_bytes = 0;
  check(call(static_cast<void*>(nullptr), temporary_bytes));
  check(call(static_cast<void*>(scratch.allocate<char>(temporary_bytes)), temporary_bytes));
}

}  // namespace

void cub_reduce_sum(const float* d_in, int num_items, float* d_out, Scratch& scratch,
                    cudaStream_t stream) {
  call_cub(scratch, [&](void* d_temporary, std::size_t& temporary_bytes) {
    return cub::DeviceReduce::Sum(d_temporary, temporary_bytes, d_in, d_out, num_items, stream);
  });
}

void cub_exclusive_scan(const int* d_in, int num_items, int* d_out, Scratch& scratch,
                        cudaStream_t stream) {
  call_cub(scratch, [&](void* d_temporary, std::size_t& temporary_bytes) {
    return cub::DeviceScan::ExclusiveSum(d_temporary, temporary_bytes, d_in, d_out, num_items,
                                         stream);
  });
}

void cub_select_if(const int* d_in, int num_items, BitsEqual keep, int* d_out, int* d_count,
                   Scratch& scratch, cudaStream_t stream) {
  call_cub(scratch, [&](void* d_temporary, std::size_t& temporary_bytes) {
    return cub::DeviceSelect::If(d_temporary, temporary_bytes, d_in, d_out, d_count, num_items,
                                 keep, stream);
  });
}

void cub_histogram_even(const float* d_samples, int num_samples, int num_bins, float lower,
                        float upper, unsigned int* d_counts, Scratch& scratch,
                        cudaStream_t stream) {
  call_cub(scratch, [&](void* d_temporary, std::size_t& temporary_bytes) {
    return cub::DeviceHistogram::HistogramEven(d_temporary, temporary_bytes, d_samples, d_counts,
                                               num_bins + 1, lower, upper, num_samples, stream);
  });
}

void cub_merge(const Ratio* d_a, int num_a, const Ratio* d_b, int num_b, Ratio* d_out,
               Scratch& scratch, cudaStream_t stream) {
  call_cub(scratch, [&](void* d_temporary, std::size_t& temporary_bytes) {
    return cub::DeviceMerge::MergeKeys(d_temporary, temporary_bytes, d_a, num_a, d_b, num_b, d_out,
                                       ByValue(), stream);
  });
}

void cub_merge_sort(const Ratio* d_in, int num_items, int /*order*/, Ratio* d_out, Scratch& scratch,
                    cudaStream_t stream) {
  call_cub(scratch, [&](void* d_temporary, std::size_t& temporary_bytes) {
    return cub::DeviceMergeSort::SortKeysCopy(d_temporary, temporary_bytes, d_in, d_out, num_items,
                                              ByValue(), stream);
  });
}

void copy_bandwidth_of_pairs(const std::uint32_t* d_keys_in, const std::uint32_t* d_values_in,
                             int num_items, std::uint32_t* d_keys_out, std::uint32_t* d_values_out,
                             Scratch& scratch, cudaStream_t stream) {
  const auto copy = [&](const std::uint32_t* d_in, std::uint32_t* d_out) {
    copy_bandwidth(reinterpret_cast<const int*>(d_in), num_items, reinterpret_cast<int*>(d_out),
                   scratch, stream);
  };
  copy(d_keys_in, d_keys_out);
  copy(d_values_in, d_values_out);
}

void cub_radix_sort_keys(const std::uint32_t* d_in, int num_items, std::uint32_t* d_out,
                         Scratch& scratch, cudaStream_t stream) {
  const auto sort = [&](auto count) {
    call_cub(scratch, [&](void* d_temporary, std::size_t& temporary_bytes) {
      return cub::DeviceRadixSort::SortKeys(d_temporary, temporary_bytes, d_in, d_out, count, 0,
                                            kBits, stream);
    });
  };
  if (num_items < kManyKeys) return sort(num_items);
  sort(static_cast<std::size_t>(num_items));
}

void cub_radix_sort_pairs(const std::uint32_t* d_keys_in, const std::uint32_t* d_values_in,
                          int num_items, std::uint32_t* d_keys_out, std::uint32_t* d_values_out,
                          Scratch& scratch, cudaStream_t stream) {
  const auto sort = [&](auto count) {
    call_cub(scratch, [&](void* d_temporary, std::size_t& temporary_bytes) {
      return cub::DeviceRadixSort::SortPairs(d_temporary, temporary_bytes, d_keys_in, d_keys_out,
                                             d_values_in, d_values_out, count, 0, kBits, stream);
    });
  };
  if (num_items >= kManyPairs) return sort(num_items);
  sort(static_cast<std::size_t>(num_items));
}

}  // namespace lab
