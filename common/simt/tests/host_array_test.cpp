// SPDX-License-Identifier: MIT
// Arrays, texture objects and surface objects: what can be made, copied and freed.
#include <numeric>
#include <vector>

#include "host_test.h"

namespace {

class HostArray : public simt_test::HostTest {
 protected:
  cudaArray_t make(std::size_t width, std::size_t height, unsigned flags = 0) {
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
    cudaArray_t array = nullptr;
    EXPECT_EQ(cudaMallocArray(&array, &format, width, height, flags), cudaSuccess);
    return array;
  }
};

cudaResourceDesc resource_of(cudaArray_t array) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  return resource;
}

cudaError_t make_texture(const cudaResourceDesc& resource, const cudaTextureDesc& how) {
  cudaTextureObject_t object = 0;
  const cudaError_t error = cudaCreateTextureObject(&object, &resource, &how, nullptr);
  if (error == cudaSuccess) {
    EXPECT_EQ(cudaDestroyTextureObject(object), cudaSuccess);
  }
  cudaGetLastError();
  return error;
}

TEST_F(HostArray, DescribesChannels) {
  const cudaChannelFormatDesc scalar = cudaCreateChannelDesc<float>();
  EXPECT_EQ(scalar.x, 32);
  EXPECT_EQ(scalar.y, 0);
  EXPECT_EQ(scalar.f, cudaChannelFormatKindFloat);
  const cudaChannelFormatDesc vector = cudaCreateChannelDesc<uchar4>();
  EXPECT_EQ(vector.x, 8);
  EXPECT_EQ(vector.w, 8);
  EXPECT_EQ(vector.f, cudaChannelFormatKindUnsigned);
  EXPECT_EQ(cudaCreateChannelDesc<short2>().y, 16);
  EXPECT_EQ(cudaCreateChannelDesc<short2>().f, cudaChannelFormatKindSigned);
}

TEST_F(HostArray, KnowsWhatItIsMadeOf) {
  const cudaArray_t array = make(5, 3, cudaArraySurfaceLoadStore);
  cudaChannelFormatDesc format = {};
  cudaExtent extent = {};
  unsigned flags = 0;
  EXPECT_EQ(cudaArrayGetInfo(&format, &extent, &flags, array), cudaSuccess);
  EXPECT_EQ(format.x, 32);
  EXPECT_EQ(extent.width, 5u);
  EXPECT_EQ(extent.height, 3u);
  EXPECT_EQ(extent.depth, 0u);
  EXPECT_EQ(flags, cudaArraySurfaceLoadStore);
  EXPECT_EQ(cudaFreeArray(array), cudaSuccess);
  expect_error(cudaFreeArray(array), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFreeArray(nullptr), cudaSuccess);
}

TEST_F(HostArray, RefusesWhatADeviceCannotHold) {
  cudaArray_t array = nullptr;
  const cudaChannelFormatDesc three = {32, 32, 32, 0, cudaChannelFormatKindFloat};
  expect_error(cudaMallocArray(&array, &three, 4, 4), cudaErrorInvalidChannelDescriptor);
  const cudaChannelFormatDesc mixed = {32, 16, 0, 0, cudaChannelFormatKindFloat};
  expect_error(cudaMallocArray(&array, &mixed, 4, 4), cudaErrorInvalidChannelDescriptor);
  const cudaChannelFormatDesc fine = cudaCreateChannelDesc<int>();
  expect_error(cudaMallocArray(&array, &fine, 0, 4), cudaErrorInvalidValue);
  expect_error(cudaMallocArray(&array, &fine, 4, 1 << 20), cudaErrorInvalidValue);
  expect_error(cudaMallocArray(nullptr, &fine, 4, 4), cudaErrorInvalidValue);
}

