// SPDX-License-Identifier: MIT
// Surfaces: reads, writes, the three boundary modes, and what is found wrong.
#include <numeric>
#include <vector>

#include "device_test.h"

namespace simt_test::surface_test {
namespace {

class DeviceSurface : public DeviceTest {};

// An array of `extent` elements, with its surface; nothing is written.
template <class T>
class Surfaced {
 public:
  explicit Surfaced(cudaExtent extent, unsigned flags = 0) : extent_(extent) {
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
    EXPECT_EQ(cudaMalloc3DArray(&array, &format, extent, flags | cudaArraySurfaceLoadStore),
              cudaSuccess);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    EXPECT_EQ(cudaCreateSurfaceObject(&object, &resource), cudaSuccess);
  }
  ~Surfaced() {
    EXPECT_EQ(cudaDestroySurfaceObject(object), cudaSuccess);
    EXPECT_EQ(cudaFreeArray(array), cudaSuccess);
  }
  Surfaced(const Surfaced&) = delete;
  Surfaced& operator=(const Surfaced&) = delete;

  std::vector<T> values() const {
    cudaMemcpy3DParms copy = {};
    const std::size_t height = std::max<std::size_t>(extent_.height, 1);
    const std::size_t depth = std::max<std::size_t>(extent_.depth, 1);
    std::vector<T> result(extent_.width * height * depth);
    copy.srcArray = array;
    copy.dstPtr =
        make_cudaPitchedPtr(result.data(), extent_.width * sizeof(T), extent_.width, height);
    copy.extent = {extent_.width, height, depth};
    copy.kind = cudaMemcpyDeviceToHost;
    EXPECT_EQ(cudaMemcpy3D(&copy), cudaSuccess);
    return result;
  }

  cudaArray_t array = nullptr;
  cudaSurfaceObject_t object = 0;

