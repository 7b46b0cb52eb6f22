// SPDX-License-Identifier: MIT
// memcpy, memmove, memset and others: the program's own calls are checked and counted, access by
// access.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "device_counting.h"
#include "simt/closed_device.h"
#include "simt/page.h"

namespace simt_test::library_calls_test {
namespace {

class LibraryCalls : public CountingTest {};

constexpr int kThreads = 64;

template <class T>
class Device {
 public:
  explicit Device(std::size_t count) { cudaMalloc(&base_, count * sizeof(T)); }
  ~Device() { cudaFree(base_); }
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  T* get() { return base_; }

 private:
  T* base_ = nullptr;
};

// The program's turn in a counted call: libraries' compiled functions announce nothing.
class ClosedDevice : public CountingTest {
 protected:
  void SetUp() override {
    CountingTest::SetUp();
    simt::set_counting(true);
    simt::close_device_to_host();
  }
  void TearDown() override {
    simt::open_device_to_host();
    CountingTest::TearDown();
  }

  int line_found() {
    const int line = expect_fault(cudaErrorIllegalAddress, simt::FindingKind::kHostPointer).line;
    simt::open_device_to_host();  // the next call: each has one finding at most
    simt::close_device_to_host();
    return line;
  }
};

std::string read_by_library(const void* from, std::size_t size_bytes) {
  std::ostringstream text;
  text.write(static_cast<const char*>(from), static_cast<std::streamsize>(size_bytes));
  return text.str();
}

TEST_F(ClosedDevice, FindsALibrarysReadsAndWritesForTheHost) {
  Device<int> device(32);
  EXPECT_EQ(read_by_library(device.get(), 128).size(), 128u);
  EXPECT_EQ(line_found(), __LINE__ - 7);
  std::istringstream(std::string(128, 'x')).read(reinterpret_cast<char*>(device.get()), 128);
  EXPECT_EQ(line_found(), __LINE__ - 1);
  EXPECT_EQ(cudaLaunchHostFunc(
                nullptr, [](void* from) { read_by_library(from, 128); }, device.get()),
            cudaSuccess);
  line_found();
}

TEST_F(ClosedDevice, LeavesTheHostWhatIsItsOwn) {
  Managed<int> managed(3000, 'x');
  EXPECT_EQ(read_by_library(managed.get() + 500, 4), std::string("x\0\0\0", 4));
  Device<int> device(3000);
  EXPECT_EQ(cudaMemcpy(device.get(), managed.get(), 12000, cudaMemcpyDefault), cudaSuccess);
  std::vector<int> copy(3000);
  EXPECT_EQ(cudaMemcpy(copy.data(), device.get(), 12000, cudaMemcpyDefault), cudaSuccess);
  EXPECT_EQ(copy, managed.values());
}

__global__ void write_kernel(int* out, int count) {
  for (int i = threadIdx.x; i < count; i += blockDim.x) out[i] = i;
}

// Four pages at least, of which the host uses one: before the launch, after it, or not at all.
TEST_F(ClosedDevice, CountsOfManagedMemoryWhatTheHostUsesToo) {
  const std::uint64_t bytes_per_page = simt::page_bytes();
  const int page = static_cast<int>(bytes_per_page / sizeof(int)), count = 4 * page;
  int *managed = nullptr, *copy = nullptr, *device = nullptr;
  ASSERT_EQ(cudaMallocManaged(&managed, 2 * count * sizeof(int)), cudaSuccess);
  ASSERT_EQ(cudaMallocManaged(&copy, count * sizeof(int)), cudaSuccess);
  ASSERT_EQ(cudaMalloc(&device, count * sizeof(int)), cudaSuccess);
  const auto offset = reinterpret_cast<std::uintptr_t>(managed) % bytes_per_page;
  int* const pages = managed + (offset == 0 ? 0 : (bytes_per_page - offset) / sizeof(int));
  const auto host_bytes = [] {
    std::uint64_t bytes = 0;
    for (const KernelCounters& kernel : simt::take_counters()) {
      bytes += kernel.counters[Counter::kHostBytes];
    }
    return bytes;
  };
  const auto launch = [&] {
    write_kernel<<<1, kThreads>>>(pages, count);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  };
  launch();
  EXPECT_EQ(host_bytes(), 0u);
  launch();
  EXPECT_EQ(read_by_library(pages + page, 4).size(), 4u);
  EXPECT_EQ(host_bytes(), bytes_per_page);
  pages[2 * page] = 1;
  launch();
  launch();
  EXPECT_EQ(host_bytes(), 2 * bytes_per_page);
  // A copy within the device: to or from memory that the host uses.
  EXPECT_EQ(cudaMemcpy(device, pages, 4 * bytes_per_page, cudaMemcpyDefault), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(copy, device, 4 * bytes_per_page, cudaMemcpyDefault), cudaSuccess);
  EXPECT_EQ(host_bytes(), 0u);
  pages[page] = 1;
  EXPECT_EQ(cudaMemcpy(device, pages, 4 * bytes_per_page, cudaMemcpyDefault), cudaSuccess);
  EXPECT_EQ(host_bytes(), bytes_per_page);
  for (int* const pointer : {managed, copy, device}) EXPECT_EQ(cudaFree(pointer), cudaSuccess);
}

TEST_F(LibraryCalls, FindTheHostInDeviceMemory) {
  Device<int> out(32);
  const std::vector<int> values(32, 1);
  std::copy(values.begin(), values.end(), out.get());
  const simt::Finding finding =
      expect_fault(cudaErrorIllegalAddress, simt::FindingKind::kHostPointer);
  EXPECT_EQ(finding.line, __LINE__ - 3);
  EXPECT_TRUE(contains(finding.message, "the host writes 128 bytes"));
  int first = 0;
  std::memcpy(&first, out.get(), sizeof first);
  EXPECT_EQ(expect_fault(cudaErrorIllegalAddress, simt::FindingKind::kHostPointer).line,
            __LINE__ - 2);
}

TEST_F(LibraryCalls, LeaveTheHostItsOwnMemory) {
  Managed<int> managed(32);
  std::vector<int> values(32, 1);
  std::copy(values.begin(), values.end(), managed.get());
  std::memset(values.data(), 0, 32 * sizeof(int));
  std::memmove(values.data() + 1, managed.get(), 31 * sizeof(int));
  EXPECT_EQ(values[31], 1);
  int* const none = nullptr;
  std::copy(none, none, managed.get());
}

// The first thread clears the memory, and all threads add to it.
__global__ void clear_kernel(int* out, bool waits) {
  __shared__ int tile[kThreads];
  const int t = threadIdx.x;
  if (t == 0) memset(tile, 0, sizeof tile);
  if (waits) __syncthreads();
  tile[t] += t;
  out[t] = tile[t];
}

TEST_F(LibraryCalls, FindAMissingBarrier) {
  Managed<int> out(kThreads);
  clear_kernel<<<1, kThreads>>>(out.get(), false);
  expect_finding(simt::FindingKind::kRace);
}

TEST_F(LibraryCalls, AllowWhatABarrierOrders) {
  Managed<int> out(kThreads);
  clear_kernel<<<1, kThreads>>>(out.get(), true);
  cudaDeviceSynchronize();
  EXPECT_EQ(out[5], 5);
}

__global__ void histogram_kernel(int* bins) {
  if (threadIdx.x == 0) memset(bins, 0, 16 * sizeof(int));
  __syncthreads();
  atomicAdd(&bins[threadIdx.x % 16], 1);
}

TEST_F(LibraryCalls, CountAsWriting) {
  // Like a judge's buffer: its contents do not show whether a thread wrote.
  int* const bins = static_cast<int*>(simt::scratch_room(64));
  simt::declare_allocation(bins, 64, "d_bins", false);
  histogram_kernel<<<1, kThreads>>>(bins);
  cudaDeviceSynchronize();
  simt::retire_allocation(bins);
}

__global__ void copy_kernel(const int* in, int* out, std::size_t size_bytes) {
  memcpy(out, in, size_bytes);
}
constexpr int kCopyLine = __LINE__ - 2;

TEST_F(LibraryCalls, FindWhatNobodyWrote) {
  Device<int> in(32);
  Managed<int> out(32);
  copy_kernel<<<1, 1>>>(in.get(), out.get(), 64);
  EXPECT_EQ(expect_finding(simt::FindingKind::kUninitializedRead).line, kCopyLine);
}

TEST_F(LibraryCalls, FindACopyPastTheEnd) {
  Managed<int> in(32), out(8);
  copy_kernel<<<1, 1>>>(in.get(), out.get(), 36);
  const simt::Finding finding = expect_finding(simt::FindingKind::kOutOfBounds);
  EXPECT_EQ(finding.line, kCopyLine);
  EXPECT_TRUE(contains(finding.message, "writes 36 bytes, of which the last 4 bytes lie past"));
}

TEST_F(LibraryCalls, FindACopyFromTheHostAndFromNowhere) {
  Managed<int> out(32);
  const std::vector<int> on_host(32);
  copy_kernel<<<1, 1>>>(on_host.data(), out.get(), 64);
  expect_fault(cudaErrorIllegalAddress, simt::FindingKind::kHostPointer);
  copy_kernel<<<1, 1>>>(nullptr, out.get(), 64);
  const simt::Finding finding =
      expect_fault(cudaErrorIllegalAddress, simt::FindingKind::kOutOfBounds);
  EXPECT_EQ(finding.line, kCopyLine);
  EXPECT_TRUE(contains(finding.message, "dereferenced a null pointer"));
  copy_kernel<<<1, 1>>>(nullptr, nullptr, 0);
}

struct Large {
  int items[4096];
};

__global__ void large_argument_kernel(Large large, int* out) {
  out[threadIdx.x] = large.items[threadIdx.x];
}

TEST_F(LibraryCalls, MayBringAnArgumentFromTheHost) {
  Managed<int> out(32);
  const auto large = std::make_unique<Large>();
  for (int i = 0; i < 32; ++i) large->items[i] = i;
  large_argument_kernel<<<1, 32>>>(*large, out.get());
  cudaDeviceSynchronize();
  EXPECT_EQ(out[31], 31);
  int* d_out = out.get();
  void* arguments[] = {large.get(), &d_out};
  cudaLaunchKernel((void*)large_argument_kernel, dim3(1), dim3(16), arguments, 0, nullptr);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

enum Tile { kStatic, kDynamic };

__global__ void clear_tile_kernel(Tile tile, std::size_t size_bytes) {
  extern __shared__ int dynamic_tile[];
  __shared__ int tile_of_block[kThreads];
  memset(tile == kStatic ? tile_of_block : dynamic_tile, 0, size_bytes);
}

TEST_F(LibraryCalls, FindAFillPastSharedMemory) {
  clear_tile_kernel<<<1, 1, 256>>>(kStatic, 256);
  clear_tile_kernel<<<1, 1, 256>>>(kDynamic, 256);
  clear_tile_kernel<<<1, 1, 256>>>(kDynamic, 260);
  EXPECT_TRUE(contains(expect_finding(simt::FindingKind::kOutOfBounds).message,
                       "of which the last 4 bytes lie past the end of the block's dynamic shared "
                       "memory (256 bytes"));
  for (const Tile tile : {kStatic, kDynamic}) {  // what lies there is not the kernel's to destroy
    clear_tile_kernel<<<1, 1, 256>>>(tile, 1 << 20);
    expect_fault(cudaErrorIllegalAddress, simt::FindingKind::kOutOfBounds);
  }
}

// 24 bytes per thread: no single instruction moves them.
__global__ void copy_elements_kernel(const int* in, int* out) {
  memcpy(out + 6 * threadIdx.x, in + 6 * threadIdx.x, 24);
}
constexpr int kElementsLine = __LINE__ - 2;

TEST_F(LibraryCalls, AreCountedInPiecesOfOneInstruction) {
  Managed<int> in(6 * 32), out(6 * 32);
  const KernelCounters kernel =
      counted([&] { copy_elements_kernel<<<1, 32>>>(in.get(), out.get()); });
  const LineCounters& line = line_of(kernel, kElementsLine);
  EXPECT_EQ(line.counters[Counter::kGlobalReadRequests], 3u);
  EXPECT_EQ(line.counters[Counter::kGlobalReadBytes], 32u * 24);
  EXPECT_EQ(line.counters[Counter::kGlobalWriteRequests], 3u);
  EXPECT_EQ(line.counters[Counter::kGlobalWriteBytes], 32u * 24);
}

// Of a known size, which g++ would expand in place.
__global__ void copy_by_algorithm_kernel(const int* in, int* out, char* bytes) {
  int own[5];
  std::copy_n(in + 5 * threadIdx.x, 5, own);
  std::copy_n(own, 5, out + 5 * threadIdx.x);
  std::fill_n(bytes + threadIdx.x, 1, static_cast<char>(own[0]));
}
constexpr int kAlgorithmLine = __LINE__ - 4;

TEST_F(LibraryCalls, OfAlgorithmsOnAKnownSizeAreCounted) {
  Managed<int> in(5 * 32, 7), out(5 * 32);
  Managed<char> bytes(32);
  const KernelCounters kernel =
      counted([&] { copy_by_algorithm_kernel<<<1, 32>>>(in.get(), out.get(), bytes.get()); });
  const auto count = [&](int line, Counter counter) {
    return line_of(kernel, line).counters[counter];
  };
  EXPECT_EQ(count(kAlgorithmLine, Counter::kGlobalReadBytes), 32u * 20);
  EXPECT_EQ(count(kAlgorithmLine + 1, Counter::kGlobalWriteBytes), 32u * 20);
  EXPECT_EQ(count(kAlgorithmLine + 2, Counter::kGlobalWriteBytes), 32u);
  EXPECT_EQ(out[5 * 31], 7);
  EXPECT_EQ(bytes[31], 7);
}

// Through a local variable: an access of 4 bytes, as a device makes.
__global__ void bits_kernel(const float* in, int* out) {
  int bits;
  memcpy(&bits, in + threadIdx.x, sizeof bits);
  out[threadIdx.x] = bits;
}

TEST_F(LibraryCalls, OfAWordAreOneRequest) {
  Managed<float> in(32, 1.0f);
  Managed<int> out(32);
  const KernelCounters kernel = counted([&] { bits_kernel<<<1, 32>>>(in.get(), out.get()); });
  EXPECT_EQ(kernel.counters[Counter::kGlobalReadRequests], 1u);
  EXPECT_EQ(kernel.counters[Counter::kGlobalReadSectors], 4u);
  EXPECT_EQ(out[0], 0x3f800000);
}

constexpr std::size_t kPlaceBytes = 2 * sizeof(double);

// A stride of 0 gives all threads the same place; its first byte is the first thread's.
template <class Call>
__global__ void call_kernel(char* places, std::size_t stride, int* out, Call call) {
  char* const place = places + threadIdx.x * stride;
  if (stride != 0 || threadIdx.x == 0) *place = 1;
  out[threadIdx.x] = call(place);
}

// `call` has only a function of the library read or write what its argument points to.
template <class Call>
void expect_announced(const char* name, Call call) {
  SCOPED_TRACE(name);
  Device<char> places(kThreads * kPlaceBytes);
  Device<int> out(kThreads);
  cudaMemset(places.get(), 0, kThreads * kPlaceBytes);
  call_kernel<<<1, kThreads>>>(places.get(), kPlaceBytes, out.get(), call);
  EXPECT_TRUE(simt::take_findings().empty());
  call_kernel<<<1, kThreads>>>(places.get(), 0, out.get(), call);
  const std::vector<simt::Finding> found = simt::take_findings();
  EXPECT_TRUE(std::any_of(found.begin(), found.end(), [](const simt::Finding& finding) {
    return finding.kind == simt::FindingKind::kRace;
  }));
}

TEST_F(LibraryCalls, OfTextAreAnnounced) {
  const auto announced = [](const char* name, auto call) { expect_announced(name, call); };
  announced("memcmp", [] __device__(char* place) { return memcmp(place, "abcdefg", 8); });
  announced("memchr", [] __device__(char* place) { return memchr(place, 7, 8) != nullptr; });
  announced("strlen", [] __device__(char* place) { return strlen(place); });
  announced("strchr", [] __device__(char* place) { return strchr(place, 'a') != nullptr; });
  announced("strstr", [] __device__(char* place) { return strstr(place, "ab") != nullptr; });
  announced("strcmp", [] __device__(char* place) { return strcmp(place, "a"); });
  announced("strncmp", [] __device__(char* place) { return strncmp(place, "a", 4); });
  announced("strcpy", [] __device__(char* place) {
    const char own[] = {static_cast<char>('a' + threadIdx.x % 26), 0};
    return strcpy(place, own) == place;
  });
  announced("strncpy", [] __device__(char* place) {
    const char own[] = {static_cast<char>('a' + threadIdx.x % 26), 0};
    return strncpy(place, own, 4) == place;
  });
}

TEST_F(LibraryCalls, OfMathematicsAreAnnounced) {
  const auto in_double = [](const char* name, auto call) {
    expect_announced(name, [call] __device__(char* place) {
      return call(1.5 * threadIdx.x, reinterpret_cast<double*>(place));
    });
  };
  const auto in_float = [](const char* name, auto call) {
    expect_announced(name, [call] __device__(char* place) {
      return call(1.5f * threadIdx.x, reinterpret_cast<float*>(place));
    });
  };
  const auto in_int = [](const char* name, auto call) {
    expect_announced(name, [call] __device__(char* place) {
      return call(1.5f * threadIdx.x, reinterpret_cast<int*>(place));
    });
  };
  in_double("modf", [] __device__(double x, double* whole) { return modf(x, whole); });
  in_float("modff", [] __device__(float x, float* whole) { return modff(x, whole); });
  in_int("frexp", [] __device__(double x, int* exponent) { return frexp(x, exponent); });
  in_int("frexpf", [] __device__(float x, int* exponent) { return frexpf(x, exponent); });
  in_int("remquo", [] __device__(double x, int* quotient) { return remquo(x, 2.0, quotient); });
  in_int("remquof", [] __device__(float x, int* quotient) { return remquof(x, 2.0f, quotient); });
  expect_announced("modfl", [] __device__(char* place) {
    return modfl(1.5L * threadIdx.x, reinterpret_cast<long double*>(place));
  });
  in_int("frexpl", [] __device__(long double x, int* exponent) { return frexpl(x, exponent); });
  in_int("remquol",
         [] __device__(long double x, int* quotient) { return remquol(x, 2.0L, quotient); });
  expect_announced("sincosl", [] __device__(char* place) {
    long double cosine = 0;
    sincosl(1.5L * threadIdx.x, reinterpret_cast<long double*>(place), &cosine);
    return cosine > 2;
  });
  in_double("sincos", [] __device__(double x, double* sine) {
    sincos(x, sine, sine + 1);
    return 0;
  });
  in_float("sincosf", [] __device__(float x, float* sine) {
    sincosf(x, sine, sine + 1);
    return 0;
  });
}

TEST_F(LibraryCalls, OfNanAreAnnounced) {
  expect_announced("nan", [] __device__(char* place) { return nan(place); });
  expect_announced("nanf", [] __device__(char* place) { return nanf(place); });
}

__global__ void print_kernel(const char* text, int* results) {
  results[0] = printf("%s %-*.2f%%\n", text, 3, 0.5);
  results[1] = printf("none\n");
}

// The length would give away what no checker has seen printf read.
TEST_F(LibraryCalls, OfPrintfReturnTheNumberOfArguments) {
  Device<char> text(16);
  Managed<int> results(2);
  cudaMemset(text.get(), 'a', 15);
  cudaMemset(text.get() + 15, 0, 1);
  print_kernel<<<1, 1>>>(text.get(), results.get());
  EXPECT_EQ(results.values(), (std::vector<int>{3, 0}));
}

// nvcc only warns about functions of the host in a __host__ __device__ function.
template <class Call>
__global__ void host_call_kernel(char* place, Call call) {
  call(place);
}

TEST_F(LibraryCalls, OfTheHostAloneEndAKernel) {
  Device<char> place(16);
  cudaMemset(place.get(), 0, 16);
  const auto expect_end = [&](const char* name, auto call) {
    SCOPED_TRACE(name);
    host_call_kernel<<<1, 1>>>(place.get(), call);
    const simt::Finding finding = expect_fault(cudaErrorLaunchFailure, simt::FindingKind::kCrash);
    EXPECT_TRUE(contains(finding.message, std::string(name) + ", which only the host"))
        << finding.message;
    EXPECT_TRUE(contains(finding.file, "device_library_calls_test.cu")) << finding.file;
  };
  expect_end("calls snprintf", [](char* at) {
    char text[2];
    std::snprintf(text, sizeof text, "%.1s", at);
  });
  expect_end("calls strtof", [](char* at) { std::strtof(at, nullptr); });
  expect_end("calls strtol", [](char* at) { std::strtol(at, nullptr, 10); });
  expect_end("calls rand", [](char* at) { *at = static_cast<char>(std::rand()); });
  expect_end("calls fputs", [](char* at) { std::fputs(at, stdout); });
  expect_end("calls qsort",
             [](char* at) { std::qsort(at, 4, 4, [](const void*, const void*) { return 0; }); });
  expect_end("makes a std::runtime_error", [](char* at) { std::runtime_error error(at); });
  expect_end("calls std::ostream::write", [](char* at) { std::cout.write(at, 4); });
}

}  // namespace
}  // namespace simt_test::library_calls_test
