// SPDX-License-Identifier: MIT
// A product of bfloat16 by wgmma, whose tiles a tensor map brings and takes away. For compute
// capability 9.0: compile it for sm_90a.
#include <cuda.h>
#include <cuda_bf16.h>

#include <cstdint>

#include "check.h"

// c = a * b^T. A block computes all of c in one step of depth.
constexpr int kRows = 64, kColumns = 64, kDepth = 64, kStep = 16;

__device__ std::uint32_t shared_address(const void* p) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(p));
}

// Rows of 128 bytes with that swizzle, eight of them 1024 bytes.
__device__ std::uint64_t descriptor(const void* tile) {
  return shared_address(tile) >> 4 | std::uint64_t{1024 >> 4} << 32 | std::uint64_t{1} << 62;
}

__device__ void load(void* tile, const CUtensorMap* map, std::uint64_t* full) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%2, %2}], [%3];" ::"r"(shared_address(tile)),
      "l"(map), "r"(0), "r"(shared_address(full))
      : "memory");
}

__device__ void multiply(float (&d)[32], std::uint64_t a, std::uint64_t b) {
  asm volatile(
      "{\n.reg .pred p;\nsetp.eq.u32 p, 0, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, "
      "%32, %33, p, 1, 1, 0, 0;\n}"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]),
        "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]),
        "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]),
        "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]),
        "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31])
      : "l"(a), "l"(b));
}

__global__ void multiply_kernel(const __grid_constant__ CUtensorMap map_a,
                                const __grid_constant__ CUtensorMap map_b,
                                const __grid_constant__ CUtensorMap map_c) {
  __shared__ alignas(1024) __nv_bfloat16 tile_a[kRows * kDepth];
  __shared__ alignas(1024) __nv_bfloat16 tile_b[kColumns * kDepth];
  __shared__ alignas(128) float tile_c[kRows * kColumns];
  __shared__ std::uint64_t full;
  const int t = threadIdx.x;
  if (t == 0) {
    asm volatile("prefetch.tensormap [%0];" ::"l"(&map_a) : "memory");
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(shared_address(&full)) : "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  }
  __syncthreads();
  if (t == 0) {
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(shared_address(&full)),
                 "r"(static_cast<std::uint32_t>(sizeof tile_a + sizeof tile_b))
                 : "memory");
    load(tile_a, &map_a, &full);
    load(tile_b, &map_b, &full);
  }
  asm volatile(
      "{\n.reg .pred p;\nWAIT:\nmbarrier.try_wait.parity.shared.b64 p, [%0], 0;\n@!p bra WAIT;\n}" ::
          "r"(shared_address(&full))
      : "memory");
  float sums[32] = {};
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
  for (int k = 0; k < kDepth; k += kStep) {
    multiply(sums, descriptor(tile_a + k), descriptor(tile_b + k));
  }
  asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
  for (int i = 0; i < 32; ++i) {
    const int row = t / 32 * 16 + t % 32 / 4 + i / 2 % 2 * 8;
    const int column = i / 4 * 8 + t % 4 * 2 + i % 2;
    tile_c[row * kColumns + column] = sums[i];
  }
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (t == 0) {
    asm volatile(
        "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %1}], [%2];" ::"l"(&map_c),
        "r"(0), "r"(shared_address(tile_c))
        : "memory");
    asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group.read 0;" ::: "memory");
  }
}

CUtensorMap map_of(void* matrix, int rows, int columns, CUtensorMapDataType type, int size_bytes,
                   CUtensorMapSwizzle swizzle) {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult result;
  CHECK_CUDA(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000,
                                              cudaEnableDefault, &result));
  const auto encode = reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(function);
  CUtensorMap map;
  const cuuint64_t sizes[] = {static_cast<cuuint64_t>(columns), static_cast<cuuint64_t>(rows)};
  const cuuint64_t strides[] = {static_cast<cuuint64_t>(columns * size_bytes)};
  const cuuint32_t box[] = {64, 64}, steps[] = {1, 1};
  EXPECT(encode(&map, type, 2, matrix, sizes, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS);
  return map;
}

int main() {
  __nv_bfloat16 *a, *b;
  float* c;
  CHECK_CUDA(cudaMallocManaged(&a, kRows * kDepth * sizeof *a));
  CHECK_CUDA(cudaMallocManaged(&b, kColumns * kDepth * sizeof *b));
  CHECK_CUDA(cudaMallocManaged(&c, kRows * kColumns * sizeof *c));
  for (int i = 0; i < kRows * kDepth; ++i) a[i] = __float2bfloat16(static_cast<float>(i % 7 - 3));
  for (int i = 0; i < kColumns * kDepth; ++i) {
    b[i] = __float2bfloat16(static_cast<float>(i % 5 - 2));
  }
  const auto bf16 = CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
  multiply_kernel<<<1, 128>>>(
      map_of(a, kRows, kDepth, bf16, 2, CU_TENSOR_MAP_SWIZZLE_128B),
      map_of(b, kColumns, kDepth, bf16, 2, CU_TENSOR_MAP_SWIZZLE_128B),
      map_of(c, kRows, kColumns, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4, CU_TENSOR_MAP_SWIZZLE_NONE));
  CHECK_CUDA(cudaDeviceSynchronize());
  for (int row = 0; row < kRows; ++row) {
    for (int column = 0; column < kColumns; ++column) {
      int sum = 0;
      for (int k = 0; k < kDepth; ++k) {
        sum += ((row * kDepth + k) % 7 - 3) * ((column * kDepth + k) % 5 - 2);
      }
      EXPECT(c[row * kColumns + column] == static_cast<float>(sum));
    }
  }
  CHECK_CUDA(cudaFree(a));
  CHECK_CUDA(cudaFree(b));
  CHECK_CUDA(cudaFree(c));
  return 0;
}
