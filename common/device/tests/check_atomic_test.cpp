// SPDX-License-Identifier: MIT
// Races of threads of one launch that use atomics, volatile accesses and fences.
#include "check_test.h"

namespace check_test {
namespace {

class CheckAtomic : public CheckTest {
 protected:
  CheckAtomic() : data(allocate(4096)) {}

  void fence(run::Warp& who, std::uint32_t lanes = 1, run::Scope scope = run::Scope::kDevice) {
    checker.fence(who, lanes, scope);
  }
  // A volatile look at a flag.
  void look(run::Warp& who, std::uint64_t flag, std::uint32_t lanes = 1) {
    does(who, with_order(read(make(40, flag, lanes, 4, 0)), run::Order::kVolatile));
  }

  std::uint64_t data;
};

TEST_F(CheckAtomic, AtomicsMeet) {
  begin(2, 32);
  does(warp(0), atomic(make(5, data, kAll, 4, 0)));
  does(warp(1), atomic(make(5, data, kAll, 4, 0)));
  does(warp(1), with_order(read(make(6, data, 1)), run::Order::kRelaxed));
  expect_none();
}

TEST_F(CheckAtomic, APlainReadBesideAtomicsIsAnOptimisticOne) {
  begin(2, 32);
  does(warp(0), atomic(make(5, data, 1)));
  does(warp(1), read(make(6, data, 1)));
  does(warp(0), atomic(make(5, data, 1)));
  expect_none();
}

// Of a histogram that is merged before all have counted.
TEST_F(CheckAtomic, APlainReadOfSharedMemoryBesideAtomicsIsARace) {
  begin(1, 64);
  does(warp(0, 0), shared(write(make(4, 0, 1))));
  barrier();
  does(warp(0, 0), shared(atomic(make(5, 0, 1))));
  does(warp(0, 1), shared(read(make(6, 0, 1))));
  expect(Kind::kRace, 6);
}

TEST_F(CheckAtomic, APlainReadOfSharedMemoryAfterABarrierIsNone) {
  begin(1, 64);
  does(warp(0, 0), shared(write(make(4, 0, 1))));
  barrier();
  does(warp(0, 0), shared(atomic(make(5, 0, 1))));
  barrier();
  does(warp(0, 1), shared(read(make(6, 0, 1))));
  expect_none();
}

TEST_F(CheckAtomic, APlainReadOfSharedMemoryMayBeVerifiedByACompareAndSwap) {
  kernel.instructions[6].may_be_verified = true;
  begin(1, 64);
  does(warp(0, 0), shared(write(make(4, 0, 1))));
  barrier();
  does(warp(0, 0), shared(atomic(make(5, 0, 1))));
  does(warp(0, 1), shared(read(make(6, 0, 1))));
  expect_none();
}

// `if (value > *best) atomicMax(best, value);`, in lines 5 and 6.
TEST_F(CheckAtomic, APlainReadThatGuardsAnUpdateIsNoted) {
  kernel.instructions[5].guarded_update = 6;
  begin(2, 64);
  does(warp(0), read(make(5, data, 1)));
  does(warp(0), atomic(make(6, data, 1)));
  does(warp(0), read(make(5, data, 1)));  // its own
  EXPECT_TRUE(report::take_notes().empty());
  does(warp(1), read(make(5, data + 4, 1)));
  EXPECT_TRUE(report::take_notes().empty()) << "another word";
  does(warp(1), read(make(5, data, 1)));
  const std::vector<report::Finding> notes = report::take_notes();
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_EQ(notes[0].line, 5U);
  EXPECT_TRUE(contains(notes[0].message,
                       "thread 0 of block 1 reads global memory in line 5 by a plain load, and "
                       "other threads update it by the atomic in line 6"))
      << notes[0].message;
  expect_none();
}

TEST_F(CheckAtomic, AReadThatIsOrderedBehindAnUpdateIsNotNoted) {
  kernel.instructions[5].guarded_update = 6;
  begin(1, 64);
  does(warp(0, 0), atomic(make(6, data, 1)));
  barrier();
  does(warp(0, 1), read(make(5, data, 1)));
  end();
  begin(1, 64);
  does(warp(0, 1), read(make(5, data, 1)));
  EXPECT_TRUE(report::take_notes().empty());
  expect_none();
}

TEST_F(CheckAtomic, AVolatileReadThatGuardsAnUpdateIsNotNoted) {
  kernel.instructions[5].guarded_update = 6;
  begin(2, 64);
  does(warp(0), atomic(make(6, data, 1)));
  does(warp(1), with_order(read(make(5, data, 1)), run::Order::kVolatile));
  EXPECT_TRUE(report::take_notes().empty());
  expect_none();
}

TEST_F(CheckAtomic, APlainWriteBesideAtomicsIsNone) {
  begin(2, 32);
  does(warp(0), atomic(make(5, data, 1)));
  does(warp(1), write(make(6, data, 1)));
  expect(Kind::kRace, 6);
  does(warp(0), atomic(make(7, data, 1)));
  expect(Kind::kRace, 7);
}

TEST_F(CheckAtomic, VolatileAccessesMeetOnPurpose) {
  begin(2, 32);
  does(warp(0), with_order(write(make(5, data, 1)), run::Order::kVolatile));
  look(warp(1), data);
  expect_none();
  does(warp(1), write(make(6, data, 1)));
  expect(Kind::kRace, 6);
}

TEST_F(CheckAtomic, AccessesThatBypassTheCacheAreLikeVolatileOnes) {
  begin(2, 32);
  run::Access store = write(make(5, data, 1));
  store.bypasses_cache = true;
  does(warp(0), store);
  run::Access load = read(make(6, data, 1));
  load.bypasses_cache = true;
  does(warp(1), load);
  expect_none();
}

TEST_F(CheckAtomic, VolatileSharedMemoryIsNoBarrierOfAWarp) {
  begin(1, 32);
  does(warp(), with_order(shared(write(make(5, 0))), run::Order::kVolatile));
  does(warp(), with_order(shared(read(make(6, 4, 0xffff))), run::Order::kVolatile));
  expect(Kind::kRace, 5);
}

TEST_F(CheckAtomic, VolatileSharedMemoryWithFencesMayBeAFlag) {
  begin(1, 32);
  does(warp(), with_order(shared(write(make(5, 0))), run::Order::kVolatile));
  fence(warp(), kAll, run::Scope::kBlock);
  does(warp(), with_order(shared(read(make(6, 4, 0xffff))), run::Order::kVolatile));
  expect_none();
}

TEST_F(CheckAtomic, AVolatileWriteRacesWithAPlainReadThatVolatileOnesHide) {
  begin(4, 32);
  does(warp(0), read(make(5, data)));
  look(warp(1), data);
  look(warp(2), data);
  does(warp(3), with_order(write(make(6, data, 1)), run::Order::kVolatile));
  expect(Kind::kRace, 6);
}

// ---- fences

TEST_F(CheckAtomic, AFenceAndAFlagOrderBlocks) {
  begin(2, 32);
  does(warp(0), write(make(5, data, 1)));
  fence(warp(0));
  does(warp(0), with_order(write(make(6, data + 128, 1)), run::Order::kVolatile));
  look(warp(1), data + 128);
  does(warp(1), read(make(7, data, 1)));
  expect_none();
}

TEST_F(CheckAtomic, WithoutTheWritersFenceTheyAreARace) {
  begin(2, 32);
  does(warp(0), write(make(5, data, 1)));
  does(warp(0), with_order(write(make(6, data + 128, 1)), run::Order::kVolatile));
  look(warp(1), data + 128);
  does(warp(1), read(make(7, data, 1)));
  expect(Kind::kRace, 7);
}

TEST_F(CheckAtomic, WithoutALookAtTheFlagTheyAreARace) {
  begin(2, 32);
  does(warp(0), write(make(5, data, 1)));
  fence(warp(0));
  does(warp(1), read(make(7, data, 1)));
  expect(Kind::kRace, 7);
}

TEST_F(CheckAtomic, AFenceOfTheBlockDoesNotReachOthers) {
  begin(2, 64);
  does(warp(0), write(make(5, data, 1)));
  fence(warp(0), 1, run::Scope::kBlock);
  look(warp(0, 1), data + 128);
  does(warp(0, 1), read(make(6, data, 1)));
  expect_none();
  look(warp(1), data + 128);
  does(warp(1), read(make(7, data, 1)));
  expect(Kind::kRace, 7);
}

TEST_F(CheckAtomic, AFenceOfTheDevicePassesOnWhatWasAcquiredInTheBlock) {
  begin(2, 64);
  does(warp(0), write(make(5, data, 1)));
  fence(warp(0), 1, run::Scope::kBlock);
  look(warp(0, 1), data + 128);
  fence(warp(0, 1));
  look(warp(1), data + 132);
  does(warp(1), read(make(7, data, 1)));
  expect_none();
}

TEST_F(CheckAtomic, AFenceBehindABarrierCoversTheBlock) {  // the last block
  begin(2, 64);
  does(warp(0, 0), write(make(5, data)));
  does(warp(0, 1), write(make(5, data + 128)));
  barrier(50, 0);
  fence(warp(0, 0));
  does(warp(0, 0), atomic(make(6, data + 512, 1)));
  does(warp(1, 0), atomic(make(6, data + 512, 1)));
  barrier(50, 1);  // passes it on to the other threads
  does(warp(1, 1), read(make(7, data + 128)));
  expect_none();
}

TEST_F(CheckAtomic, ReleaseAndAcquireOrderTheirThreads) {
  begin(2, 32);
  does(warp(0), write(make(5, data, 1)));
  does(warp(0), with_order(write(make(6, data + 128, 1)), run::Order::kRelease));
  does(warp(1), with_order(read(make(7, data + 128, 1)), run::Order::kAcquire));
  does(warp(1), read(make(8, data, 1)));
  expect_none();
}

TEST_F(CheckAtomic, RelaxedAtomicsOrderNothing) {
  begin(2, 32);
  does(warp(0), write(make(5, data, 1)));
  does(warp(0), with_order(write(make(6, data + 128, 1)), run::Order::kRelaxed));
  does(warp(1), with_order(read(make(7, data + 128, 1)), run::Order::kRelaxed));
  does(warp(1), read(make(8, data, 1)));
  expect(Kind::kRace, 8);
}

}  // namespace
}  // namespace check_test
