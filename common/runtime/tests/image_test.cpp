// SPDX-License-Identifier: MIT
// Texture and surface objects, as the host makes and ends them.
#include "runtime_test.h"

namespace runtime_test {
namespace {

class ImageObjects : public Runtime {
 protected:
  void SetUp() override {
    Runtime::SetUp();
    cudaMalloc(&d_, 16);
    const int values[4] = {10, 20, 30, 40};
    cudaMemcpy(d_, values, sizeof values, cudaMemcpyHostToDevice);
    linear_.resType = cudaResourceTypeLinear;
    linear_.res.linear.devPtr = d_;
    linear_.res.linear.desc = cudaCreateChannelDesc<int>();
    linear_.res.linear.sizeInBytes = 16;
  }
  // out[0] of the kernel, or -1 after an error.
  int fetched(cudaTextureObject_t texture) {
    int* out = nullptr;
    cudaMalloc(&out, 4);
    launch(kFetch, 1, 1, out, static_cast<int>(texture));
    int value = -1;
    const cudaError_t error = cudaMemcpy(&value, out, 4, cudaMemcpyDeviceToHost);
    return error == cudaSuccess ? value : -1;
  }

  int* d_ = nullptr;
  cudaResourceDesc linear_ = {};
  cudaTextureDesc how_ = {};
};

TEST_F(ImageObjects, AreKnownToKernelsUntilTheyAreDestroyed) {
  cudaTextureObject_t texture = 0;
  ASSERT_EQ(cudaCreateTextureObject(&texture, &linear_, &how_, nullptr), cudaSuccess);
  EXPECT_EQ(fetched(texture), 20);
  EXPECT_TRUE(take_findings().empty());
  cudaResourceDesc told = {};
  EXPECT_EQ(cudaGetTextureObjectResourceDesc(&told, texture), cudaSuccess);
  EXPECT_EQ(told.res.linear.devPtr, d_);
  EXPECT_EQ(cudaDestroyTextureObject(texture), cudaSuccess);
  EXPECT_EQ(cudaDestroyTextureObject(texture), cudaErrorInvalidValue);
  EXPECT_EQ(fetched(texture), -1);
  const auto findings = take_findings();
  ASSERT_FALSE(findings.empty());
  EXPECT_NE(findings[0].find("never created or has been destroyed"), std::string::npos);
  cudaDeviceReset();
  cudaGetLastError();
}

TEST_F(ImageObjects, GetNewNumbers) {
  cudaTextureObject_t first = 0, second = 0;
  cudaCreateTextureObject(&first, &linear_, &how_, nullptr);
  cudaDestroyTextureObject(first);
  cudaCreateTextureObject(&second, &linear_, &how_, nullptr);
  EXPECT_NE(first, 0U);
  EXPECT_NE(first, second);
  EXPECT_EQ(cudaDestroyTextureObject(second), cudaSuccess);
  EXPECT_EQ(cudaDestroyTextureObject(0), cudaSuccess);
}

TEST_F(ImageObjects, AreRefusedWithoutTheirMemory) {
  cudaTextureObject_t texture = 0;
  linear_.res.linear.sizeInBytes = 20;
  EXPECT_EQ(cudaCreateTextureObject(&texture, &linear_, &how_, nullptr), cudaErrorInvalidValue);
  linear_.res.linear.sizeInBytes = 16;
  how_.filterMode = cudaFilterModeLinear;
  EXPECT_EQ(cudaCreateTextureObject(&texture, &linear_, &how_, nullptr),
            cudaErrorInvalidFilterSetting);
  cudaSurfaceObject_t surface = 0;
  EXPECT_EQ(cudaCreateSurfaceObject(&surface, &linear_), cudaErrorInvalidValue);
  cudaArray_t array = nullptr;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
  ASSERT_EQ(cudaMallocArray(&array, &format, 4, 4, cudaArraySurfaceLoadStore), cudaSuccess);
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  EXPECT_EQ(cudaCreateSurfaceObject(&surface, &resource), cudaSuccess);
  EXPECT_EQ(cudaDestroySurfaceObject(surface), cudaSuccess);
  EXPECT_EQ(cudaDestroySurfaceObject(surface), cudaErrorInvalidValue);
  cudaFreeArray(array);
}

}  // namespace
}  // namespace runtime_test
