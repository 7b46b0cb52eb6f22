// SPDX-License-Identifier: MIT
// Mistakes in host code that are reported with their line: freeing what cannot be freed, leaks, and
// errors that no code checks.
#include "device_test.h"
#include "simt/memory.h"

namespace simt_test {
namespace {

class ApiError : public DeviceTest {
 protected:
  void expect_bad_free(int line, const std::string& words) {
    EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
    const simt::ErrorOrigin& origin = simt::last_error_origin();
    const simt::SourcePlace place = simt::program_place(origin.stack);
    EXPECT_EQ(place.file, "device_api_error_test.cu");
    EXPECT_EQ(place.line, line);
    EXPECT_TRUE(contains(origin.what, words));
  }
};

__attribute__((noinline)) float* allocate_floats(std::size_t count) {
  float* result = nullptr;
  cudaMalloc(&result, count * sizeof(float));
  return result;
}
constexpr int kAllocateLine = __LINE__ - 3;
const std::string kAllocated = "(64 bytes, allocated in line " + std::to_string(kAllocateLine) +
                               " of device_api_error_test.cu)";

TEST_F(ApiError, FindsADoubleFreeAndBothLines) {
  float* const p = allocate_floats(16);
  cudaFree(p);
  cudaFree(p);
  const int line = __LINE__ - 1;
  expect_bad_free(line, kAllocated + ", which has been freed already in line " +
                            std::to_string(line - 1) + " of device_api_error_test.cu");
}

TEST_F(ApiError, FindsThatAPointerIsNotTheAllocations) {
  float* const p = allocate_floats(16);
  cudaFree(p + 2);
  expect_bad_free(__LINE__ - 1, "cudaFree of a pointer 8 bytes into");
  cudaFree(p);
}

TEST_F(ApiError, FindsThatMemoryIsNotTheDevices) {
  float on_host = 0;
  cudaFree(&on_host);
  expect_bad_free(__LINE__ - 1, "a pointer that no cudaMalloc returned");
  float* pinned = nullptr;
  cudaMallocHost(&pinned, 64);
  cudaFree(pinned);
  expect_bad_free(__LINE__ - 1, "which is pinned memory of the host: cudaFreeHost frees it");
  cudaFreeHost(pinned);
  float* const p = allocate_floats(16);
  cudaFreeHost(p);
  expect_bad_free(__LINE__ - 1, "cudaFreeHost of allocation");
  cudaFree(p);
}

TEST_F(ApiError, AllowsNullAndEveryMatchingPair) {
  cudaFree(nullptr);
  cudaFreeHost(nullptr);
  void *device = nullptr, *managed = nullptr, *pinned = nullptr, *ordered = nullptr;
  cudaMalloc(&device, 16);
  cudaMallocManaged(&managed, 16);
  cudaHostAlloc(&pinned, 16, cudaHostAllocDefault);
  cudaMallocAsync(&ordered, 16, nullptr);
  cudaFree(device);
  cudaFree(managed);
  cudaFreeHost(pinned);
  cudaFreeAsync(ordered, nullptr);
}

TEST_F(ApiError, KnowsWhereALeakWasAllocated) {
  float* const p = allocate_floats(16);
  const simt::SourcePlace place = simt::program_place(simt::live_allocations().back()->made_by);
  EXPECT_EQ(place.line, kAllocateLine);
  EXPECT_EQ(place.file, "device_api_error_test.cu");
  cudaFree(p);
}

__global__ void fill_kernel(float* out) { out[threadIdx.x] = 1.0f; }

TEST_F(ApiError, NamesBothLinesOfAUseAfterFree) {
  float* const p = allocate_floats(16);
  cudaFree(p);
  const int free_line = __LINE__ - 1;
  fill_kernel<<<1, 16>>>(p);
  EXPECT_TRUE(contains(expect_finding(simt::FindingKind::kOutOfBounds).message,
                       kAllocated + ", which has been freed in line " + std::to_string(free_line)));
}

TEST_F(ApiError, KnowsWhichLaunchOrCallFailed) {
  fill_kernel<<<1, 2048>>>(nullptr);
  const int launch_line = __LINE__ - 1;
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
  EXPECT_EQ(simt::program_place(simt::last_error_origin().stack).line, launch_line);
  EXPECT_EQ(simt::last_error_origin().kernel, "fill_kernel");
  float value = 0;
  cudaMemcpy(&value, &value, 1, cudaMemcpyDeviceToHost);
  const int copy_line = __LINE__ - 1;
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
  EXPECT_EQ(simt::program_place(simt::last_error_origin().stack).line, copy_line);
  EXPECT_EQ(simt::last_error_origin().kernel, "");
}

}  // namespace
}  // namespace simt_test
