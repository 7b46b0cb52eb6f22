// SPDX-License-Identifier: MIT
// Counters of threads that wait for each other: polls, publications, barriers, warp operations and
// asynchronous copies.
#include <cstring>

#include "count_test.h"

namespace count_test {
namespace {

class CountWait : public Count {
 protected:
  // One lane's access to a word of words_.
  Access word(std::uint64_t index, std::uint32_t line = 1, std::uint32_t lanes = 1) {
    return make(Space::kGlobal, line, steps(words_ + 4 * index, 0), lanes);
  }
  // A look at what other threads write.
  void poll(const Access& made, std::uint32_t warp_id = 0, std::uint32_t slot = 0) {
    Access access = made;
    access.order = Order::kVolatile;
    make_read(access, warp_id, slot);
  }
  void publish(const Access& made, std::uint32_t warp_id = 0, std::uint32_t slot = 0) {
    Access access = made;
    access.order = Order::kRelaxed;
    make_write(access, warp_id, slot);
  }
  // An atomic operation that adds to the word.
  void add(std::uint64_t index, int number, std::uint32_t slot = 0) {
    make_atomic(word(index), 0, slot,
                [=, this] { *reinterpret_cast<int*>(words_ + 4 * index) += number; });
  }
  std::uint64_t chain() {
    end();
    return take().counters[Counter::kPublicationsMaxChain];
  }

