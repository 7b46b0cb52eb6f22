// SPDX-License-Identifier: MIT
// Reads through textures: which element a coordinate means, how elements are mixed and converted,
// and what is found wrong. Expected values follow the CUDA Programming Guide's definitions, worked
// out by hand.
#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

#include "device_test.h"

namespace simt_test::texture_test {
namespace {

class DeviceTexture : public DeviceTest {};

cudaTextureDesc settings(cudaTextureFilterMode filter = cudaFilterModePoint,
                         cudaTextureAddressMode mode = cudaAddressModeClamp,
                         bool is_normalised = false) {
  cudaTextureDesc how = {};
  std::fill_n(how.addressMode, 3, mode);
  how.filterMode = filter;
  how.normalizedCoords = is_normalised;
  return how;
}

// An array with values, and a texture of it.
template <class T>
class Textured {
 public:
  Textured(const std::vector<T>& values, cudaExtent extent, const cudaTextureDesc& how,
           unsigned flags = 0) {
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
    EXPECT_EQ(cudaMalloc3DArray(&array_, &format, extent, flags), cudaSuccess);
    const std::size_t height = std::max<std::size_t>(extent.height, 1);
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(const_cast<T*>(values.data()), extent.width * sizeof(T),
                                      extent.width, height);
    copy.dstArray = array_;
    copy.extent = {extent.width, height, std::max<std::size_t>(extent.depth, 1)};
    copy.kind = cudaMemcpyHostToDevice;
    EXPECT_EQ(values.size(), copy.extent.width * height * copy.extent.depth);
    EXPECT_EQ(cudaMemcpy3D(&copy), cudaSuccess);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array_;
    EXPECT_EQ(cudaCreateTextureObject(&object, &resource, &how, nullptr), cudaSuccess);
  }
  ~Textured() {
    EXPECT_EQ(cudaDestroyTextureObject(object), cudaSuccess);
    EXPECT_EQ(cudaFreeArray(array_), cudaSuccess);
  }
  Textured(const Textured&) = delete;
  Textured& operator=(const Textured&) = delete;

  cudaTextureObject_t object = 0;

