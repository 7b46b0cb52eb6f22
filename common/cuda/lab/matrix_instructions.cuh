// SPDX-License-Identifier: MIT
// The instructions of the tensor cores, and those that bring their operands, as functions.
//
// All 32 lanes of a warp execute them together, and together hold the matrices. With g = lane / 4
// and t = lane % 4, register i of a lane holds
//   A  row g + 8 * (i % 2), the columns of word t of half i / 2 of the row
//   B  column g, the rows of word t of half i of the column
//   D  row g + 8 * (i / 2), column 2 * t + i % 2
// A half row of A, and a half column of B, is 16 bytes, four words: 8 bfloat16, or 16 numbers of 8
// bits. So word t of half h of a row of bfloat16 has columns 8 * h + 2 * t and the next one.
// They are inlined always, so that a mistake is reported in the line that calls them.
// Source: PTX ISA, "Matrix Fragments for mma.m16n8k16" and "for mma.m16n8k32".
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace lab {

// D += A B for bfloat16. A is 16 x 16, B is 16 x 8, and D is 16 x 8 floats. Compute capability 8.0.
__device__ __forceinline__ void multiply_bf16(float (&d)[4], const std::uint32_t (&a)[4],
                                              const std::uint32_t (&b)[2]) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// D += A B for e4m3. A is 16 x 32, B is 32 x 8, and D is 16 x 8 floats. Compute capability 8.9.
__device__ __forceinline__ void multiply_e4m3(float (&d)[4], const std::uint32_t (&a)[4],
                                              const std::uint32_t (&b)[2]) {
  asm("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// Starts copying 16 bytes from global to shared memory, or clears them there if `inside` is false:
// then d_from may be any address. The copy belongs to the batch of the next __pipeline_commit().
// CUDA's __pipeline_memcpy_async takes two instructions, if the compiler does not know `inside`.
__device__ __forceinline__ void copy_or_clear_async(void* to, const void* d_from, bool inside) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(
                   static_cast<std::uint32_t>(__cvta_generic_to_shared(to))),
               "l"(__cvta_generic_to_global(d_from)), "r"(inside ? 16 : 0)
               : "memory");
}

// Loads four matrices of 8 rows of 16 bytes from shared memory. Lane l passes the address of row
// l % 8 of matrix l / 8. Register i then holds word t of row g of matrix i.
__device__ __forceinline__ void load_matrices(std::uint32_t (&words)[4], const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
               : "r"(static_cast<std::uint32_t>(__cvta_generic_to_shared(row)))
               : "memory");
}

// The same for matrices of 8 x 8 numbers of 16 bits, each transposed on the way: register i holds
// rows 2 * t and 2 * t + 1 of column g of matrix i.
__device__ __forceinline__ void load_transposed(std::uint32_t (&words)[4], const void* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
               : "r"(static_cast<std::uint32_t>(__cvta_generic_to_shared(row)))
               : "memory");
}

}  // namespace lab
