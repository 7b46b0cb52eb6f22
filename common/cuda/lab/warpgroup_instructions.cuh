// SPDX-License-Identifier: MIT
// Hopper's instructions for four warps, and the copies and barriers that go with them, as
// functions. They need compute capability 9.0 exactly: nvcc's sm_90a.
//
// A warpgroup is four warps, the first of them a multiple of four. wgmma multiplies tiles that lie
// in shared memory in rows of 128 bytes with the swizzle of lab 08: eight rows are a group of 1024
// bytes, and tiles begin at multiples of that. Sum i of thread t of the group is
//   row 16 * (t / 32) + t % 32 / 4 + 8 * (i / 2 % 2), column 8 * (i / 4) + 2 * (t % 4) + i % 2
// Source: PTX ISA, "Asynchronous Warpgroup Level Matrix Multiply-Accumulate Instructions",
// "cp.async.bulk.tensor" and "mbarrier".
#pragma once

#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstdint>

#include "lab/cuda_error.cuh"

namespace lab {

__device__ __forceinline__ std::uint32_t shared_address(const void* p) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(p));
}

// ---- Barriers in shared memory

// A phase is complete after `count` arrivals and after the bytes that they announced.
__device__ __forceinline__ void init_barrier(std::uint64_t* barrier, int count) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(count)
               : "memory");
}
// After writes to shared memory, before the threads meet: copies and products see the writes.
__device__ __forceinline__ void publish_to_copies_and_products() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
// After the inits, before the threads meet: copies see the barriers.
__device__ __forceinline__ void publish_barriers() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  publish_to_copies_and_products();
}
__device__ __forceinline__ void arrive(std::uint64_t* barrier) {
  asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(shared_address(barrier)) : "memory");
}
// Arrives, and announces copies of size_bytes.
__device__ __forceinline__ void arrive_and_expect(std::uint64_t* barrier, int size_bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(shared_address(barrier)),
               "r"(size_bytes)
               : "memory");
}
// Waits until the phase of that parity is complete. The first phase has parity 0, the next one 1.
__device__ __forceinline__ void wait(std::uint64_t* barrier, int parity) {
  std::uint32_t is_complete = 0;
  while (is_complete == 0) {
    asm volatile(
        "{\n.reg .pred p;\nmbarrier.try_wait.parity.shared.b64 p, [%1], %2;\n"
        "selp.u32 %0, 1, 0, p;\n}"
        : "=r"(is_complete)
        : "r"(shared_address(barrier)), "r"(parity)
        : "memory");
  }
}

// ---- Copies by a tensor map

// Of a row-major matrix, for boxes of box_rows x 64 numbers. They arrive in rows of 128 bytes with
// the swizzle; what lies outside of the matrix arrives as zeros.
inline CUtensorMap tensor_map(const __nv_bfloat16* d_matrix, int num_rows, int num_cols,
                              int box_rows) {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult result;
  check(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000,
                                         cudaEnableDefault, &result));
  const cuuint64_t sizes[] = {static_cast<cuuint64_t>(num_cols), static_cast<cuuint64_t>(num_rows)};
  const cuuint64_t row_bytes[] = {sizeof(__nv_bfloat16) * static_cast<cuuint64_t>(num_cols)};
  const cuuint32_t box[] = {64, static_cast<cuuint32_t>(box_rows)};
  const cuuint32_t steps[] = {1, 1};
  CUtensorMap map;
  const bool is_made =
      function != nullptr &&
      reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(function)(
          &map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, const_cast<__nv_bfloat16*>(d_matrix), sizes,
          row_bytes, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
          CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
  check(is_made ? cudaSuccess : cudaErrorInvalidValue);
  return map;
}

// One thread starts the copy of the box whose first element is (row, col). `barrier` gets its
// bytes.
__device__ __forceinline__ void copy_box(void* to, const CUtensorMap& map, int row, int col,
                                         std::uint64_t* barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%2, %3}], [%4];" ::"r"(shared_address(to)),
      "l"(&map), "r"(col), "r"(row), "r"(shared_address(barrier))
      : "memory");
}