 private:
  cudaArray_t array_ = nullptr;
};

template <class T>
__global__ void sample_1d_kernel(cudaTextureObject_t texture, const float* x, T* out) {
  out[threadIdx.x] = tex1D<T>(texture, x[threadIdx.x]);
}

template <class T>
std::vector<T> sample_1d(cudaTextureObject_t texture, const std::vector<float>& x) {
  Managed<float> places(x.size());
  std::copy(x.begin(), x.end(), places.get());
  Managed<T> out(x.size());
  sample_1d_kernel<<<1, static_cast<unsigned>(x.size())>>>(texture, places.get(), out.get());
  return out.values();
}

const std::vector<float> kFour = {10, 20, 30, 40};

TEST_F(DeviceTexture, TakesTheElementThatHoldsTheCoordinate) {
  Textured<float> texture(kFour, {4, 0, 0}, settings());
  EXPECT_EQ(sample_1d<float>(texture.object, {0, 0.99F, 1, 2.5F, 3.999F}),
            (std::vector<float>{10, 10, 20, 30, 40}));
}

TEST_F(DeviceTexture, ClampsOutside) {
  Textured<float> texture(kFour, {4, 0, 0}, settings());
  EXPECT_EQ(sample_1d<float>(texture.object, {-0.5F, -1e30F, 4, 1e30F, INFINITY}),
            (std::vector<float>{10, 10, 40, 40, 40}));
}

TEST_F(DeviceTexture, GivesTheBorderOutside) {
  cudaTextureDesc how = settings(cudaFilterModePoint, cudaAddressModeBorder);
  how.borderColor[0] = 7;
  Textured<float> texture(kFour, {4, 0, 0}, how);
  EXPECT_EQ(sample_1d<float>(texture.object, {-0.1F, 0, 3.9F, 4}),
            (std::vector<float>{7, 10, 40, 7}));
}

TEST_F(DeviceTexture, WrapsNormalisedCoordinates) {
  Textured<float> texture(kFour, {4, 0, 0},
                          settings(cudaFilterModePoint, cudaAddressModeWrap, true));
  EXPECT_EQ(sample_1d<float>(texture.object, {0, 0.25F, 1, 1.5F, -0.25F, -1}),
            (std::vector<float>{10, 20, 10, 30, 40, 10}));
}

TEST_F(DeviceTexture, MirrorsNormalisedCoordinates) {
  Textured<float> texture(kFour, {4, 0, 0},
                          settings(cudaFilterModePoint, cudaAddressModeMirror, true));
  EXPECT_EQ(sample_1d<float>(texture.object, {0.3F, 1.1F, 1.9F, 2.3F, -0.1F, -0.9F}),
            (std::vector<float>{20, 40, 10, 20, 10, 40}));
}

// Without normalised coordinates a device clamps instead.
TEST_F(DeviceTexture, WrapsNothingElse) {
  Textured<float> texture(kFour, {4, 0, 0}, settings(cudaFilterModePoint, cudaAddressModeWrap));
  EXPECT_EQ(sample_1d<float>(texture.object, {-1, 5}), (std::vector<float>{10, 40}));
}

TEST_F(DeviceTexture, MixesNeighboursByTheirDistance) {
  Textured<float> texture(kFour, {4, 0, 0}, settings(cudaFilterModeLinear));
  EXPECT_EQ(sample_1d<float>(texture.object, {0.5F, 1, 1.75F, 3.5F, 0, 4}),
            (std::vector<float>{10, 15, 22.5F, 40, 10, 40}));
}

TEST_F(DeviceTexture, MixesAcrossTheEdgeAsTheModeSays) {
  Textured<float> wrapped(kFour, {4, 0, 0},
                          settings(cudaFilterModeLinear, cudaAddressModeWrap, true));
  EXPECT_EQ(sample_1d<float>(wrapped.object, {0, 1}), (std::vector<float>{25, 25}));
  Textured<float> bordered(kFour, {4, 0, 0}, settings(cudaFilterModeLinear, cudaAddressModeBorder));
  EXPECT_EQ(sample_1d<float>(bordered.object, {0, 4}), (std::vector<float>{5, 20}));
}

// A weight has 8 bits of fraction: x = 0.5 + w gives w rounded to a multiple of 1/256.
TEST_F(DeviceTexture, RoundsWeightsToEightBits) {
  Textured<float> texture({0, 256}, {2, 0, 0}, settings(cudaFilterModeLinear));
  EXPECT_EQ(
      sample_1d<float>(texture.object, {0.5F + 1 / 1024.F, 0.5F + 3 / 1024.F, 1.5F - 1 / 1024.F}),
      (std::vector<float>{0, 1, 256}));
}

TEST_F(DeviceTexture, NormalisesIntegers) {
  cudaTextureDesc how = settings();
  how.readMode = cudaReadModeNormalizedFloat;
  Textured<unsigned char> bytes({0, 51, 255}, {3, 0, 0}, how);
  EXPECT_EQ(sample_1d<float>(bytes.object, {0, 1, 2}), (std::vector<float>{0, 0.2F, 1}));
  Textured<short> shorts({-32768, -32767, 0, 32767}, {4, 0, 0}, how);
  EXPECT_EQ(sample_1d<float>(shorts.object, {0, 1, 2, 3}), (std::vector<float>{-1, -1, 0, 1}));
}

TEST_F(DeviceTexture, KeepsIntegers) {
  Textured<signed char> bytes({-128, 127}, {2, 0, 0}, settings());
  EXPECT_EQ(sample_1d<signed char>(bytes.object, {0, 1}), (std::vector<signed char>{-128, 127}));
  EXPECT_EQ(sample_1d<int>(bytes.object, {0, 1}), (std::vector<int>{-128, 127}));
  Textured<unsigned> words({0xFFFFFFFF, 5}, {2, 0, 0}, settings());
  EXPECT_EQ(sample_1d<unsigned>(words.object, {0, 1}), (std::vector<unsigned>{0xFFFFFFFF, 5}));
}

__global__ void sample_2d_kernel(cudaTextureObject_t texture, float4* out) {
  out[0] = tex2D<float4>(texture, 1.0F, 1.0F);
  tex2D(&out[1], texture, 0.5F, 1.5F);
}

TEST_F(DeviceTexture, MixesFourElementsOfFourChannels) {
  const std::vector<uchar4> pixels = {
      {0, 0, 0, 255}, {255, 0, 0, 255}, {0, 255, 0, 255}, {255, 255, 0, 255}};
  cudaTextureDesc how = settings(cudaFilterModeLinear);
  how.readMode = cudaReadModeNormalizedFloat;
  Textured<uchar4> texture(pixels, {2, 2, 0}, how);
  Managed<float4> out(2);
  sample_2d_kernel<<<1, 1>>>(texture.object, out.get());
  const std::vector<float4> got = out.values();
  EXPECT_EQ(got[0].x, 0.5F);
  EXPECT_EQ(got[0].y, 0.5F);
  EXPECT_EQ(got[0].z, 0);
  EXPECT_EQ(got[0].w, 1);
  EXPECT_EQ(got[1].x, 0);
  EXPECT_EQ(got[1].y, 1);
}

__global__ void sample_3d_kernel(cudaTextureObject_t texture, float* out) {
  out[0] = tex3D<float>(texture, 1.5F, 0.5F, 1.5F);
  out[1] = tex3D<float>(texture, 1, 1, 1);
}

TEST_F(DeviceTexture, MixesEightElements) {
  const std::vector<float> values = {1, 2, 3, 4, 5, 6, 7, 8};
  Textured<float> texture(values, {2, 2, 2}, settings(cudaFilterModeLinear));
  Managed<float> out(2);
  sample_3d_kernel<<<1, 1>>>(texture.object, out.get());
  EXPECT_EQ(out.values(), (std::vector<float>{6, 4.5F}));
}

__global__ void sample_layers_kernel(cudaTextureObject_t texture, int* out) {
  out[threadIdx.x] = tex2DLayered<int>(texture, 1.5F, 0.5F, static_cast<int>(threadIdx.x) - 1);
}

TEST_F(DeviceTexture, ChoosesTheLayer) {
  Textured<int> texture({1, 2, 11, 12, 21, 22}, {2, 1, 3}, settings(), cudaArrayLayered);
  Managed<int> out(5);
  sample_layers_kernel<<<1, 5>>>(texture.object, out.get());
  EXPECT_EQ(out.values(), (std::vector<int>{2, 2, 12, 22, 22}));
}

__global__ void fetch_kernel(cudaTextureObject_t texture, int* out) {
  out[threadIdx.x] = tex1Dfetch<int>(texture, static_cast<int>(threadIdx.x));
}
constexpr int kFetchLine = __LINE__ - 2;

cudaTextureObject_t linear_texture(void* base, std::size_t size_bytes) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = base;
  resource.res.linear.desc = cudaCreateChannelDesc<int>();
  resource.res.linear.sizeInBytes = size_bytes;
  const cudaTextureDesc how = settings();
  cudaTextureObject_t object = 0;
  EXPECT_EQ(cudaCreateTextureObject(&object, &resource, &how, nullptr), cudaSuccess);
  return object;
}

__global__ void sample_cube_kernel(cudaTextureObject_t texture, const float3* to, int* out) {
  const float3 v = to[threadIdx.x];
  out[threadIdx.x] = texCubemap<int>(texture, v.x, v.y, v.z);
}

// Two columns and rows per face; an element's value is 10 times its face, and 2 * row + column.
TEST_F(DeviceTexture, ChoosesTheFaceOfACube) {
  std::vector<int> values;
  for (int i = 0; i < 24; ++i) values.push_back(i / 4 * 10 + i % 4);
  const Textured<int> cube(values, {2, 2, 6}, settings(), cudaArrayCubemap);
  const std::vector<float3> to = {{2, 1, 1},   {-2, -1, -1}, {1, 2, -1},
                                  {-1, -2, 1}, {1, -1, 2},   {1, 1, -2}};
  Managed<float3> directions(to.size());
  std::copy(to.begin(), to.end(), directions.get());
  Managed<int> out(to.size());
  sample_cube_kernel<<<1, 6>>>(cube.object, directions.get(), out.get());
  EXPECT_EQ(out.values(), (std::vector<int>{0, 12, 21, 30, 43, 50}));
  cudaArray_t array = nullptr;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
  EXPECT_EQ(cudaMalloc3DArray(&array, &format, {2, 2, 5}, cudaArrayCubemap), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMalloc3DArray(&array, &format, {2, 3, 6}, cudaArrayCubemap), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
}

TEST_F(DeviceTexture, FetchesFromLinearMemory) {
  Managed<int> in(4, 9), out(4);
  const cudaTextureObject_t texture = linear_texture(in.get(), 4 * sizeof(int));
  fetch_kernel<<<1, 4>>>(texture, out.get());
  EXPECT_EQ(out.values(), (std::vector<int>{9, 9, 9, 9}));
  EXPECT_EQ(cudaDestroyTextureObject(texture), cudaSuccess);
}

TEST_F(DeviceTexture, FindsAFetchPastTheTexture) {
  Managed<int> in(4, 9), out(5, 1);
  const cudaTextureObject_t texture = linear_texture(in.get(), 4 * sizeof(int));
  fetch_kernel<<<1, 5>>>(texture, out.get());
  const simt::Finding finding = expect_finding(simt::FindingKind::kOutOfBounds);
  EXPECT_EQ(finding.line, kFetchLine);
  EXPECT_TRUE(
      contains(finding.message,
               "thread 4 of block 0 reads element 4 of a texture of 4 elements of 4 bytes"));
  EXPECT_EQ(out.values(), (std::vector<int>{9, 9, 9, 9, 0}));
  cudaDestroyTextureObject(texture);
}

TEST_F(DeviceTexture, FindsAReadOfWhatWasNeverWritten) {
  int* in = nullptr;
  cudaMalloc(&in, 8 * sizeof(int));
  cudaMemset(in, 0, 4 * sizeof(int));
  Managed<int> out(8);
  const cudaTextureObject_t texture = linear_texture(in, 8 * sizeof(int));
  fetch_kernel<<<1, 5>>>(texture, out.get());
  const simt::Finding finding = expect_finding(simt::FindingKind::kUninitializedRead);
  EXPECT_EQ(finding.line, kFetchLine);
  EXPECT_TRUE(contains(finding.message, "thread 4 of block 0 reads 4 bytes"));
  cudaDestroyTextureObject(texture);
  cudaFree(in);
}

TEST_F(DeviceTexture, FindsAReadOfFreedMemory) {
  int* in = nullptr;
  cudaMalloc(&in, sizeof(int));
  cudaMemset(in, 0, sizeof(int));
  Managed<int> out(1);
  const cudaTextureObject_t texture = linear_texture(in, sizeof(int));
  cudaFree(in);
  fetch_kernel<<<1, 1>>>(texture, out.get());
  EXPECT_TRUE(
      contains(expect_finding(simt::FindingKind::kOutOfBounds).message, "which has been freed"));
  cudaDestroyTextureObject(texture);
}

TEST_F(DeviceTexture, FindsAnObjectThatWasDestroyed) {
  Managed<int> in(1), out(1);
  const cudaTextureObject_t texture = linear_texture(in.get(), sizeof(int));
  EXPECT_EQ(cudaDestroyTextureObject(texture), cudaSuccess);
  fetch_kernel<<<1, 1>>>(texture, out.get());
  const simt::Finding finding =
      expect_fault(cudaErrorIllegalAddress, simt::FindingKind::kOutOfBounds);
  EXPECT_EQ(finding.line, kFetchLine);
  EXPECT_TRUE(contains(finding.message, "was never created or has been destroyed"));
}

TEST_F(DeviceTexture, FindsAFunctionForAnotherShape) {
  Textured<float> flat(kFour, {2, 2, 0}, settings());
  Managed<float> x(1, 0.F), out(1);
  sample_1d_kernel<float><<<1, 1>>>(flat.object, x.get(), out.get());
  EXPECT_TRUE(
      contains(expect_fault(cudaErrorIllegalAddress, simt::FindingKind::kOutOfBounds).message,
               "for a texture of 1 dimension, but the texture has 2 dimensions (2 x 2 elements"));
  Managed<int> ints(1);
  fetch_kernel<<<1, 1>>>(flat.object, ints.get());
  EXPECT_TRUE(
      contains(expect_fault(cudaErrorIllegalAddress, simt::FindingKind::kOutOfBounds).message,
               "use tex1D, tex2D or tex3D"));
}

__global__ void write_and_fetch_kernel(int* data, cudaTextureObject_t texture, int* out) {
  if (blockIdx.x == 0) data[0] = 5;
  if (blockIdx.x == 1) out[0] = tex1Dfetch<int>(texture, 0);
}

TEST_F(DeviceTexture, FindsARaceWithAnotherBlock) {
  Managed<int> in(1), out(1);
  const cudaTextureObject_t texture = linear_texture(in.get(), sizeof(int));
  write_and_fetch_kernel<<<2, 1>>>(in.get(), texture, out.get());
  expect_finding(simt::FindingKind::kRace);
  cudaDestroyTextureObject(texture);
}

TEST_F(DeviceTexture, FindsFloatsReadFromIntegers) {
  Textured<int> texture({1, 2}, {2, 0, 0}, settings());
  EXPECT_EQ(sample_1d<float>(texture.object, {1}), (std::vector<float>{std::bit_cast<float>(2)}));
  EXPECT_TRUE(contains(expect_finding(simt::FindingKind::kOutOfBounds).message,
                       "floating-point numbers from a texture that gives 32-bit integers"));
}

TEST_F(DeviceTexture, FindsIntegersReadFromFloats) {
  Textured<float> floats(kFour, {4, 0, 0}, settings());
  sample_1d<int>(floats.object, {0.F});
  EXPECT_TRUE(contains(expect_finding(simt::FindingKind::kOutOfBounds).message,
                       "integers from a texture that gives floating-point numbers: "));
  cudaTextureDesc how = settings();
  how.readMode = cudaReadModeNormalizedFloat;
  Textured<uchar4> normalised({{1, 2, 3, 4}}, {1, 0, 0}, how);
  sample_1d<uchar4>(normalised.object, {0.F});
  EXPECT_TRUE(contains(expect_finding(simt::FindingKind::kOutOfBounds).message,
                       "(its readMode is cudaReadModeNormalizedFloat)"));
}

TEST_F(DeviceTexture, FindsAFetchOfAnotherType) {
  float* in = nullptr;
  cudaMalloc(&in, sizeof(float));
  cudaMemset(in, 0, sizeof(float));
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = in;
  resource.res.linear.desc = cudaCreateChannelDesc<float>();
  resource.res.linear.sizeInBytes = sizeof(float);
  const cudaTextureDesc how = settings();
  cudaTextureObject_t texture = 0;
  cudaCreateTextureObject(&texture, &resource, &how, nullptr);
  Managed<int> out(1);
  fetch_kernel<<<1, 1>>>(texture, out.get());
  EXPECT_EQ(expect_finding(simt::FindingKind::kOutOfBounds).line, kFetchLine);
  cudaDestroyTextureObject(texture);
  cudaFree(in);
}

template <class T>
__global__ void write_then_fetch_kernel(T* data, int place, cudaTextureObject_t texture, T* out) {
  data[place] = 5;
  out[0] = tex1Dfetch<T>(texture, 0);
}
constexpr int kOwnFetchLine = __LINE__ - 2;

TEST_F(DeviceTexture, FindsAReadOfWhatTheKernelHasWritten) {
  Managed<int> in(2), out(1);
  const cudaTextureObject_t texture = linear_texture(in.get(), sizeof(int));
  write_then_fetch_kernel<int><<<1, 1>>>(in.get(), 0, texture, out.get());
  const simt::Finding finding = expect_finding(simt::FindingKind::kRace);
  EXPECT_EQ(finding.line, kOwnFetchLine);
  EXPECT_TRUE(contains(finding.message, "what this kernel has written in line"));
  write_then_fetch_kernel<int><<<1, 1>>>(in.get(), 1, texture, out.get());
  fetch_kernel<<<1, 1>>>(texture, out.get());
  EXPECT_EQ(out.values(), (std::vector<int>{5}));
  cudaDestroyTextureObject(texture);
}

// A word's other bytes are other elements.
TEST_F(DeviceTexture, TakesNoNeighboursWriteForItsOwn) {
  Managed<unsigned char> in(4), out(1);
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = in.get();
  resource.res.linear.desc = cudaCreateChannelDesc<unsigned char>();
  resource.res.linear.sizeInBytes = 4;
  const cudaTextureDesc how = settings();
  cudaTextureObject_t texture = 0;
  cudaCreateTextureObject(&texture, &resource, &how, nullptr);
  write_then_fetch_kernel<unsigned char><<<1, 1>>>(in.get(), 1, texture, out.get());
  EXPECT_EQ(out.values()[0], in.values()[0]);
  cudaDestroyTextureObject(texture);
}

}  // namespace
}  // namespace simt_test::texture_test