  std::uint64_t words_ = [this] {
    const std::uint64_t room = allocate(4096);
    std::memset(reinterpret_cast<void*>(room), 0, 4096);
    return room;
  }();
};

// ---- polls

TEST_F(CountWait, PollsOfOtherWordsCountOnceEach) {
  begin(1, 64);
  start();
  for (std::uint64_t i = 0; i < 20; ++i) poll(word(i));
  for (int i = 0; i < 20; ++i) poll(word(0), 1);
  end();
  const count::CounterSet counters = take().counters;
  EXPECT_EQ(counters[Counter::kPollsMaxPerWarp], 20U);
  EXPECT_EQ(counters[Counter::kGlobalReadRequests], 40U);
  EXPECT_EQ(counters[Counter::kBusiestWarpsPasses], 20U);
}

TEST_F(CountWait, ThirtyTwoWordsInOneRequestAreOnePoll) {
  begin();
  start();
  poll(make(Space::kGlobal, 1, steps(words_, 4)));
  poll(make(Space::kGlobal, 1, steps(words_, 4), 0xFF)) /* some of them again */;
  poll(make(Space::kGlobal, 1, steps(words_ + 128, 4)));
  end();
  EXPECT_EQ(take().counters[Counter::kPollsMaxPerWarp], 2U);
}

TEST_F(CountWait, OnlyLooksAtOtherThreadsWordsArePolls) {
  begin();
  start();
  make_read(word(0));
  Access shared = make(Space::kShared, 1, steps(0, 4));
  shared.order = Order::kVolatile;
  make_read(shared);
  Access copied = word(1);
  copied.is_async = copied.bypasses_cache = true;  // cp.async.cg
  make_read(copied);
  EXPECT_EQ(take().counters[Counter::kPollsMaxPerWarp], 0U);
  Access past_the_cache = word(2);
  past_the_cache.bypasses_cache = true;
  begin();
  start();
  make_read(past_the_cache);
  end();
  EXPECT_EQ(take().counters[Counter::kPollsMaxPerWarp], 1U);
}

// ---- publications

TEST_F(CountWait, APublicationFollowsWhatItsThreadHasRead) {
  begin(4);
  for (std::uint32_t slot = 0; slot < 4; ++slot) start(slot);
  for (std::uint32_t slot = 0; slot < 4; ++slot) {
    if (slot > 0) poll(word(slot - 1), 0, slot);
    publish(word(slot), 0, slot);
  }
  EXPECT_EQ(chain(), 4U);
}

TEST_F(CountWait, ABlockDoesNotFollowWhatWasPublishedBeforeItStarted) {
  begin(4);
  for (std::uint32_t slot = 0; slot < 4; ++slot) {
    start(slot);
    if (slot > 0) poll(word(slot - 1), 0, slot);
    publish(word(slot), 0, slot);
  }
  EXPECT_EQ(chain(), 1U);
}

TEST_F(CountWait, ALaunchForgetsThoseBefore) {
  begin();
  start();
  publish(word(0));
  EXPECT_EQ(chain(), 1U);
  begin();
  start();
  poll(word(0));
  publish(word(1));
  EXPECT_EQ(chain(), 1U);
}

TEST_F(CountWait, ThreadsShareWhatTheyKnowWhereTheyMeet) {
  const auto published_after = [&](const std::function<void()>& meet) {
    begin(2, 64);
    start(0);
    start(1);
    publish(word(0, 1), 0, 0);
    poll(word(0), 0, 1);
    meet();
    publish(word(1, 1, 1U << 5), 1, 1);
    publish(word(2, 1, 1U << 5), 0, 1);
    return chain();
  };
  EXPECT_EQ(published_after([] {}), 1U);
  EXPECT_EQ(published_after([&] { watcher_.block_meets(*blocks_[1], at(3)); }), 2U);
  EXPECT_EQ(published_after([&] { watcher_.warp_operation(warp(0, 1), kAll, at(3)); }), 2U);
  EXPECT_EQ(published_after([&] { watcher_.warp_operation(warp(0, 1), 3, at(3)); }), 1U);
  EXPECT_EQ(published_after([&] { watcher_.phase_completes(*blocks_[1], at(3), 64, nullptr); }),
            2U);
  const std::array<std::uint32_t, 2> all = {kAll, kAll};
  EXPECT_EQ(published_after([&] { watcher_.threads_meet(*blocks_[1], all, at(3), nullptr); }), 2U);
}

TEST_F(CountWait, AnAtomicOperationPublishesIfItChangesTheWord) {
  begin(3);
  for (std::uint32_t slot = 0; slot < 3; ++slot) start(slot);
  add(0, 1, 0);
  add(0, 0, 1);  // a look: it follows the last publication
  add(1, 1, 1);
  add(1, 0, 2);
  add(2, 1, 2);
  EXPECT_EQ(chain(), 3U);
}

TEST_F(CountWait, AnOperationThatChangesAWordFollowsOnlyItsFirstPublication) {
  begin(8);
  for (std::uint32_t slot = 0; slot < 8; ++slot) start(slot);
  for (int round = 0; round < 4; ++round) {
    for (std::uint32_t slot = 0; slot < 8; ++slot) add(0, 1, slot);  // tickets
  }
  EXPECT_EQ(chain(), 2U);
}

TEST_F(CountWait, StoresPastTheCacheArePublications) {
  begin();
  start();
  Access store = word(0);
  store.bypasses_cache = true;
  make_write(store);
  EXPECT_EQ(chain(), 1U);
  begin();
  start();
  make_write(word(0));
  EXPECT_EQ(chain(), 0U) << "a plain store";
}

// ---- barriers and warp operations

TEST_F(CountWait, BarriersCountOncePerBlockAndTheMostOfABlock) {
  begin(2, 64);
  start(0);
  start(1);
  for (int i = 0; i < 3; ++i) watcher_.block_meets(*blocks_[0], at(4));
  watcher_.block_meets(*blocks_[1], at(4));
  const std::array<std::uint32_t, 2> half = {kAll, 0};
  watcher_.threads_meet(*blocks_[1], half, at(5), nullptr);
  end();
  const count::KernelCounters kernel = take();
  EXPECT_EQ(kernel.counters[Counter::kBarriers], 5U);
  EXPECT_EQ(kernel.counters[Counter::kBarriersMaxPerBlock], 3U);
  EXPECT_EQ(of_line(kernel, 5, Counter::kBarriers), 1U);
}

TEST_F(CountWait, AGridBarrierCountsInEachBlockWhereItArrived) {
  begin(3);
  for (std::uint32_t slot = 0; slot < 3; ++slot) start(slot);
  for (int round = 0; round < 5; ++round) {
    for (std::uint32_t slot = 0; slot < 3; ++slot) {
      watcher_.arrives_at_barrier(warp(0, slot), kAll, at(6));
    }
    watcher_.grid_meets(launch_);
  }
  end();
  const count::KernelCounters kernel = take();
  EXPECT_EQ(of_line(kernel, 6, Counter::kBarriers), 15U);
  EXPECT_EQ(kernel.counters[Counter::kBarriersMaxPerBlock], 5U);
}

class CountBarrierObject : public CountWait {
 protected:
  CountBarrierObject() {
    at(7).words = {"mbarrier", "arrive", "shared", "b64"};
    at(8).words = {"mbarrier", "try_wait", "shared", "b64"};
    at(9).words = {"mbarrier", "init", "shared", "b64"};
  }
  void arrive(std::uint64_t offset, std::uint32_t warp_id, std::uint32_t lanes = kAll) {
    make_atomic(make(Space::kShared, 7, steps(offset, 0), lanes, 8), warp_id);
  }
};

TEST_F(CountBarrierObject, APhaseOfSeveralWarpsIsABarrierAndItsArrivalsAreNoAtomics) {
  begin(1, 64);
  start();
  make_write(make(Space::kShared, 9, steps(0, 0), 1, 8));
  for (int round = 0; round < 3; ++round) {
    arrive(0, 0);
    arrive(0, 1);
    watcher_.phase_completes(*blocks_[0], at(7), 64, nullptr);
    make_read(make(Space::kShared, 8, steps(0, 0), kAll, 8));
  }
  end();
  const count::CounterSet counters = take().counters;
  EXPECT_EQ(counters[Counter::kBarriers], 3U);
  EXPECT_EQ(counters[Counter::kBarriersMaxPerBlock], 3U);
  for (const Counter counter : {Counter::kSharedAtomicLanes, Counter::kSharedAtomicRequests,
                                Counter::kAtomicsMaxPerBlock, Counter::kSharedReadRequests,
                                Counter::kSharedWriteRequests, Counter::kBusiestWarpsPasses}) {
    EXPECT_EQ(counters[counter], 0U) << name_of(counter);
  }
}

TEST_F(CountBarrierObject, APhaseOfAWarpIsNoneAndItsArrivalsAreAtomics) {
  begin(1, 64);
  start();
  for (const std::uint32_t warp_id : {0U, 1U}) {
    for (int round = 0; round < 10; ++round) {
      arrive(64 * warp_id, warp_id);
      watcher_.phase_completes(*blocks_[0], at(7), 32, nullptr);
    }
  }
  end();
  const count::CounterSet counters = take().counters;
  EXPECT_EQ(counters[Counter::kBarriers], 0U);
  EXPECT_EQ(counters[Counter::kSharedAtomicLanes], 64U * 10);
  EXPECT_EQ(counters[Counter::kAtomicsMaxPerBlock], 64U * 10);
}

TEST_F(CountBarrierObject, ArrivalsWithoutAPhaseAreAtomics) {
  begin(1, 64);
  start();
  arrive(0, 0, 0xFF);
  end();
  EXPECT_EQ(take().counters[Counter::kSharedAtomicLanes], 8U);
}

TEST_F(CountWait, WarpOperationsArePasses) {
  at(4).words = {"shfl", "sync", "down", "b32"};
  at(5).words = {"activemask", "b32"};
  begin();
  start();
  for (int i = 0; i < 5; ++i) watcher_.warp_operation(warp(), kAll, at(4));
  watcher_.warp_operation(warp(), kAll, at(5));
  end();
  const count::CounterSet counters = take().counters;
  EXPECT_EQ(counters[Counter::kWarpOperations], 5U);
  EXPECT_EQ(counters[Counter::kBusiestWarpsPasses], 5U);
}

// ---- asynchronous copies

class CountCopies : public CountWait {
 protected:
  // By each lane. reading: lanes whose copy is not only zeros.
  void copy(std::uint32_t lanes = kAll, std::uint32_t reading = kAll) {
    Access from = make(Space::kGlobal, 10, steps(words_, 16), lanes & reading, 16);
    Access to = make(Space::kShared, 10, steps(0, 16), lanes, 16);
    from.is_async = to.is_async = to.writes = true;
    if (from.lanes != 0) make_read(from);
    make_write(to);
    watcher_.copy_begins(warp(), to);
  }
  void commit() { watcher_.copies_committed(warp(), kAll); }
  void wait(std::uint32_t num_left) { watcher_.copies_waited(warp(), kAll, num_left); }
  std::pair<std::uint64_t, std::uint64_t> copies_and_outlasting() {
    end();
    const count::CounterSet counters = take().counters;
    return {counters[Counter::kCopiesToShared], counters[Counter::kCopiesOutlastingWaits]};
  }
};

TEST_F(CountCopies, WaitsForAllLeaveNone) {
  begin();
  start();
  for (int tile = 0; tile < 4; ++tile) {
    copy();
    commit();
    wait(0);
  }
  EXPECT_EQ(copies_and_outlasting(), std::pair(128UL, 0UL));
}

TEST_F(CountCopies, EachCopyThatAWaitLeavesCountsOnce) {
  begin();
  start();
  copy(), commit();
  copy(), commit();
  for (int tile = 2; tile < 6; ++tile) {
    copy(), commit();
    wait(2);  // leaves the last two
  }
  wait(0);
  EXPECT_EQ(copies_and_outlasting(), std::pair(192UL, 192UL - 32)) << "all but the first";
}

TEST_F(CountCopies, CopiesThatReadNothingOrAreNotCommittedDoNotCount) {
  begin();
  start();
  copy(kAll, 0xFF), commit();
  copy(kAll, 0), commit();
  copy(0xF, 0xF);
  wait(2);
  EXPECT_EQ(copies_and_outlasting(), std::pair(12UL, 8UL));
}

TEST_F(CountCopies, BothSidesAreRequests) {
  begin();
  start();
  copy();
  end();
  const count::CounterSet counters = take().counters;
  EXPECT_EQ(counters[Counter::kGlobalReadSectors], 16U);
  EXPECT_EQ(counters[Counter::kSharedWriteRequests], 1U);
  EXPECT_EQ(counters[Counter::kBusiestWarpsPasses], 8U);
}

}  // namespace
}  // namespace count_test
