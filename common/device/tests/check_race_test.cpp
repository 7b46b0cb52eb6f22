// SPDX-License-Identifier: MIT
// Races of threads of one launch, by ordinary loads and stores.
#include "check_test.h"

namespace check_test {
namespace {

class CheckRace : public CheckTest {
 protected:
  CheckRace() : data(allocate(4096)) {}

  std::uint64_t data;
};

TEST_F(CheckRace, ThreadsThatKeepToTheirOwnWords) {
  begin(2, 64);
  for (std::uint32_t block = 0; block < 2; ++block) {
    for (std::uint32_t id = 0; id < 2; ++id) {
      const std::uint64_t own = data + 256 * block + 128 * id;
      does(warp(block, id), read(make(1, own)));
      does(warp(block, id), write(make(2, own)));
      does(warp(block, id), read(make(3, own)));
      does(warp(block, id), write(make(4, own), 2));
    }
  }
  expect_none();
}

TEST_F(CheckRace, AWordThatAnotherWarpWrote) {
  begin(1, 64);
  does(warp(0, 0), shared(write(make(5, 0))));
  does(warp(0, 1), shared(read(make(6, 0))));
  expect(
      Kind::kRace, 6,
      {"thread 32 of block 0 reads shared memory (tile) in line 6 that thread 0 of the same block "
       "writes in line 5",
       "no __syncthreads() (or, within a warp, __syncwarp()) stands between them"});
}

TEST_F(CheckRace, TwoWritesMayMeetByAWrongIndex) {
  begin(1, 64);
  does(warp(0, 0), write(make(5, data)));
  does(warp(0, 1), write(make(6, data)));
  expect(Kind::kRace, 6, {"stands between them; if the two should never meet, check the index"});
}

TEST_F(CheckRace, ABarrierOrdersABlock) {
  begin(1, 64);
  does(warp(0, 0), shared(write(make(5, 0))));
  does(warp(0, 0), write(make(5, data)));
  does(warp(0, 1), shared(write(make(5, 128))));
  barrier();
  for (std::uint32_t id = 0; id < 2; ++id) {
    does(warp(0, id), shared(read(make(6, 128 - 128 * id))));
    does(warp(0, id), read(make(6, data)));
  }
  barrier();
  does(warp(0, 1), shared(write(make(7, 0))));
  expect_none();
}

TEST_F(CheckRace, AReadBeforeAnotherWarpsWrite) {
  begin(1, 64);
  does(warp(0, 0), read(make(5, data)));
  does(warp(0, 1), write(make(6, data)));
  expect(Kind::kRace, 6,
         {"writes global memory (allocation ",
          ", allocated in line 70 of a.cu)"
          " in line 6 that thread 0 of the same block reads"});
}

TEST_F(CheckRace, TheBarrierOnTheOtherSideOfALoop) {
  begin(1, 64);
  does(warp(0, 0), shared(write(make(5, 0))));
  does(warp(0, 1), shared(write(make(5, 128))));
  barrier(6);
  does(warp(0, 0), shared(read(make(7, 128))));
  does(warp(0, 1), shared(write(make(5, 128), 2)));
  expect(
      Kind::kRace, 5,
      {"the __syncthreads() in line 6 stands between line 5 and line 7, but none on the way back "
       "to line 5, in a loop or in another call"});
}

// That of the higher thread is named first.
TEST_F(CheckRace, LanesOfAWarpAreNotInStep) {
  begin(1, 32);
  does(warp(), shared(write(make(5, 0))));
  does(warp(), shared(read(make(6, 4, 0x7fffffff))));
  expect(
      Kind::kRace, 5,
      {"thread 1 of block 0 writes", "in line 5 that thread 0 of the same block reads in line 6"});
}

TEST_F(CheckRace, SyncwarpOrdersItsLanes) {
  begin(1, 32);
  does(warp(), shared(write(make(5, 0))));
  checker.lanes_meet(warp(), kAll, at(8));
  does(warp(), shared(read(make(6, 4, 0x7fffffff))));
  checker.lanes_meet(warp(), kAll, at(8));
  does(warp(), shared(write(make(5, 0), 2)));
  expect_none();
}

TEST_F(CheckRace, SyncwarpOfAPartOrdersThatPart) {
  begin(1, 32);
  does(warp(), shared(write(make(5, 0))));
  checker.lanes_meet(warp(), 0xffff, at(8));
  does(warp(), shared(read(make(6, 4, 0x7fff))));
  expect_none();
  does(warp(), shared(read(make(7, 4, 0x8000))));  // of lane 16's word
  expect(Kind::kRace, 5, {"thread 16 of block 0", "thread 15 of the same block"});
}

TEST_F(CheckRace, SyncwarpPassesOnWhatLanesKnow) {
  begin(1, 32);
  does(warp(), shared(write(make(5, 0, 1))));
  checker.lanes_meet(warp(), 0x3, at(8));
  checker.lanes_meet(warp(), 0x6, at(8));
  does(warp(), shared(read(make(6, 0, 4, 4, 0))));
  expect_none();
}

TEST_F(CheckRace, SyncwarpIsNoBarrierOfTheBlock) {
  begin(1, 64);
  does(warp(0, 0), shared(write(make(5, 0))));
  checker.lanes_meet(warp(0, 0), kAll, at(8));
  checker.lanes_meet(warp(0, 1), kAll, at(8));
  does(warp(0, 1), shared(read(make(6, 0))));
  expect(Kind::kRace, 6);
}

TEST_F(CheckRace, BlocksAreNotOrdered) {
  begin(2, 32);
  does(warp(0), write(make(5, data)));
  barrier(50, 0);
  barrier(50, 1);
  does(warp(1), read(make(6, data)));
  expect(Kind::kRace, 6,
         {"thread 0 of block 1 reads global memory (allocation ",
          ", allocated in line 70 of a.cu)"
          " in line 6 that thread 0 of another block writes "
          "in line 5",
          "blocks run in any order"});
}

TEST_F(CheckRace, ALostUpdateIsGivenItsOwnAdvice) {
  begin(2, 32);
  does(warp(0), read(make(5, data, 1)));
  does(warp(0), write(make(5, data, 1), 1));
  does(warp(1), read(make(5, data, 1)));
  expect(Kind::kRace, 5,
         {"if both mean to update this value, use an atomic; if they should never meet"});
}

TEST_F(CheckRace, SharedMemoryOfTwoBlocksIsTwo) {
  begin(2, 32);
  does(warp(0), shared(write(make(5, 0))));
  does(warp(1), shared(write(make(5, 0))));
  does(warp(1), shared(read(make(6, 0))));
  expect_none();
}

TEST_F(CheckRace, ASlotsNextBlockFindsNothingOfTheLast) {
  begin(1, 64);
  does(warp(0, 0), shared(write(make(5, 0))));
  checker.block_ends(*blocks[0]);
  blocks.clear();
  start_block(1, 64);
  does(warp(0, 1), shared(write(make(5, 0))));
  expect_none();
}

TEST_F(CheckRace, LaunchesOfOneStreamAreOrdered) {
  begin(1, 32);
  does(warp(), write(make(5, data)));
  end();
  begin(1, 32);
  does(warp(), read(make(6, data + 4, 0xffff)));
  end();
  begin(1, 32);
  does(warp(), write(make(7, data), 3));
  end();
  expect_none();
}

// ---- other meetings

TEST_F(CheckRace, ANamedBarrierOrdersItsPart) {
  begin(1, 96);
  does(warp(0, 0), shared(write(make(5, 0))));
  const std::uint32_t part[] = {kAll, kAll, 0};
  checker.threads_meet(*blocks[0], part, at(9), this);
  does(warp(0, 1), shared(read(make(6, 0))));
  expect_none();
  does(warp(0, 2), shared(read(make(7, 0))));
  expect(Kind::kRace, 7);
}

TEST_F(CheckRace, ANamedBarrierPassesOnWhatItsThreadsLearnedAtAnother) {
  begin(1, 128);
  does(warp(0, 0), shared(write(make(5, 0))));
  const std::uint32_t first[] = {kAll, kAll, 0, 0}, second[] = {0, kAll, kAll, 0};
  int barrier = 0;
  checker.threads_meet(*blocks[0], first, at(9), this);
  checker.threads_meet(*blocks[0], second, at(9), &barrier);
  does(warp(0, 2), shared(read(make(6, 0))));
  expect_none();
  checker.fence(warp(0, 2), 1, run::Scope::kDevice);  // it covers that, too
  does(warp(0, 3), with_order(read(make(7, data, 1)), run::Order::kVolatile));
  does(warp(0, 3), shared(read(make(8, 0, 1))));
  expect_none();
}

TEST_F(CheckRace, ANamedBarrierOrdersNoneOfTheThreadsThatMeetAtAnother) {
  begin(1, 128);
  does(warp(0, 0), shared(write(make(5, 0))));
  const std::uint32_t first[] = {kAll, kAll, 0, 0}, second[] = {0, 0, kAll, kAll};
  int barrier = 0;
  checker.threads_meet(*blocks[0], first, at(9), this);
  checker.threads_meet(*blocks[0], second, at(10), &barrier);
  does(warp(0, 2), shared(read(make(6, 0))));
  expect(Kind::kRace, 6);
}

TEST_F(CheckRace, TheNextThreadsAtANamedBarrierLearnNothingFromTheLast) {
  begin(1, 128);
  does(warp(0, 0), shared(write(make(5, 0))));
  const std::uint32_t first[] = {kAll, kAll, 0, 0}, second[] = {0, 0, kAll, kAll};
  checker.threads_meet(*blocks[0], first, at(9), this);
  checker.threads_meet(*blocks[0], second, at(9), this);
  does(warp(0, 2), shared(read(make(6, 0))));
  expect(Kind::kRace, 6);
}

// Two reads of a word that one writer is ordered after, and not the other.
TEST_F(CheckRace, AWriterThatMetOneOfTwoReaders) {
  begin(1, 96);
  does(warp(0, 0), shared(write(make(4, 0))));
  barrier();
  does(warp(0, 0), shared(read(make(5, 0))));
  const std::uint32_t part[] = {kAll, 0, kAll};
  checker.threads_meet(*blocks[0], part, at(9), this);
  does(warp(0, 1), shared(read(make(6, 0))));
  does(warp(0, 1), shared(read(make(6, 0))));
  does(warp(0, 2), shared(write(make(7, 0))));
  expect(Kind::kRace, 7, {"in line 6"});
}

TEST_F(CheckRace, AGridBarrierOrdersAllBlocks) {
  begin(2, 32);
  does(warp(0), write(make(5, data)));
  does(warp(0), shared(write(make(5, 0))));
  checker.grid_meets(launch);
  does(warp(1), read(make(6, data)));
  does(warp(0), shared(read(make(6, 4, 0xff))));
  expect_none();
  does(warp(0), write(make(7, data)));
  expect(Kind::kRace, 7, {"of another block reads in line 6"});
}

TEST_F(CheckRace, AClusterBarrierOrdersItsBlocks) {
  cluster = {2, 1, 1};
  begin(4, 32);
  does(warp(0), shared(write(make(5, 0))));
  does(warp(0), write(make(5, data)));
  run::Block* const both[] = {blocks[0].get(), blocks[1].get()};
  checker.cluster_meets(both);
  run::Access remote = shared(read(make(6, 0)));
  remote.remote = blocks[0].get();
  EXPECT_EQ(does(warp(1), remote).unwritten[0], 0u);
  does(warp(1), read(make(7, data)));
  expect_none();
  does(warp(2), read(make(8, data)));
  expect(Kind::kRace, 8);
  remote = shared(write(make(9, 0)));
  remote.remote = blocks[1].get();
  does(warp(0), remote);
  does(warp(1), shared(read(make(10, 0))));
  expect(Kind::kRace, 10, {"reads shared memory", "of another block"});
}

// ---- equal values

TEST_F(CheckRace, OneLineThatStoresTheSameValueIsNoRace) {
  begin(2, 32);
  does(warp(0), write(make(5, data, kAll, 4, 0), 7));
  does(warp(1), write(make(5, data, kAll, 4, 0), 7));
  expect_none();
  does(warp(1), write(make(5, data, 1), 8));
  expect(Kind::kRace, 5, {"if both mean to update this value"});
}

TEST_F(CheckRace, TwoLinesThatStoreTheSameValueAreARaceThatDoesNoHarm) {
  begin(2, 32);
  does(warp(0), write(make(5, data, 1), 7));
  does(warp(1), write(make(6, data, 1), 7));
  expect(Kind::kRace, 6, {"both store the same value here, which does no harm"});
}

TEST_F(CheckRace, LanesOfOneStoreThatMeet) {
  begin(1, 32);
  does(warp(), write(make(5, data, kAll, 4, 0), 7));
  expect_none();
  for (std::uint32_t i = 0; i < 32; ++i) values[i] = i;
  does(warp(), store(make(6, data + 4, kAll, 4, 0)));
  expect(Kind::kRace, 6, {"thread 1 of block 0", "thread 0 of the same block writes in line 6"});
  run::Access access = store(make(7, data + 8, 3, 4, 0));
  access.values[0] = nullptr;  // not known
  does(warp(), access);
  expect(Kind::kRace, 7);
}

TEST_F(CheckRace, ALaneThatMeetsItsOwnEarlierStoreHidesNone) {
  begin(1, 32);
  does(warp(), write(make(5, data, 1), 1));
  does(warp(), write(make(6, data, kAll, 4, 0), 2));
  expect(Kind::kRace, 6,
         {"writes global memory (allocation ",
          ", allocated in line 70 of a.cu)"
          " in line 6 that thread 0",
          "writes in line 5"});
}

// ---- parts of words, vectors, patterns

TEST_F(CheckRace, BytesOfOneWordAreApart) {
  begin(1, 64);
  does(warp(0, 0), make(5, data, kAll, 1, 1));
  run::Access bytes = make(5, data, kAll, 1, 1);
  bytes.writes = true;
  does(warp(0, 0), bytes);
  bytes.reads = true;
  bytes.writes = false;
  does(warp(0, 0), bytes);
  expect_none();
  does(warp(0, 1), read(make(6, data + 3, 1, 1, 0)));  // the word's last write
  expect(Kind::kRace, 6);
}

TEST_F(CheckRace, VectorsCoverTheirWords) {
  begin(1, 64);
  run::Access vector = make(5, data, kAll, 16, 16);
  vector.writes = true;
  does(warp(0, 0), vector);
  does(warp(0, 1), read(make(6, data + 4 * 127, 1)));
  expect(Kind::kRace, 6, {"thread 31 of the same block writes"});
  does(warp(0, 1), read(make(7, data + 64, 1, 8, 0)));
  expect(Kind::kRace, 7, {"thread 4 of the same block writes"});
}

TEST_F(CheckRace, AccessesAcrossGranules) {
  begin(1, 64);
  does(warp(0, 0), write(make(5, data + 64)));
  does(warp(0, 1), read(make(6, data + 188, 1)));
  expect(Kind::kRace, 6, {"thread 31 of the same block"});
  does(warp(0, 1), read(make(7, data + 64, 1)));
  expect(Kind::kRace, 7, {"thread 0 of the same block"});
  does(warp(0, 1), read(make(8, data + 60, 1)));
  expect_none();
}

TEST_F(CheckRace, LanesThatAreMissingTouchNothing) {
  begin(1, 64);
  does(warp(0, 0), write(make(5, data, 0xfffffffe)));
  does(warp(0, 1), read(make(6, data, 1)));
  expect_none();
  does(warp(0, 0), write(make(7, data + 256 - 4, 0xfffffffe)));  // lane 0 is before the granule
  does(warp(0, 1), read(make(8, data + 252, 1)));
  expect_none();
  does(warp(0, 1), read(make(9, data + 256, 1)));
  expect(Kind::kRace, 9, {"thread 1 of the same block"});
}

TEST_F(CheckRace, StridedAccesses) {
  begin(1, 64);
  does(warp(0, 0), write(make(5, data, kAll, 4, 8)));
  does(warp(0, 1), write(make(5, data + 4, kAll, 4, 8)));
  expect_none();
  does(warp(0, 1), read(make(6, data + 8 * 31, 1)));
  expect(Kind::kRace, 6, {"thread 31 of the same block"});
}

TEST_F(CheckRace, ManyReadersThenAWriter) {
  begin(8, 64);
  for (std::uint32_t block = 0; block < 8; ++block) {
    for (std::uint32_t id = 0; id < 2; ++id) does(warp(block, id), read(make(5, data)));
  }
  expect_none();
  for (std::uint32_t block = 0; block < 8; ++block) {
    does(warp(block, 0), write(make(6 + block, data + 4 * block, 1)));
    expect(Kind::kRace, 6 + block);
  }
}

TEST_F(CheckRace, ReadersOfABlockThenAWriterOfIt) {
  begin(1, 96);
  for (std::uint32_t round = 0; round < 3; ++round) {
    for (std::uint32_t id = 0; id < 3; ++id) {
      does(warp(0, id), shared(read(make(5, 0))));
      does(warp(0, id), shared(read(make(5, 0, kAll, 4, 0))));
    }
    barrier();
  }
  for (std::uint32_t id = 0; id < 3; ++id) does(warp(0, id), shared(read(make(5, 0))));
  findings();  // nothing has been written
  for (std::uint32_t id = 0; id < 3; ++id) {
    does(warp(0, id), shared(write(make(6 + id, 32 * id, 0xff))));
    expect(Kind::kRace, 6 + id);
  }
}

TEST_F(CheckRace, MemoryChecksAloneFindNoRaces) {
  checker.set_checks(check::Checks::kMemory);
  begin(2, 32);
  does(warp(0), write(make(5, data)));
  does(warp(1), write(make(6, data), 2));
  expect_none();
  does(warp(1), read(make(7, data + 4096)));
  expect(Kind::kOutOfBounds, 7);
}

TEST_F(CheckRace, KernelsWithRacesAreRemembered) {
  begin(2, 32);
  EXPECT_FALSE(checker.has_races("kernel"));
  does(warp(0), write(make(5, data)));
  does(warp(1), write(make(6, data), 2));
  EXPECT_TRUE(checker.has_races("kernel"));
  findings();
}

TEST_F(CheckRace, TheDevicesHeapUsesAddressesAgain) {
  begin(2, 32);
  const std::uint64_t room = memory::scratch_room(128);
  memory::declare(room, 128, "heap", true);
  does(warp(0), write(make(5, room)));
  memory::retire_scratch(room);
  memory::declare(room, 128, "heap", true);
  does(warp(1), write(make(6, room)));
  expect_none();
}

}  // namespace
}  // namespace check_test
