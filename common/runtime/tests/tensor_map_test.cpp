// SPDX-License-Identifier: MIT
// cuTensorMapEncodeTiled, as programs get it from the runtime, and what it refuses.
#include "run/tensor_map.h"

#include <cuda.h>

#include <cstring>

#include "runtime_test.h"

namespace runtime_test {
namespace {

// A tensor of 100 x 64 halves, in boxes of 64 x 8.
struct Wanted {
  CUtensorMapDataType type = CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
  cuuint32_t rank = 2;
  void* base = reinterpret_cast<void*>(0x1000);
  cuuint64_t size[2] = {64, 100};
  cuuint64_t stride = 128;
  cuuint32_t box[2] = {64, 8};
  cuuint32_t step[2] = {1, 1};
  CUtensorMapInterleave interleave = CU_TENSOR_MAP_INTERLEAVE_NONE;
  CUtensorMapSwizzle swizzle = CU_TENSOR_MAP_SWIZZLE_128B;
};

// A line of the program has one finding, so each call has a line of its own.
#define ENCODE(w)                                                                          \
  encoder()(&map_, (w).type, (w).rank, (w).base, (w).size, &(w).stride, (w).box, (w).step, \
            (w).interleave, (w).swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE,                  \
            CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE)
#define EXPECT_REFUSAL(member, value, why) \
  do {                                     \
    Wanted wanted;                         \
    wanted.member = value;                 \
    expect(ENCODE(wanted), why);           \
  } while (false)

class TensorMaps : public Runtime {
 protected:
  static decltype(&cuTensorMapEncodeTiled) encoder() {
    void* function = nullptr;
    cudaDriverEntryPointQueryResult result = cudaDriverEntryPointSymbolNotFound;
    EXPECT_EQ(
        cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &function, cudaEnableDefault, &result),
        cudaSuccess);
    EXPECT_EQ(result, cudaDriverEntryPointSuccess);
    return reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(function);
  }
  static void expect(CUresult error, const std::string& why) {
    EXPECT_EQ(error, why.find("does not offer") == std::string::npos ? CUDA_ERROR_INVALID_VALUE
                                                                     : CUDA_ERROR_NOT_SUPPORTED);
    const auto findings = take_findings();
    ASSERT_EQ(findings.size(), 1U) << why;
    EXPECT_NE(findings[0].find("cuTensorMapEncodeTiled fails: " + why), std::string::npos)
        << findings[0];
  }
  CUtensorMap map_ = {};
};

TEST_F(TensorMaps, HoldWhatKernelsNeed) {
  const Wanted wanted;
  ASSERT_EQ(ENCODE(wanted), CUDA_SUCCESS);
  EXPECT_TRUE(take_findings().empty());
  run::TensorMap made;
  memcpy(static_cast<void*>(&made), &map_, sizeof made);
  EXPECT_EQ(made.mark, run::TensorMap::kMark);
  EXPECT_EQ(made.base, 0x1000U);
  EXPECT_EQ(made.rank, 2);
  EXPECT_EQ(made.element_bytes, 2);
  EXPECT_EQ(made.swizzle_bytes, 128);
  EXPECT_EQ(made.size[1], 100U);
  EXPECT_EQ(made.stride[1], 128U);
  EXPECT_EQ(made.box[1], 8);
}

TEST_F(TensorMaps, SayWhyTheyCannotBeMade) {
  EXPECT_REFUSAL(box[1], 257, "the box of dimension 1 has 257 elements; 1 to 256 are possible");
  EXPECT_REFUSAL(stride, 130, "the stride of dimension 1 is 130 bytes, and must be a multiple");
  EXPECT_REFUSAL(base, reinterpret_cast<void*>(0x1008), "the address of the tensor must be a");
  EXPECT_REFUSAL(box[0], 128, "a row of the box is 256 bytes, and the swizzle 128");
  EXPECT_REFUSAL(box[0], 4, "a row of the box is 8 bytes, and must be a multiple of 16");
  EXPECT_REFUSAL(size[0], 0, "the size of dimension 0 is 0");
  EXPECT_REFUSAL(rank, 6, "the rank is 6, and must be 1 to 5");
  EXPECT_REFUSAL(step[1], 9, "the element stride of dimension 1 is 9");
  EXPECT_REFUSAL(box[0], 32, "the emulator does not offer rows shorter than their swizzle");
  EXPECT_REFUSAL(interleave, CU_TENSOR_MAP_INTERLEAVE_16B,
                 "the emulator does not offer interleaved layouts");
}

TEST_F(TensorMaps, OtherFunctionsOfTheDriverAreNotThere) {
  void* function = &map_;
  cudaDriverEntryPointQueryResult result = cudaDriverEntryPointSuccess;
  EXPECT_EQ(cudaGetDriverEntryPointByVersion("cuModuleLoad", &function, 12000, 0, &result),
            cudaSuccess);
  EXPECT_EQ(result, cudaDriverEntryPointSymbolNotFound);
  EXPECT_EQ(function, nullptr);
}

}  // namespace
}  // namespace runtime_test