 private:
  cudaExtent extent_;
};

// Writes 1, 2, ...
__global__ void count_1d_kernel(cudaSurfaceObject_t surface) {
  const int x = static_cast<int>(threadIdx.x);
  surf1Dwrite(x + 1, surface, x * 4);
}

__global__ void copy_1d_kernel(cudaSurfaceObject_t surface, int* out) {
  const int x = static_cast<int>(threadIdx.x);
  out[x] = surf1Dread<int>(surface, x * 4);
}

TEST_F(DeviceSurface, HoldsOneDimension) {
  Surfaced<int> surface({3, 0, 0});
  Managed<int> out(3);
  count_1d_kernel<<<1, 3>>>(surface.object);
  copy_1d_kernel<<<1, 3>>>(surface.object, out.get());
  EXPECT_EQ(out.values(), (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(surface.values(), (std::vector<int>{1, 2, 3}));
}

__global__ void count_2d_kernel(cudaSurfaceObject_t surface, cudaSurfaceBoundaryMode mode) {
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
  surf2Dwrite(make_short2(static_cast<short>(10 * y), static_cast<short>(x)), surface, x * 4, y,
              mode);
}
constexpr int kWriteLine = __LINE__ - 3;

TEST_F(DeviceSurface, HoldsTwoDimensionsOfVectors) {
  Surfaced<short2> surface({3, 2, 0});
  count_2d_kernel<<<1, dim3(3, 2)>>>(surface.object, cudaBoundaryModeTrap);
  const std::vector<short2> got = surface.values();
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(got[i].x, 10 * (i / 3));
    EXPECT_EQ(got[i].y, i % 3);
  }
}

TEST_F(DeviceSurface, EndsTheKernelOutsideInTrapMode) {
  Surfaced<short2> surface({3, 2, 0});
  count_2d_kernel<<<1, dim3(3, 3)>>>(surface.object, cudaBoundaryModeTrap);
  const simt::Finding finding =
      expect_fault(cudaErrorIllegalAddress, simt::FindingKind::kOutOfBounds);
  EXPECT_EQ(finding.line, kWriteLine);
  EXPECT_TRUE(contains(finding.message,
                       "thread (0,2,0) of block 0 writes 4 bytes at byte 0, row 2 of a surface of "
                       "3 x 2 elements of 4 bytes"));
  EXPECT_EQ(finding.message.find("x counts"), std::string::npos);
}

TEST_F(DeviceSurface, ExplainsAColumnOutside) {
  Surfaced<short2> surface({3, 2, 0});
  count_2d_kernel<<<1, dim3(4, 1)>>>(surface.object, cudaBoundaryModeTrap);
  EXPECT_TRUE(contains(
      expect_fault(cudaErrorIllegalAddress, simt::FindingKind::kOutOfBounds).message,
      "at byte 12, row 0 of a surface of 3 x 2 elements of 4 bytes: x counts bytes, from 0 to 8"));
}

TEST_F(DeviceSurface, DropsWritesOutsideInZeroMode) {
  Surfaced<short2> surface({3, 2, 0});
  count_2d_kernel<<<1, dim3(4, 3)>>>(surface.object, cudaBoundaryModeZero);
  EXPECT_EQ(surface.values()[5].x, 10);
}

__global__ void read_outside_kernel(cudaSurfaceObject_t surface, int* out) {
  out[0] = surf1Dread<int>(surface, -4, cudaBoundaryModeZero);
  out[1] = surf1Dread<int>(surface, -4, cudaBoundaryModeClamp);
  surf1Dread(&out[2], surface, 400, cudaBoundaryModeClamp);
}

TEST_F(DeviceSurface, ReadsZeroOrTheEdgeOutside) {
  Surfaced<int> surface({3, 0, 0});
  const int values[] = {7, 8, 9};
  EXPECT_EQ(cudaMemcpyToArray(surface.array, 0, 0, values, sizeof values, cudaMemcpyHostToDevice),
            cudaSuccess);
  Managed<int> out(3);
  read_outside_kernel<<<1, 1>>>(surface.object, out.get());
  EXPECT_EQ(out.values(), (std::vector<int>{0, 7, 9}));
}

__global__ void write_volume_kernel(cudaSurfaceObject_t surface) {
  const int x = static_cast<int>(threadIdx.x), z = static_cast<int>(threadIdx.z);
  surf3Dwrite(static_cast<unsigned char>(10 * z + x), surface, x, 0, z);
}
__global__ void write_layers_kernel(cudaSurfaceObject_t surface) {
  const int x = static_cast<int>(threadIdx.x), layer = static_cast<int>(threadIdx.z);
  surf2DLayeredwrite(static_cast<unsigned char>(10 * layer + x), surface, x, 0, layer);
}

TEST_F(DeviceSurface, HoldsVolumesAndLayers) {
  Surfaced<unsigned char> volume({2, 1, 2}), layers({2, 1, 2}, cudaArrayLayered);
  write_volume_kernel<<<1, dim3(2, 1, 2)>>>(volume.object);
  write_layers_kernel<<<1, dim3(2, 1, 2)>>>(layers.object);
  EXPECT_EQ(volume.values(), (std::vector<unsigned char>{0, 1, 10, 11}));
  EXPECT_EQ(layers.values(), (std::vector<unsigned char>{0, 1, 10, 11}));
}

__global__ void write_faces_kernel(cudaSurfaceObject_t cube, cudaSurfaceObject_t layers) {
  const int face = static_cast<int>(threadIdx.x);
  if (face < 6) surfCubemapwrite(static_cast<unsigned char>(face), cube, 0, 0, face);
  const auto read = face < 6 ? surfCubemapread<unsigned char>(cube, 0, 0, face) : face;
  surfCubemapLayeredwrite(static_cast<unsigned char>(10 * read), layers, 0, 0, face);
}

__global__ void miss_face_kernel(cudaSurfaceObject_t cube) {
  surfCubemapwrite(static_cast<unsigned char>(0), cube, 0, 0, 6);
}

TEST_F(DeviceSurface, HoldsTheFacesOfCubes) {
  Surfaced<unsigned char> cube({1, 1, 6}, cudaArrayCubemap);
  Surfaced<unsigned char> layers({1, 1, 12}, cudaArrayCubemap | cudaArrayLayered);
  write_faces_kernel<<<1, 12>>>(cube.object, layers.object);
  EXPECT_EQ(cube.values(), (std::vector<unsigned char>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(layers.values(),
            (std::vector<unsigned char>{0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110}));
  simt::take_findings();  // a kernel reads what it has written: not what this is about
  miss_face_kernel<<<1, 1>>>(cube.object);
  EXPECT_TRUE(
      contains(expect_fault(cudaErrorIllegalAddress, simt::FindingKind::kOutOfBounds).message,
               "at byte 0, row 0, face 6 of a surface of 1 x 1 elements of 1 byte, 6 faces"));
}

__global__ void forget_size_kernel(cudaSurfaceObject_t surface) {
  surf1Dwrite(1, surface, static_cast<int>(threadIdx.x));  // x counts bytes
}

TEST_F(DeviceSurface, FindsAnXThatCountsElements) {
  Surfaced<int> surface({4, 0, 0});
  forget_size_kernel<<<1, 2>>>(surface.object);
  EXPECT_TRUE(
      contains(expect_fault(cudaErrorMisalignedAddress, simt::FindingKind::kMisaligned).message,
               "at x = 1: x counts bytes, and must be a multiple of 4"));
}

__global__ void read_kernel(cudaSurfaceObject_t surface, int* out) {
  *out = surf1Dread<int>(surface, 0);
}

TEST_F(DeviceSurface, FindsAReadOfWhatWasNeverWritten) {
  Surfaced<int> surface({1, 0, 0});
  Managed<int> out(1);
  read_kernel<<<1, 1>>>(surface.object, out.get());
  expect_finding(simt::FindingKind::kUninitializedRead);
}

__global__ void write_one_place_kernel(cudaSurfaceObject_t surface) {
  surf1Dwrite(static_cast<int>(blockIdx.x), surface, 0);
  if (blockIdx.x == 1) surf1Dwrite(7, surface, 0);
}

TEST_F(DeviceSurface, FindsARaceBetweenBlocks) {
  Surfaced<int> surface({1, 0, 0});
  write_one_place_kernel<<<2, 1>>>(surface.object);
  const std::vector<simt::Finding> findings = simt::take_findings();
  ASSERT_FALSE(findings.empty());
  for (const simt::Finding& finding : findings) {
    EXPECT_EQ(finding.kind, simt::FindingKind::kRace);
  }
}

__global__ void write_then_read_kernel(cudaSurfaceObject_t surface, int* out) {
  surf1Dwrite(7, surface, 0);
  *out = surf1Dread<int>(surface, 0);
}

TEST_F(DeviceSurface, FindsAReadOfWhatTheKernelHasWritten) {
  Surfaced<int> surface({1, 0, 0});
  Managed<int> out(1);
  write_then_read_kernel<<<1, 1>>>(surface.object, out.get());
  EXPECT_TRUE(contains(expect_finding(simt::FindingKind::kRace).message,
                       "what this kernel has written in line"));
}

TEST_F(DeviceSurface, FindsAnObjectThatWasDestroyed) {
  cudaSurfaceObject_t stale = 0;
  {
    Surfaced<int> surface({1, 0, 0});
    stale = surface.object;
  }
  Managed<int> out(1);
  read_kernel<<<1, 1>>>(stale, out.get());
  EXPECT_TRUE(
      contains(expect_fault(cudaErrorIllegalAddress, simt::FindingKind::kOutOfBounds).message,
               "was never created or has been destroyed"));
}

}  // namespace
}  // namespace simt_test::surface_test
