// SPDX-License-Identifier: MIT
// Anchors: the device's limits and NVIDIA's library, the calls that speed is compared with. They
// follow the labs' calling rules, so they run in a worker like any submission.
#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstdint>

#include "lab/scratch.cuh"

namespace lab {

// Reads num_items floats and writes one: the floor of every reduction.
//   d_in  (num_items)  device, 256-byte aligned; num_items a multiple of 4
//   d_out (1)          device
void read_bandwidth(const float* d_in, int num_items, float* d_out, Scratch& scratch,
                    cudaStream_t stream);

// read_bandwidth of two arrays, one after the other.
//   d_a, d_b (num_items)  device, 256-byte aligned; num_items a multiple of 4
//   d_out    (1)          device
void read_bandwidth_of_two(const float* d_a, const float* d_b, int num_items, float* d_out,
                           Scratch& scratch, cudaStream_t stream);

// Copies num_items 4-byte words: the floor of everything that reads and writes each item once.
//   d_in  (num_items)  device, 256-byte aligned; num_items a multiple of 4
//   d_out (num_items)  device, 256-byte aligned
void copy_bandwidth(const int* d_in, int num_items, int* d_out, Scratch& scratch,
                    cudaStream_t stream);

// The layout of lab 14-merge's Fraction.
struct alignas(8) Ratio {
  int numerator;
  int denominator;
};

// Copies both arrays into d_out, one after the other: the floor of every merge. Shapes as
// lab::merge; both inputs of an even length.
void copy_bandwidth_of_two(const Ratio* d_a, int num_a, const Ratio* d_b, int num_b, Ratio* d_out,
                           Scratch& scratch, cudaStream_t stream);

// cub::DeviceMerge::MergeKeys and cub::DeviceMergeSort::SortKeysCopy, which is stable, by the value
// of a ratio, with the temporary storage from scratch. Shapes as lab::merge and lab::sort, whose
// order is ignored.
void cub_merge(const Ratio* d_a, int num_a, const Ratio* d_b, int num_b, Ratio* d_out,
               Scratch& scratch, cudaStream_t stream);
void cub_merge_sort(const Ratio* d_in, int num_items, int order, Ratio* d_out, Scratch& scratch,
                    cudaStream_t stream);

// Adds two arrays of num_items floats: the floor of everything that reads two items to write one.
//   d_a, d_b, d_sum (num_items)  device, 256-byte aligned; num_items a multiple of 4
void add_bandwidth(const float* d_a, const float* d_b, int num_items, float* d_sum,
                   Scratch& scratch, cudaStream_t stream);

// cub::DeviceReduce::Sum with the temporary storage from scratch. Shapes as lab::reduce_sum.
void cub_reduce_sum(const float* d_in, int num_items, float* d_out, Scratch& scratch,
                    cudaStream_t stream);

// cub::DeviceScan::ExclusiveSum with the temporary storage from scratch. Shapes as
// lab::exclusive_scan.
void cub_exclusive_scan(const int* d_in, int num_items, int* d_out, Scratch& scratch,
                        cudaStream_t stream);

// copy_bandwidth for keys and for values, in the shape of lab::sort_pairs.
void copy_bandwidth_of_pairs(const std::uint32_t* d_keys_in, const std::uint32_t* d_values_in,
                             int num_items, std::uint32_t* d_keys_out, std::uint32_t* d_values_out,
                             Scratch& scratch, cudaStream_t stream);

// cub::DeviceRadixSort::SortKeys and SortPairs with the temporary storage from scratch, each with
// the type of num_items that is fastest at 2^28 items. Shapes as lab::radix_sort and
// lab::sort_pairs.
void cub_radix_sort_keys(const std::uint32_t* d_in, int num_items, std::uint32_t* d_out,
                         Scratch& scratch, cudaStream_t stream);
void cub_radix_sort_pairs(const std::uint32_t* d_keys_in, const std::uint32_t* d_values_in,
                          int num_items, std::uint32_t* d_keys_out, std::uint32_t* d_values_out,
                          Scratch& scratch, cudaStream_t stream);

// Selects the items that the next two functions keep; the same as lab 03-compaction's Predicate.
struct BitsEqual {
  int mask;
  int value;
  __host__ __device__ bool operator()(int item) const { return (item & mask) == value; }
};

// Reads num_items words and writes half as many, whatever the predicate: the floor of a selection
// that keeps half of its items. One that keeps more items writes more.
//   d_in    (num_items)  device, 256-byte aligned; num_items a multiple of 8
//   d_out   (num_items)  device, 256-byte aligned; the first half is overwritten
//   d_count (1)          device, left alone
void select_limit(const int* d_in, int num_items, BitsEqual keep, int* d_out, int* d_count,
                  Scratch& scratch, cudaStream_t stream);

// cub::DeviceSelect::If with the temporary storage from scratch. Shapes as lab::compact.
void cub_select_if(const int* d_in, int num_items, BitsEqual keep, int* d_out, int* d_count,
                   Scratch& scratch, cudaStream_t stream);

// cub::DeviceHistogram::HistogramEven with the temporary storage from scratch. Shapes as
// lab::histogram.
void cub_histogram_even(const float* d_samples, int num_samples, int num_bins, float lower,
                        float upper, unsigned int* d_counts, Scratch& scratch, cudaStream_t stream);

// num_rows * num_cols * depth fused multiply-adds between registers, the floor of every float32
// matrix product without tensor cores: nothing is loaded, so every issue slot can hold a
// multiply-add. d_c is not written. Shapes as lab::matmul.
void ffma_peak(const float* d_a, const float* d_b, int num_rows, int num_cols, int depth,
               float* d_c, Scratch& scratch, cudaStream_t stream);

// cublasSgemm in float32 (no TF32). Shapes as lab::matmul.
void cublas_sgemm(const float* d_a, const float* d_b, int num_rows, int num_cols, int depth,
                  float* d_c, Scratch& scratch, cudaStream_t stream);

// num_rows * num_cols * depth multiply-adds by mma.sync in bfloat16 between registers: what this
// instruction can do. d_c is not written. Shapes as lab::matmul_bf16 and
// lab::matmul_split.
void mma_peak(const void* d_a, const void* d_b, int num_rows, int num_cols, int depth, float* d_c,
              Scratch& scratch, cudaStream_t stream);

// The same by Hopper's wgmma, with the factors in shared memory: nothing is loaded. On other
// devices it does nothing.
void wgmma_peak(const void* d_a, const void* d_b, int num_rows, int num_cols, int depth, float* d_c,
                Scratch& scratch, cudaStream_t stream);

// mma_peak, also in bfloat16, in the shape of lab::matmul_e4m3.
void mma_peak_with_scales(const void* d_a, const float* d_a_scales, const void* d_b,
                          const float* d_b_scales, int num_rows, int num_cols, int depth,
                          float* d_c, Scratch& scratch, cudaStream_t stream);

// cublasGemmEx from bfloat16 to float32, which it also adds in. Shapes as lab::matmul_bf16.
void cublas_bf16(const __nv_bfloat16* d_a, const __nv_bfloat16* d_b, int num_rows, int num_cols,
                 int depth, float* d_c, Scratch& scratch, cudaStream_t stream);

// cusparseSpMV with the temporary storage from scratch: by CUSPARSE_SPMV_CSR_ALG1, which is the
// faster one for rows of about the same length, or by CUSPARSE_SPMV_CSR_ALG2, for one long row.
// Shapes as lab::multiply.
void cusparse_multiply(const int* d_offsets, const int* d_columns, const float* d_values,
                       int num_rows, int num_columns, int num_nonzeros, const float* d_x,
                       float* d_y, Scratch& scratch, cudaStream_t stream);
void cusparse_multiply_balanced(const int* d_offsets, const int* d_columns, const float* d_values,
                                int num_rows, int num_columns, int num_nonzeros, const float* d_x,
                                float* d_y, Scratch& scratch, cudaStream_t stream);

}  // namespace lab