TEST_F(HostArray, CopiesBoxesAtAnOffset) {
  const cudaArray_t array = make(4, 3);
  std::vector<int> in(12), out(12, -1);
  std::iota(in.begin(), in.end(), 0);
  ASSERT_EQ(cudaMemcpy2DToArray(array, 0, 0, in.data(), 16, 16, 3, cudaMemcpyHostToDevice),
            cudaSuccess);
  ASSERT_EQ(cudaMemcpy2DFromArray(out.data(), 8, array, 4, 1, 8, 2, cudaMemcpyDeviceToHost),
            cudaSuccess);
  EXPECT_EQ((std::vector<int>(out.begin(), out.begin() + 5)), (std::vector<int>{5, 6, 9, 10, -1}));
  ASSERT_EQ(cudaMemcpyFromArray(out.data(), array, 8, 0, 16, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ((std::vector<int>(out.begin(), out.begin() + 4)), (std::vector<int>{2, 3, 4, 5}));
  const cudaArray_t other = make(4, 3);
  ASSERT_EQ(cudaMemcpy2DArrayToArray(other, 0, 0, array, 0, 1, 16, 2), cudaSuccess);
  ASSERT_EQ(cudaMemcpyFromArray(out.data(), other, 0, 0, 16, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(out[0], 4);
  cudaFreeArray(array), cudaFreeArray(other);
}

TEST_F(HostArray, RefusesCopiesThatLeaveTheArray) {
  const cudaArray_t array = make(4, 3);
  std::vector<int> in(20);
  expect_error(cudaMemcpy2DToArray(array, 4, 0, in.data(), 16, 16, 3, cudaMemcpyHostToDevice),
               cudaErrorInvalidValue);
  expect_error(cudaMemcpy2DToArray(array, 0, 1, in.data(), 16, 16, 3, cudaMemcpyHostToDevice),
               cudaErrorInvalidValue);
  expect_error(cudaMemcpyToArray(array, 0, 0, in.data(), 52, cudaMemcpyHostToDevice),
               cudaErrorInvalidValue);
  expect_error(cudaMemcpyToArray(array, 0, 0, in.data(), 48, cudaMemcpyDeviceToDevice),
               cudaErrorInvalidValue);
  cudaFreeArray(array);
  expect_error(cudaMemcpyToArray(array, 0, 0, in.data(), 4, cudaMemcpyHostToDevice),
               cudaErrorInvalidValue);
}

TEST_F(HostArray, CopiesVolumesInElements) {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<short>();
  cudaArray_t array = nullptr;
  ASSERT_EQ(cudaMalloc3DArray(&array, &format, {3, 2, 2}), cudaSuccess);
  std::vector<short> in(12), out(2, -1);
  std::iota(in.begin(), in.end(), static_cast<short>(0));
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(in.data(), 6, 3, 2);
  copy.dstArray = array;
  copy.extent = {3, 2, 2};
  copy.kind = cudaMemcpyHostToDevice;
  ASSERT_EQ(cudaMemcpy3D(&copy), cudaSuccess);
  copy = {};
  copy.srcArray = array;
  copy.srcPos = {1, 1, 1};
  copy.dstPtr = make_cudaPitchedPtr(out.data(), 4, 2, 1);
  copy.extent = {2, 1, 1};
  copy.kind = cudaMemcpyDeviceToHost;
  ASSERT_EQ(cudaMemcpy3D(&copy), cudaSuccess);
  EXPECT_EQ(out, (std::vector<short>{10, 11}));
  copy.extent.width = 3;
  expect_error(cudaMemcpy3D(&copy), cudaErrorInvalidValue);
  cudaFreeArray(array);
}

TEST_F(HostArray, RefusesReadingsThatADeviceLacks) {
  const cudaArray_t array = make(4, 4);
  cudaTextureDesc how = {};
  EXPECT_EQ(make_texture(resource_of(array), how), cudaSuccess);
  how.filterMode = cudaFilterModeLinear;
  EXPECT_EQ(make_texture(resource_of(array), how), cudaErrorInvalidFilterSetting);
  how = {};
  how.readMode = cudaReadModeNormalizedFloat;
  EXPECT_EQ(make_texture(resource_of(array), how), cudaErrorInvalidNormSetting);
  cudaFreeArray(array);
  how = {};
  EXPECT_EQ(make_texture(resource_of(array), how), cudaErrorInvalidValue);
}

TEST_F(HostArray, ChecksLinearMemory) {
  char* base = nullptr;
  ASSERT_EQ(cudaMalloc(&base, 4096), cudaSuccess);
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.desc = cudaCreateChannelDesc<float>();
  resource.res.linear.sizeInBytes = 1024;
  const cudaTextureDesc how = {};
  for (const auto& [offset, error] : {std::pair{0, cudaSuccess},
                                      {512, cudaSuccess},
                                      {4, cudaErrorInvalidValue},
                                      {3584, cudaErrorInvalidValue}}) {
    resource.res.linear.devPtr = base + offset;
    EXPECT_EQ(make_texture(resource, how), error) << offset;
  }
  resource = {};
  resource.resType = cudaResourceTypePitch2D;
  resource.res.pitch2D = {base, cudaCreateChannelDesc<float>(), 10, 10, 64};
  EXPECT_EQ(make_texture(resource, how), cudaSuccess);
  resource.res.pitch2D.pitchInBytes = 40;
  EXPECT_EQ(make_texture(resource, how), cudaErrorInvalidValue);
  cudaFree(base);
}

TEST_F(HostArray, MakesSurfacesOfArraysForThem) {
  const cudaArray_t plain = make(4, 4), array = make(4, 4, cudaArraySurfaceLoadStore);
  cudaSurfaceObject_t object = 0;
  cudaResourceDesc resource = resource_of(plain);
  expect_error(cudaCreateSurfaceObject(&object, &resource), cudaErrorInvalidValue);
  resource = resource_of(array);
  EXPECT_EQ(cudaCreateSurfaceObject(&object, &resource), cudaSuccess);
  EXPECT_EQ(cudaDestroySurfaceObject(object), cudaSuccess);
  expect_error(cudaDestroySurfaceObject(object), cudaErrorInvalidValue);
  cudaFreeArray(plain), cudaFreeArray(array);
}

}  // namespace
