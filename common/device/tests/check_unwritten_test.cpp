// SPDX-License-Identifier: MIT
#include "check_test.h"

namespace check_test {
namespace {

class CheckUnwritten : public CheckTest {
 protected:
  void use(const run::Access& read, std::uint32_t lanes, std::uint32_t element = 0) {
    checker.uses_unwritten(warp(), read, element, lanes);
  }
};

TEST_F(CheckUnwritten, ALoadIsNoMistakeUntilItsRegisterIsUsed) {
  const std::uint64_t data = allocate(128, false);
  begin(1, 32);
  const run::Access done = does(warp(), read(make(7, data)));
  EXPECT_EQ(done.unwritten[0], kAll);
  EXPECT_EQ(done.partly_written, 0u);
  expect_none();
  use(done, 0xf0);
  expect(Kind::kUninitializedRead, 7,
         {"thread 4 of block 0 reads 4 bytes of allocation", "that no thread has written yet",
          "index 4 in items of 4 bytes; fill it before: by a copy"});
}

TEST_F(CheckUnwritten, AFillOrCopyThatEndsEarlyIsNamed) {
  const std::uint64_t data = allocate(128, false);
  checker.streams().begin_work(0).issued_at = {"/home/a.cu", 80};
  checker.on_write(data, 32);
  checker.streams().end_work();
  begin(1, 32);
  use(does(warp(), read(make(7, data))), 0xf00);
  expect(Kind::kUninitializedRead, 7,
         {"index 8 in items of 4 bytes; line 80", "fills only its first 32 bytes: the size of"});
  checker.on_write(data + 32, 32);  // so it is no longer what the next words lack
  use(does(warp(), read(make(8, data))), 0xf0000);
  expect(Kind::kUninitializedRead, 8, {"index 16 in items of 4 bytes; fill it before"});
}

TEST_F(CheckUnwritten, WhatAKernelOrACopyWroteIsWritten) {
  const std::uint64_t data = allocate(256, false);
  checker.on_write(data, 128);
  begin(1, 32);
  does(warp(), write(make(1, data + 128, 0xffff)));
  EXPECT_EQ(does(warp(), read(make(2, data))).unwritten[0], 0u);
  EXPECT_EQ(does(warp(), read(make(3, data + 128))).unwritten[0], 0xffff0000);
}

// The shadow of a large allocation is given back as a whole.
TEST_F(CheckUnwritten, TheNeighboursOfALargeAllocationStayKnownWhenItIsFreed) {
  constexpr std::uint64_t kLarge = std::uint64_t{4} << 20;
  const std::uint64_t before = allocate(128, false);
  const std::uint64_t large = allocate(kLarge, false);
  const std::uint64_t after = allocate(128, false);
  ASSERT_LT(before, large);
  ASSERT_LT(large, after);
  begin(2, 32);
  for (const std::uint64_t data : {before, large, large + kLarge - 128, after}) {
    does(warp(1), write(make(1, data)));
  }
  ASSERT_TRUE(memory::release(large, memory::Allocation::Kind::kDevice, {}));
  for (const std::uint64_t data : {before, after}) {
    EXPECT_EQ(does(warp(0), read(make(2, data))).unwritten[0], 0u);
    expect(Kind::kRace, 2, {"that thread 0 of another block writes in line 1"});
  }
}

TEST_F(CheckUnwritten, EachElementOfAVectorCounts) {
  const std::uint64_t data = allocate(256, false);
  checker.on_write(data, 8);
  begin(1, 32);
  run::Access access = read(make(2, data, 3, 16, 16));
  access.element_bytes = 4;
  access.num_elements = 4;
  const run::Access done = does(warp(), access);
  EXPECT_EQ(done.unwritten[0], 2u);
  EXPECT_EQ(done.unwritten[1], 2u);
  EXPECT_EQ(done.unwritten[2], 3u);
  EXPECT_EQ(done.unwritten[3], 3u);
  EXPECT_EQ(done.partly_written, 1u);
}

TEST_F(CheckUnwritten, AnElementWithAWrittenByteCountsAsWritten) {
  const std::uint64_t data = allocate(256, false);
  checker.on_write(data, 1);
  begin(1, 32);
  EXPECT_EQ(does(warp(), read(make(2, data, 1, 8, 0))).unwritten[0], 0u);
}

TEST_F(CheckUnwritten, AnAtomicNeedsAllItsBytes) {
  const std::uint64_t data = allocate(256, false);
  checker.on_write(data, 2);
  begin(1, 32);
  does(warp(), atomic(make(4, data, 1)));
  expect(Kind::kUninitializedRead, 4,
         {"updates 4 bytes", "of which no thread has written 2 bytes yet"});
  does(warp(), atomic(make(5, data + 4, 1)));
  expect(Kind::kUninitializedRead, 5, {"updates 4 bytes", "that no thread has written yet"});
  does(warp(), atomic(make(6, data + 4, 1)));
  expect_none();
}

TEST_F(CheckUnwritten, AnAsynchronousCopyReadsAtOnce) {
  const std::uint64_t data = allocate(256, false);
  begin(1, 32);
  run::Access access = read(make(4, data, 1, 16, 0));
  access.is_async = true;
  does(warp(), access);
  expect(Kind::kUninitializedRead, 4, {"reads 16 bytes"});
}

TEST_F(CheckUnwritten, SharedMemoryIsFreshInEachBlock) {
  begin(2, 32);
  does(warp(0), shared(write(make(1, 0))));
  EXPECT_EQ(does(warp(0), shared(read(make(2, 0)))).unwritten[0], 0u);
  const run::Access done = does(warp(1), shared(read(make(2, 0))));
  EXPECT_EQ(done.unwritten[0], kAll);
  checker.uses_unwritten(warp(1), done, 0, 1);
  expect(Kind::kUninitializedRead, 2,
         {"thread 0 of block 1 reads 4 bytes of shared memory (tile) that no thread has written"});
}

TEST_F(CheckUnwritten, DynamicSharedMemoryHasNoName) {
  begin(1, 32, 256);
  use(does(warp(), shared(read(make(2, 528)))), kAll);
  expect(Kind::kUninitializedRead, 2, {"4 bytes of shared memory that no thread has written yet"});
}

TEST_F(CheckUnwritten, CopiesWithinTheDeviceCopyWhatIsUnwritten) {
  const std::uint64_t from = allocate(128, false);
  const std::uint64_t to = allocate(128);
  checker.on_write(from + 64, 64);
  checker.on_copy(to, from, 128);
  begin(1, 32);
  EXPECT_EQ(does(warp(), read(make(2, to))).unwritten[0], 0xffffu);
}

TEST_F(CheckUnwritten, ACopyToTheHostOfUnwrittenMemory) {
  const std::uint64_t data = allocate(4096, false);
  checker.on_write(data, 1000);
  checker.streams().begin_work(0).issued_at = {"/home/a.cu", 80};
  checker.on_read(data, 992);
  expect_none();
  checker.on_read(data, 4096);
  checker.streams().end_work();
  expect(Kind::kUninitializedRead, 80,
         {"this copy to the host reads byte 1024 of its 4096 bytes (allocation",
          "do the launches and copies before it cover all items?"});
}

TEST_F(CheckUnwritten, ManagedMemoryMayHaveBeenWrittenByTheHost) {
  const std::uint64_t data = memory::allocate(128, memory::Allocation::Kind::kManaged, {});
  begin(1, 32);
  EXPECT_EQ(does(warp(), read(make(2, data))).unwritten[0], 0u);
}

TEST_F(CheckUnwritten, FreedAndAllocatedAgainIsUnwritten) {
  const std::uint64_t data = memory::scratch_room(128);
  memory::declare(data, 128, "scratch", false);
  checker.on_write(data, 128);
  begin(1, 32);
  EXPECT_EQ(does(warp(), read(make(2, data))).unwritten[0], 0u);
  end();
  memory::retire_scratch(data);
  memory::declare(data, 128, "scratch", false);
  begin(1, 32);
  EXPECT_EQ(does(warp(), read(make(2, data))).unwritten[0], kAll);
}

}  // namespace
}  // namespace check_test
