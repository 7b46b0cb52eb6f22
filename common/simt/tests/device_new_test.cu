// SPDX-License-Identifier: MIT
// Every form of new, delete and malloc takes device memory in a kernel, and host memory elsewhere.
// Compiled at several levels of optimisation, because inlining must not matter.
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

#include "device_test.h"
#include "simt/memory.h"

#ifndef NEW_TEST
#error "define NEW_TEST: the suite's name, another one for each level of optimisation"
#endif

namespace simt_test {
namespace {

class NEW_TEST : public DeviceTest {};

struct alignas(64) Aligned {
  int value = 7;
  ~Aligned() { value = 0; }
};

struct Base {
  virtual ~Base() = default;
  virtual int value() const { return 1; }
};

struct Derived : Base {
  ~Derived() override { delete[] items; }
  int value() const override { return items[2]; }
  int* items = new int[3]{5, 6, 7};
};

__host__ __device__ inline bool is_own(const void* p, bool in_kernel) {
  return p != nullptr && simt::is_device_address(p) == in_kernel;
}

__attribute__((noinline)) __host__ __device__ int* make_far_away() { return new int(3); }
__attribute__((noinline)) __host__ __device__ void free_far_away(int* p) { delete p; }

// Each returns how many of its allocations lie where they should.
__host__ __device__ int use_new(bool in_kernel) {
  int good = 0;
  int* const one = new int(1);
  good += is_own(one, in_kernel);
  delete one;
  int* const many = new int[5]{1, 2, 3, 4, 5};
  good += is_own(many, in_kernel) && many[4] == 5;
  delete[] many;
  int* const quiet = new (std::nothrow) int(1);
  good += is_own(quiet, in_kernel);
  ::operator delete(quiet, std::nothrow);
  int* const quiet_many = new (std::nothrow) int[4];
  good += is_own(quiet_many, in_kernel);
  ::operator delete[](quiet_many, std::nothrow);
  void* const raw = ::operator new(24);
  good += is_own(raw, in_kernel);
  ::operator delete (raw, std::size_t{24});
  void* const none = ::operator new(0);
  good += is_own(none, in_kernel);
  ::operator delete(none);
  int* const far_away = make_far_away();
  good += is_own(far_away, in_kernel) && *far_away == 3;
  free_far_away(far_away);
  return good;
}

__host__ __device__ int use_aligned_new(bool in_kernel) {
  int good = 0;
  const auto is_aligned = [](const void* p) {
    return reinterpret_cast<std::uintptr_t>(p) % alignof(Aligned) == 0;
  };
  Aligned* const one = new Aligned;
  good += is_own(one, in_kernel) && is_aligned(one);
  delete one;
  Aligned* const many = new Aligned[3];
  good += is_own(many, in_kernel) && is_aligned(many) && many[2].value == 7;
  delete[] many;
  Aligned* const quiet = new (std::nothrow) Aligned;
  good += is_own(quiet, in_kernel) && is_aligned(quiet);
  quiet->~Aligned();
  ::operator delete (quiet, std::align_val_t{64}, std::nothrow);
  void* const raw = ::operator new[](128, std::align_val_t{64}, std::nothrow);
  good += is_own(raw, in_kernel) && is_aligned(raw);
  ::operator delete[](raw, std::align_val_t{64});
  void* const page = ::operator new (4096, std::align_val_t{4096}, std::nothrow);
  good += in_kernel ? page == nullptr : page != nullptr;  // the device's heap aligns to 256 bytes
  ::operator delete (page, std::size_t{4096}, std::align_val_t{4096});
  return good;
}

__host__ __device__ int use_objects(bool in_kernel) {
  int good = 0;
  Base* const derived = new Derived;  // which a destructor deletes that knows the size
  good += is_own(derived, in_kernel) && derived->value() == 7;
  delete derived;
  const auto owned = std::make_unique<int[]>(16);
  good += is_own(owned.get(), in_kernel);
  std::vector<int> values;
  for (int i = 0; i < 100; ++i) values.push_back(i);
  good += is_own(values.data(), in_kernel) && values[99] == 99;
  return good;
}

__host__ __device__ int use_malloc(bool in_kernel) {
  int good = 0;
  int* const items = static_cast<int*>(malloc(3 * sizeof(int)));
  items[2] = 2;
  good += is_own(items, in_kernel) && items[2] == 2;
  free(items);
  free(nullptr);
  void* (*const allocate)(std::size_t) = malloc;
  void (*const release)(void*) = free;
  void* const by_pointer = allocate(16);
  good += is_own(by_pointer, in_kernel);
  release(by_pointer);
  return good;
}

constexpr int kGood = 7 + 5 + 3 + 2;

__host__ __device__ int use_everything(bool in_kernel) {
  return use_new(in_kernel) + use_aligned_new(in_kernel) + use_objects(in_kernel) +
         use_malloc(in_kernel);
}

__global__ void use_kernel(int* good) { good[threadIdx.x] = use_everything(true); }

TEST_F(NEW_TEST, TakesMemoryOfTheDeviceInAKernel) {
  Managed<int> good(33);
  use_kernel<<<1, 33>>>(good.get());
  EXPECT_EQ(good.values(), std::vector<int>(33, kGood));
}

TEST_F(NEW_TEST, TakesMemoryOfTheHostOutside) { EXPECT_EQ(use_everything(false), kGood); }

__global__ void delete_kernel(int* p) { delete p; }
constexpr int kDeleteLine = __LINE__ - 1;

TEST_F(NEW_TEST, FindsADeleteOfWhatTheHostAllocated) {
  delete_kernel<<<1, 1>>>(nullptr);
  const auto on_host = std::make_unique<int>(1);
  Managed<int> managed(1);
  for (int* const p : {on_host.get(), managed.get()}) {
    delete_kernel<<<1, 1>>>(p);
    const simt::Finding finding = expect_fault(cudaErrorLaunchFailure, simt::FindingKind::kCrash);
    EXPECT_EQ(finding.line, kDeleteLine);
    EXPECT_TRUE(contains(finding.message, "which neither malloc nor new in a kernel returned"));
  }
}

__global__ void exhaust_kernel(char** too_large) {
  too_large[0] = new (std::nothrow) char[std::size_t{9} << 20];  // the default is 8 MiB
  too_large[1] = new char[std::size_t{9} << 20];
}

TEST_F(NEW_TEST, FailsBeyondTheHeapsLimit) {
  Managed<char*> too_large(2);
  exhaust_kernel<<<1, 1>>>(too_large.get());
  EXPECT_TRUE(contains(expect_fault(cudaErrorLaunchFailure, simt::FindingKind::kCrash).message,
                       "std::bad_alloc"));
  EXPECT_EQ(too_large[0], nullptr);
}

enum class HostOnly { kCalloc, kRealloc, kAlignedAlloc, kPosixMemalign };

__global__ void host_only_kernel(HostOnly function, void** out) {
  switch (function) {
    case HostOnly::kCalloc:
      *out = calloc(4, 4);
      break;
    case HostOnly::kRealloc:
      *out = realloc(*out, 16);
      break;
    case HostOnly::kAlignedAlloc:
      *out = aligned_alloc(64, 64);
      break;
    case HostOnly::kPosixMemalign:
      if (posix_memalign(out, 64, 64) != 0) *out = nullptr;
  }
}

TEST_F(NEW_TEST, RefusesInAKernelWhatOnlyTheHostHas) {
  Managed<void*> out(1);
  const auto call = [&](HostOnly function) { host_only_kernel<<<1, 1>>>(function, out.get()); };
  const auto expect_refusal_of = [&](const std::string& name) {
    const simt::Finding finding = expect_fault(cudaErrorLaunchFailure, simt::FindingKind::kCrash);
    EXPECT_TRUE(contains(finding.message, "calls " + name + ", which only the host has"));
  };
  call(HostOnly::kCalloc);
  expect_refusal_of("calloc");
  call(HostOnly::kRealloc);
  expect_refusal_of("realloc");
  call(HostOnly::kAlignedAlloc);
  expect_refusal_of("aligned_alloc");
  call(HostOnly::kPosixMemalign);
  expect_refusal_of("posix_memalign");
}

TEST_F(NEW_TEST, LeavesTheHostItsFunctions) {
  void* grown = realloc(calloc(4, 4), 64);
  EXPECT_EQ(static_cast<char*>(grown)[15], 0);
  free(grown);
  void* aligned = aligned_alloc(64, 64);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(aligned) % 64, 0u);
  free(aligned);
  ASSERT_EQ(posix_memalign(&aligned, 64, 64), 0);
  free(aligned);
}

}  // namespace
}  // namespace simt_test