// ---- Registers of a warpgroup

// All four warps: each thread has kRegisters from here on, a multiple of 8. A block's registers
// are divided equally at its launch; what some give, others can take.
template <int kRegisters>
__device__ __forceinline__ void give_registers() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(kRegisters));
}
template <int kRegisters>
__device__ __forceinline__ void take_registers() {  // waits until they are free
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(kRegisters));
}

// ---- Products of a warpgroup

// Where a tile begins. `next_columns`: bytes from 64 columns of B to the next 64; A needs none.
__device__ __forceinline__ std::uint64_t tile_descriptor(const void* tile, int next_columns = 16) {
  constexpr std::uint64_t kEightRows = 1024, kSwizzle128 = 1;
  return shared_address(tile) / 16 | static_cast<std::uint64_t>(next_columns / 16) << 16 |
         kEightRows / 16 << 32 | kSwizzle128 << 62;
}

// Before the first product, and after other instructions have used the sums.
__device__ __forceinline__ void fence_sums() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
// The products since the last commit become a group.
__device__ __forceinline__ void commit_products() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
// Waits for all groups but the newest kGroups.
template <int kGroups>
__device__ __forceinline__ void wait_for_products() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(kGroups) : "memory");
}

#define LAB_EIGHT_SUMS(i)                                                                     \
  "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), \
      "+f"(d[i + 6]), "+f"(d[i + 7])
#define LAB_SUMS                                                                \
  LAB_EIGHT_SUMS(0), LAB_EIGHT_SUMS(8), LAB_EIGHT_SUMS(16), LAB_EIGHT_SUMS(24), \
      LAB_EIGHT_SUMS(32), LAB_EIGHT_SUMS(40), LAB_EIGHT_SUMS(48), LAB_EIGHT_SUMS(56)

// The same; and the compiler uses d after the wait only, and not before, where others go on.
template <int kGroups>
__device__ __forceinline__ void wait_for_products(float (&d)[64]) {
  asm volatile("wgmma.wait_group.sync.aligned %64;" : LAB_SUMS : "n"(kGroups) : "memory");
}

// Starts D += A B, or D = A B unless `adds`. A is 64 x 16, B is 16 x 128, D is 64 x 128 floats.
#define LAB_START_PRODUCT(operands, ...)                                                           \
  asm volatile(                                                                                    \
      "{\n.reg .pred adds;\nsetp.ne.b32 adds, %64, 0;\n"                                           \
      "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 "                                     \
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "                    \
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "           \
      "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "           \
      "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, " operands \
      ";\n}"                                                                                       \
      : LAB_SUMS                                                                                   \
      : "r"(static_cast<int>(adds)), __VA_ARGS__)

// A's rows are K, and B's are N.
__device__ __forceinline__ void start_product(float (&d)[64], std::uint64_t a, std::uint64_t b,
                                              bool adds = true) {
  LAB_START_PRODUCT("%65, %66, adds, 1, 1, 0, 1", "l"(a), "l"(b));
}
// The tile of B is its transpose, 128 x 16: its rows are K.
__device__ __forceinline__ void start_product_transposed(float (&d)[64], std::uint64_t a,
                                                         std::uint64_t b, bool adds = true) {
  LAB_START_PRODUCT("%65, %66, adds, 1, 1, 0, 0", "l"(a), "l"(b));
}
// A is in registers: each warp has 16 rows of it, as in lab/matrix_instructions.cuh.
__device__ __forceinline__ void start_product(float (&d)[64], const std::uint32_t (&a)[4],
                                              std::uint64_t b, bool adds = true) {
  LAB_START_PRODUCT("{%65, %66, %67, %68}, %69, adds, 1, 1, 1", "r"(a[0]), "r"(a[1]), "r"(a[2]),
                    "r"(a[3]), "l"(b));
}
#undef LAB_START_PRODUCT
#undef LAB_SUMS
#undef LAB_EIGHT_SUMS

}  // namespace lab
