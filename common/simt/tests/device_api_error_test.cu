// SPDX-License-Identifier: MIT
// Mistakes in host code that are reported with their line: freeing what cannot be freed, leaks, and
// errors that no code checks.
#include "device_test.h"
#include "simt/memory.h"

namespace simt_test::api_error_test {
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

TEST_F(ApiError, SaysWhyACopyIsRefused) {
  float* const p = allocate_floats(16);
  float items[32] = {};
  const auto what = [&](void* to, const void* from, cudaMemcpyKind kind) {
    EXPECT_EQ(cudaMemcpy(to, from, sizeof items, kind), cudaErrorInvalidValue);
    EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
    return simt::last_error_origin().what;
  };
  EXPECT_EQ(what(nullptr, items, cudaMemcpyHostToDevice), "a copy of 128 bytes to a null pointer");
  EXPECT_EQ(what(p, items, cudaMemcpyHostToDevice),
            "a copy of 128 bytes to an allocation with 64 bytes left");
  EXPECT_EQ(what(items, p + 4, cudaMemcpyDeviceToHost),
            "a copy of 128 bytes from an allocation with 48 bytes left");
  EXPECT_EQ(
      what(items, items, cudaMemcpyHostToDevice),
      "a copy of 128 bytes to memory of the host, although its cudaMemcpyKind names device memory");
  EXPECT_EQ(cudaMemcpy(p, p, 64, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
  EXPECT_EQ(
      simt::last_error_origin().what,
      "a copy of 64 bytes to device memory, although its cudaMemcpyKind names memory of the host");
  cudaFree(p);
  EXPECT_EQ(what(items, p, cudaMemcpyDeviceToHost),
            "a copy of 128 bytes from device memory that is not allocated");
}

TEST_F(ApiError, RemembersTheFirstAllocationThatFailed) {
  float* const p = allocate_floats(std::size_t{1} << 60);
  EXPECT_EQ(p, nullptr);
  float item = 0;
  cudaMemcpy(p, &item, sizeof item, cudaMemcpyHostToDevice);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
  EXPECT_EQ(simt::last_error_origin().what, "a copy of 4 bytes to a null pointer");
  EXPECT_EQ(simt::program_place(simt::failed_allocation().stack).line, kAllocateLine);
  EXPECT_EQ(simt::failed_allocation().what, "cudaMalloc of 4611686018427387904 bytes");
  simt::clear_errors();
  EXPECT_EQ(simt::program_place(simt::failed_allocation().stack).line, 0);
}

}  // namespace
}  // namespace simt_test::api_error_test
