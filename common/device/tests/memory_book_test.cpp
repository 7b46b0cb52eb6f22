// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <vector>

#include "memory/book.h"
#include "memory/page.h"

namespace memory {
namespace {

using Kind = Allocation::Kind;

std::uint32_t& word_at(std::uint64_t address) { return *reinterpret_cast<std::uint32_t*>(address); }

class MemoryBook : public testing::Test {
 protected:
  void TearDown() override {
    set_observer(nullptr);
    for (const Allocation* const entry : live_allocations()) {
      if (!release(entry->base, entry->kind, {})) retire(entry->base);
    }
  }
};

TEST_F(MemoryBook, FreshMemoryHoldsPoisonAndHasItsAddress) {
  const std::uint64_t base = allocate(1000, Kind::kDevice, {"a.cu", 7});
  ASSERT_TRUE(is_device(base));
  EXPECT_EQ(base % kAllocationAlignment, 0u);
  EXPECT_EQ(word_at(base), kPoisonWord);
  EXPECT_EQ(word_at(base + 996), kPoisonWord);
  const Allocation* const found = find(base + 999);
  ASSERT_NE(found, nullptr);
  EXPECT_TRUE(found->contains(base + 999));
  EXPECT_FALSE(found->contains(base + 999, 2));
  EXPECT_EQ(found->made_at.line, 7u);
  EXPECT_EQ(found->name, "allocation " + std::to_string(found->id));
}

TEST_F(MemoryBook, RedZonesSeparateAllocations) {
  const std::uint64_t first = allocate(256, Kind::kDevice, {});
  const std::uint64_t second = allocate(256, Kind::kDevice, {});
  EXPECT_GE(second, first + 256 + kRedZoneBytes);
  EXPECT_EQ(find(first + 256)->base, first);  // the nearest
  EXPECT_EQ(find(second - 1)->base, second);
}

TEST_F(MemoryBook, FreedAddressesAreRecognisedForLong) {
  const std::uint64_t base = allocate(64, Kind::kDevice, {"a.cu", 1});
  ASSERT_TRUE(release(base, Kind::kDevice, {"a.cu", 9}));
  EXPECT_FALSE(release(base, Kind::kDevice, {}));
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t other = allocate(64, Kind::kDevice, {});
    EXPECT_NE(other, base);
    release(other, Kind::kDevice, {});
  }
  const Allocation* const found = find(base + 8);
  ASSERT_EQ(found->base, base);
  EXPECT_FALSE(found->live);
  EXPECT_EQ(found->freed_at.line, 9u);
}

TEST_F(MemoryBook, OnlyTheBaseAndTheKindFree) {
  const std::uint64_t base = allocate(64, Kind::kManaged, {});
  EXPECT_FALSE(release(base + 4, Kind::kManaged, {}));
  EXPECT_FALSE(release(base, Kind::kDevice, {}));
  EXPECT_TRUE(release(base, Kind::kManaged, {}));
}

TEST_F(MemoryBook, MemoryOfTheHostToosIsInTheSharedPart) {
  const std::uint64_t base = allocate(4096, Kind::kManaged, {});
  ASSERT_GE(base, kSharedWithHostBase);
  word_at(base) = 77;
  void* const other =
      mmap(nullptr, kSharedWithHostBytes, PROT_READ, MAP_SHARED, shared_with_host_fd(), 0);
  ASSERT_NE(other, MAP_FAILED);
  std::uint32_t seen = 0;
  std::memcpy(&seen, static_cast<std::byte*>(other) + (base - kSharedWithHostBase), sizeof seen);
  EXPECT_EQ(seen, 77u);
  munmap(other, kSharedWithHostBytes);
  EXPECT_LT(allocate(4096, Kind::kDevice, {}), kSharedWithHostBase);
}

TEST_F(MemoryBook, TheDevicesMemoryIsUsedUp) {
  const std::uint64_t used = used_bytes();
  const std::uint64_t base = allocate(kDeviceMemoryBytes - used, Kind::kDevice, {});
  ASSERT_NE(base, 0u);
  EXPECT_EQ(allocate(1, Kind::kDevice, {}), 0u);
  release(base, Kind::kDevice, {});
  EXPECT_EQ(used_bytes(), used);
}

TEST_F(MemoryBook, HugeAllocationsGetTheirPoisonAtFirstUse) {
  const std::uint64_t size_bytes = std::uint64_t{1} << 30;
  const std::uint64_t base = allocate(size_bytes, Kind::kDevice, {});
  const std::uint64_t middle = page_below(base + size_bytes / 2);
  EXPECT_EQ(word_at(base), kPoisonWord);
  EXPECT_EQ(word_at(base + size_bytes - 4), kPoisonWord);
  unsigned char resident = 1;
  ASSERT_EQ(mincore(reinterpret_cast<void*>(middle), page_bytes(), &resident), 0);
  EXPECT_EQ(resident & 1, 0);
  poison_on_first_use(middle, 4);
  EXPECT_EQ(word_at(middle), kPoisonWord);
  word_at(middle) = 5;
  poison_on_first_use(middle, 4);
  EXPECT_EQ(word_at(middle), 5u);
}

TEST_F(MemoryBook, DeclaresPartsOfTheArena) {
  const int fd = memfd_create("arena", 0);
  ASSERT_EQ(ftruncate(fd, 1 << 20), 0);
  const std::uint64_t arena = map_arena(fd, 1 << 20);
  declare(arena + 256, 400, "d_in", true);
  EXPECT_EQ(find(arena + 300)->name, "d_in");
  EXPECT_EQ(find(arena + 300)->kind, Kind::kExternal);
  retire(arena + 256);
  EXPECT_FALSE(find(arena + 300)->live);
  close(fd);
  EXPECT_THROW(map_arena(-1, 4096), std::system_error);
}

TEST_F(MemoryBook, ScratchRoomHoldsPoisonAgain) {
  const std::uint64_t room = scratch_room(4096);
  declare(room, 1024, "scratch", false, Kind::kScratch);
  word_at(room) = 1;
  retire_scratch(room);
  EXPECT_EQ(word_at(room), kPoisonWord);
  EXPECT_EQ(scratch_room(1000), room);
}

TEST_F(MemoryBook, VariablesHoldZeros) {
  const std::uint64_t room = variable_room(4096);
  EXPECT_EQ(word_at(room), 0u);
  EXPECT_TRUE(is_device(room));
}

TEST_F(MemoryBook, TheLiveOnesAreInOrderOfAge) {
  const std::uint64_t first = allocate(64, Kind::kDevice, {});
  const std::uint64_t second = allocate(64, Kind::kPinnedHost, {});
  const std::uint64_t third = allocate(64, Kind::kDevice, {});
  const auto live = live_allocations();
  ASSERT_EQ(live.size(), 3u);
  EXPECT_EQ(live[0]->base, first);
  EXPECT_EQ(live[1]->base, second);
  EXPECT_EQ(live[2]->base, third);
  release_all();  // cudaDeviceReset
  ASSERT_EQ(live_allocations().size(), 1u);
  EXPECT_EQ(live_allocations()[0]->base, second);
}

struct Log : Observer {
  std::vector<std::string> events;
  void on_allocate(const Allocation& a, bool initialised) override {
    events.push_back("allocate " + std::to_string(a.size_bytes) + (initialised ? " +" : " -"));
  }
  void on_release(const Allocation& a) override {
    events.push_back("release " + std::to_string(a.size_bytes));
  }
  void on_write(std::uint64_t, std::uint64_t) override {}
  void on_read(std::uint64_t, std::uint64_t) override {}
  void on_copy(std::uint64_t, std::uint64_t, std::uint64_t) override {}
};

TEST_F(MemoryBook, TellsItsObserver) {
  Log log;
  set_observer(&log);
  const std::uint64_t base = allocate(64, Kind::kDevice, {});
  allocate(32, Kind::kManaged, {});
  release(base, Kind::kDevice, {});
  EXPECT_EQ(log.events, (std::vector<std::string>{"allocate 64 -", "allocate 32 +", "release 64"}));
  set_observer(nullptr);
}

TEST_F(MemoryBook, TheVersionChangesWithTheBook) {
  const std::uint64_t before = version();
  const std::uint64_t base = allocate(64, Kind::kDevice, {});
  EXPECT_NE(version(), before);
  const std::uint64_t between = version();
  release(base, Kind::kDevice, {});
  EXPECT_NE(version(), between);
}

}  // namespace
}  // namespace memory
