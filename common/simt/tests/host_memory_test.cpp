// SPDX-License-Identifier: MIT
// Allocation: the address range, the book of allocations, errors, what observers are told.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "host_test.h"
#include "simt/memory.h"

namespace simt {
namespace {

class HostMemory : public simt_test::HostTest {};

TEST_F(HostMemory, TakesAPointerToConstant) {
  const float* d_in = nullptr;
  ASSERT_EQ(cudaMalloc(&d_in, 4 * sizeof(float)), cudaSuccess);
  EXPECT_TRUE(is_device_address(d_in));
  EXPECT_EQ(cudaFree(const_cast<float*>(d_in)), cudaSuccess);
}

TEST_F(HostMemory, AllocatesAlignedAndPoisonedInTheDeviceRange) {
  for (const std::size_t size_bytes : {1, 31, 256, 257, 100000}) {
    unsigned char* p = nullptr;
    ASSERT_EQ(cudaMalloc(&p, size_bytes), cudaSuccess);
    EXPECT_TRUE(is_device_address(p));
    EXPECT_TRUE(is_device_address(p + size_bytes));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(p) % kAllocationAlignment, 0u);
    for (std::size_t i = 0; i < size_bytes; ++i) {
      ASSERT_EQ(p[i], (kPoisonWord >> (8 * (i % 4))) & 0xff);
    }
    EXPECT_EQ(cudaFree(p), cudaSuccess);
  }
  int on_stack = 0;
  EXPECT_FALSE(is_device_address(&on_stack));
  EXPECT_FALSE(is_device_address(nullptr));
}

TEST_F(HostMemory, FindsTheAllocationOfAnAddress) {
  char *a = nullptr, *b = nullptr;
  ASSERT_EQ(cudaMalloc(&a, 100), cudaSuccess);
  ASSERT_EQ(cudaMallocManaged(&b, 100), cudaSuccess);
  const Allocation* const found = find_allocation(a + 99);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(reinterpret_cast<char*>(found->base), a);
  EXPECT_EQ(found->size_bytes, 100u);
  EXPECT_TRUE(found->live);
  EXPECT_TRUE(found->contains(a, 100));
  EXPECT_FALSE(found->contains(a + 1, 100));
  EXPECT_FALSE(found->contains(a - 1));
  // Past the end the nearest allocation is still this one, and before the next one it is the next.
  EXPECT_EQ(find_allocation(a + 100), found);
  EXPECT_FALSE(found->contains(a + 100));
  EXPECT_EQ(reinterpret_cast<char*>(find_allocation(b - 1)->base), b);
  EXPECT_EQ(find_allocation(b)->kind, Allocation::Kind::kManaged);
  EXPECT_GE(b - (a + 100), static_cast<std::ptrdiff_t>(kRedZoneBytes));
  const std::uint64_t version = allocation_version();
  EXPECT_EQ(cudaFree(a), cudaSuccess);
  EXPECT_NE(allocation_version(), version);
  EXPECT_FALSE(find_allocation(a)->live) << "freed memory is recognised";
  EXPECT_EQ(cudaFree(b), cudaSuccess);
}

TEST_F(HostMemory, DoesNotReuseFreedAddressesSoon) {
  void* first = nullptr;
  ASSERT_EQ(cudaMalloc(&first, 1000), cudaSuccess);
  ASSERT_EQ(cudaFree(first), cudaSuccess);
  for (int i = 0; i < 100; ++i) {
    void* p = nullptr;
    ASSERT_EQ(cudaMalloc(&p, 1000), cudaSuccess);
    EXPECT_NE(p, first);
    ASSERT_EQ(cudaFree(p), cudaSuccess);
  }
}

TEST_F(HostMemory, GoesRoundTheRangeWithLargeAllocations) {
  // 6 times 3 GiB is more than the range holds; the small one stays where it is.
  int* kept = nullptr;
  ASSERT_EQ(cudaMalloc(&kept, sizeof(int)), cudaSuccess);
  *kept = 7;
  for (int i = 0; i < 6; ++i) {
    void* p = nullptr;
    ASSERT_EQ(cudaMalloc(&p, std::size_t{3} << 30), cudaSuccess) << i;
    ASSERT_FALSE(find_allocation(p)->contains(kept));
    ASSERT_EQ(cudaFree(p), cudaSuccess);
  }
  EXPECT_EQ(*kept, 7);
  EXPECT_TRUE(find_allocation(kept)->live);
  EXPECT_EQ(cudaFree(kept), cudaSuccess);
}

TEST_F(HostMemory, RunsOutAtThePresentedSize) {
  std::size_t free_before = 0, free_now = 0, total = 0;
  ASSERT_EQ(cudaMemGetInfo(&free_before, &total), cudaSuccess);
  EXPECT_EQ(total, std::size_t{4} << 30);
  char *p = nullptr, *q = nullptr;
  ASSERT_EQ(cudaMalloc(&p, free_before - (1 << 20)), cudaSuccess);
  expect_error(cudaMalloc(&q, 2 << 20), cudaErrorMemoryAllocation);
  expect_error(cudaMalloc(&q, SIZE_MAX), cudaErrorMemoryAllocation);
  EXPECT_EQ(q, nullptr);
  EXPECT_EQ(cudaFree(p), cudaSuccess);
  ASSERT_EQ(cudaMemGetInfo(&free_now, &total), cudaSuccess);
  EXPECT_EQ(free_now, free_before);
}

TEST_F(HostMemory, RefusesToFreeWhatIsNoAllocation) {
  char *p = nullptr, *pinned = nullptr;
  int on_stack = 0;
  ASSERT_EQ(cudaMalloc(&p, 100), cudaSuccess);
  ASSERT_EQ(cudaMallocHost(&pinned, 100), cudaSuccess);
  expect_error(cudaFree(p + 1), cudaErrorInvalidValue);
  expect_error(cudaFree(&on_stack), cudaErrorInvalidValue);
  expect_error(cudaFree(pinned), cudaErrorInvalidValue);
  expect_error(cudaFreeHost(p), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(p), cudaSuccess);
  EXPECT_EQ(cudaFreeHost(pinned), cudaSuccess);
  expect_error(cudaFree(p), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(nullptr), cudaSuccess);
  EXPECT_EQ(cudaFreeHost(nullptr), cudaSuccess);
}

TEST_F(HostMemory, GivesNullForNoBytes) {
  void* p = &p;
  EXPECT_EQ(cudaMalloc(&p, 0), cudaSuccess);
  EXPECT_EQ(p, nullptr);
  p = &p;
  EXPECT_EQ(cudaMallocManaged(&p, 0), cudaSuccess);
  EXPECT_EQ(p, nullptr);
  expect_error(cudaMalloc(static_cast<void**>(nullptr), 4), cudaErrorInvalidValue);
}

TEST_F(HostMemory, KnowsWhatAPointerIs) {
  cudaPointerAttributes attributes;
  void *device = nullptr, *managed = nullptr, *pinned = nullptr;
  int on_stack = 0;
  ASSERT_EQ(cudaMalloc(&device, 8), cudaSuccess);
  ASSERT_EQ(cudaMallocManaged(&managed, 8), cudaSuccess);
  ASSERT_EQ(cudaHostAlloc(&pinned, 8, cudaHostAllocMapped), cudaSuccess);
  const auto type_of = [&](void* p) {
    EXPECT_EQ(cudaPointerGetAttributes(&attributes, p), cudaSuccess);
    return attributes.type;
  };
  EXPECT_EQ(type_of(&on_stack), cudaMemoryTypeUnregistered);
  EXPECT_EQ(attributes.devicePointer, nullptr);
  EXPECT_EQ(type_of(device), cudaMemoryTypeDevice);
  EXPECT_EQ(attributes.hostPointer, nullptr);
  EXPECT_EQ(type_of(managed), cudaMemoryTypeManaged);
  EXPECT_EQ(attributes.hostPointer, managed);
  EXPECT_EQ(type_of(pinned), cudaMemoryTypeHost);
  void* mapped = nullptr;
  EXPECT_EQ(cudaHostGetDevicePointer(&mapped, pinned, 0), cudaSuccess);
  EXPECT_EQ(mapped, pinned);
  expect_error(cudaHostGetDevicePointer(&mapped, &on_stack, 0), cudaErrorInvalidValue);
  cudaFree(device), cudaFree(managed), cudaFreeHost(pinned);
}

TEST_F(HostMemory, RegistersHostMemory) {
  std::vector<int> host(1000);
  const std::size_t size_bytes = host.size() * sizeof(int);
  ASSERT_EQ(cudaHostRegister(host.data(), size_bytes, cudaHostRegisterDefault), cudaSuccess);
  expect_error(cudaHostRegister(&host[5], 8, 0), cudaErrorHostMemoryAlreadyRegistered);
  EXPECT_EQ(find_allocation(&host[999])->kind, Allocation::Kind::kPinnedHost);
  expect_error(cudaFreeHost(host.data()), cudaErrorInvalidValue);
  EXPECT_EQ(cudaHostUnregister(host.data()), cudaSuccess);
  expect_error(cudaHostUnregister(host.data()), cudaErrorHostMemoryNotRegistered);
}

TEST_F(HostMemory, PadsRowsToThePitch) {
  char* p = nullptr;
  std::size_t pitch = 0;
  ASSERT_EQ(cudaMallocPitch(&p, &pitch, 700, 3), cudaSuccess);
  EXPECT_EQ(pitch, 1024u);
  EXPECT_TRUE(find_allocation(p)->contains(p, 3 * pitch));
  EXPECT_EQ(cudaFree(p), cudaSuccess);
  expect_error(cudaMallocPitch(&p, &pitch, 700, SIZE_MAX / 2), cudaErrorMemoryAllocation);
}

TEST_F(HostMemory, TakesHintsForManagedMemoryOnly) {
  char *managed = nullptr, *device = nullptr;
  ASSERT_EQ(cudaMallocManaged(&managed, 100), cudaSuccess);
  ASSERT_EQ(cudaMalloc(&device, 100), cudaSuccess);
  EXPECT_EQ(cudaMemPrefetchAsync(managed, 100, 0), cudaSuccess);
  EXPECT_EQ(cudaMemPrefetchAsync(managed, 100, cudaCpuDeviceId, nullptr), cudaSuccess);
  EXPECT_EQ(cudaMemPrefetchAsync(managed, 100, cudaMemLocation{cudaMemLocationTypeDevice, 0}, 0),
            cudaSuccess);
  EXPECT_EQ(cudaMemAdvise(managed, 100, cudaMemAdviseSetReadMostly, 0), cudaSuccess);
  expect_error(cudaMemPrefetchAsync(managed, 101, 0), cudaErrorInvalidValue);
  expect_error(cudaMemPrefetchAsync(managed, 100, 3), cudaErrorInvalidDevice);
  expect_error(cudaMemPrefetchAsync(device, 100, 0), cudaErrorInvalidValue);
  cudaFree(managed), cudaFree(device);
}

TEST_F(HostMemory, ListsWhatIsLive) {
  const std::size_t before = live_allocations().size();
  void *a = nullptr, *b = nullptr;
  ASSERT_EQ(cudaMalloc(&a, 1), cudaSuccess);
  ASSERT_EQ(cudaMallocAsync(&b, 1, nullptr), cudaSuccess);
  ASSERT_EQ(live_allocations().size(), before + 2);
  EXPECT_EQ(live_allocations().back()->base, b);
  EXPECT_EQ(cudaFreeAsync(a, nullptr), cudaSuccess);
  EXPECT_EQ(live_allocations().size(), before + 1);
  EXPECT_EQ(cudaDeviceReset(), cudaSuccess);
  EXPECT_EQ(live_allocations().size(), 0u);
  expect_error(cudaFree(b), cudaErrorInvalidValue);
}

TEST_F(HostMemory, MapsAnArenaAndItsDeclaredParts) {
  const int fd = memfd_create("arena", 0);
  ASSERT_GE(fd, 0);
  ASSERT_EQ(ftruncate(fd, 1 << 20), 0);
  auto* const arena = static_cast<char*>(map_shared(fd, 1 << 20));
  EXPECT_TRUE(is_device_address(arena));
  expect_error(cudaMemset(arena, 1, 4), cudaErrorInvalidValue) << "not declared";
  declare_allocation(arena + 256, 100, "d_in", true);
  EXPECT_EQ(find_allocation(arena + 300)->name, "d_in");
  EXPECT_EQ(cudaMemset(arena + 256, 1, 100), cudaSuccess);
  expect_error(cudaMemset(arena + 256, 1, 101), cudaErrorInvalidValue);
  char byte = 0;
  ASSERT_EQ(pread(fd, &byte, 1, 300), 1);
  EXPECT_EQ(byte, 1) << "the other process sees what is written";
  expect_error(cudaFree(arena + 256), cudaErrorInvalidValue);
  retire_allocation(arena + 256);
  expect_error(cudaMemset(arena + 256, 1, 100), cudaErrorInvalidValue);
  EXPECT_THROW(map_shared(-1, 4096), std::exception);
  close(fd);
}

TEST_F(HostMemory, PoisonsScratchAgainWhenItIsRetired) {
  const auto is_poison = [](const void* p) {
    return std::memcmp(p, &kPoisonWord, sizeof kPoisonWord) == 0;
  };
  auto* const room = static_cast<std::byte*>(scratch_room(4096));
  declare_allocation(room, 500, "scratch", false, Allocation::Kind::kScratch);
  EXPECT_TRUE(is_poison(room) && is_poison(room + 496));
  ASSERT_EQ(cudaMemset(room, 1, 500), cudaSuccess);
  retire_scratch(room);
  expect_error(cudaMemset(room, 1, 500), cudaErrorInvalidValue);
  EXPECT_EQ(scratch_room(4096), room);
  EXPECT_TRUE(is_poison(room) && is_poison(room + 496));

  auto* const larger = static_cast<std::byte*>(scratch_room(std::size_t{64} << 20));
  EXPECT_NE(larger, room);
  EXPECT_TRUE(is_poison(larger) && is_poison(larger + (std::size_t{64} << 20) - 4));
  retire_scratch(larger);  // nothing was declared there
}

class Recorder : public MemoryObserver {
 public:
  std::string log;
  void on_allocate(const Allocation&, bool initialised) override { log += initialised ? 'I' : 'A'; }
  void on_release(const Allocation&) override { log += 'R'; }
  void on_write(const void*, std::size_t size_bytes) override {
    log += "w" + std::to_string(size_bytes);
  }
  void on_read(const void*, std::size_t size_bytes) override {
    log += "r" + std::to_string(size_bytes);
  }
  void on_copy(const void*, const void*, std::size_t size_bytes) override {
    log += "c" + std::to_string(size_bytes);
  }
};

TEST_F(HostMemory, ForgetsWhatAnAllocationCovers) {
  const int fd = memfd_create("arena", 0);
  ASSERT_EQ(ftruncate(fd, 1 << 16), 0);
  auto* const arena = static_cast<std::byte*>(map_shared(fd, 1 << 16));
  declare_allocation(arena + 4096, 256, "small", true);
  retire_allocation(arena + 4096);
  declare_allocation(arena, 8192, "large", true);
  for (const std::byte* p : {arena, arena + 4096, arena + 8191}) {
    EXPECT_EQ(find_allocation(p)->name, "large");
    EXPECT_TRUE(find_allocation(p)->live);
  }
  retire_allocation(arena);
  close(fd);
}

TEST_F(HostMemory, TellsItsObserver) {
  Recorder recorder;
  MemoryObserver* const before = memory_observer();
  set_memory_observer(&recorder);
  char *a = nullptr, *b = nullptr, host[100] = {};
  cudaMalloc(&a, 100);
  cudaMallocManaged(&b, 100);
  cudaMemcpy(a, host, 90, cudaMemcpyHostToDevice);
  cudaMemcpy(b, a, 80, cudaMemcpyDeviceToDevice);
  cudaMemcpy(host, b, 70, cudaMemcpyDefault);
  cudaMemset(a, 0, 60);
  expect_error(cudaMemset(a, 0, 101), cudaErrorInvalidValue);
  cudaFree(a);
  cudaFree(b);
  set_memory_observer(before);
  EXPECT_EQ(recorder.log, "AIw90c80r70w60RR");
}

// As a kernel does whose threads each need a few bytes for a while.
TEST_F(HostMemory, UsesLittleMemoryForManySmallAllocations) {
  std::set<void*> addresses;
  for (int i = 0; i < 200'000; ++i) {
    void* const p = allocate(64, Allocation::Kind::kDeviceHeap);
    addresses.insert(p);
    ASSERT_TRUE(release(p, Allocation::Kind::kDeviceHeap));
  }
  EXPECT_LT(addresses.size(), 70'000u) << "two rounds, wherever the first began";
}

struct Churn {
  std::size_t size_bytes;
  int num_others;  // that are allocated and freed after the one that is looked for
  int num_rounds;
};

TEST_F(HostMemory, DoesNotUseRecentlyFreedAddressesAgain) {
  // The search for room comes round in both: after many small ones, and when room is short.
  for (const Churn churn : {Churn{64, 900, 40}, Churn{std::size_t{1} << 30, 5, 3}}) {
    for (int round = 0; round < churn.num_rounds; ++round) {
      void* freed = nullptr;
      ASSERT_EQ(cudaMalloc(&freed, churn.size_bytes), cudaSuccess);
      ASSERT_EQ(cudaFree(freed), cudaSuccess);
      for (int i = 0; i < churn.num_others; ++i) {
        void* other = nullptr;
        ASSERT_EQ(cudaMalloc(&other, churn.size_bytes), cudaSuccess);
        ASSERT_NE(other, freed) << "in round " << round;
        ASSERT_EQ(cudaFree(other), cudaSuccess);
      }
      const Allocation* const found = find_allocation(freed);
      ASSERT_EQ(found->base, freed);
      EXPECT_FALSE(found->live);
    }
  }
}

}  // namespace
}  // namespace simt
