// SPDX-License-Identifier: MIT
// Counters of accesses that can be counted by hand.
#include "count_test.h"

namespace count_test {
namespace {

using Kind = memory::Allocation::Kind;

class CountMemory : public Count {
 protected:
  // What one block of one warp counts that does this.
  count::CounterSet counted(const std::function<void()>& work) {
    begin();
    start();
    work();
    end();
    return take().counters;
  }
  Access global(std::uint64_t step, std::uint32_t lanes = kAll, std::uint32_t size_bytes = 4) {
    return make(Space::kGlobal, 1, steps(data_, step), lanes, size_bytes);
  }
  Access shared(std::uint64_t step, std::uint32_t lanes = kAll, std::uint32_t size_bytes = 4) {
    return make(Space::kShared, 2, steps(0, step), lanes, size_bytes);
  }
  std::uint64_t data_ = allocate(1 << 16);
};

TEST_F(CountMemory, ALaunchCountsBlocksWarpsAndThreads) {
  begin(3, 40);
  end();
  begin(1, 64);
  end();
  const count::KernelCounters kernel = take();
  EXPECT_EQ(kernel.name, "kernel");
  EXPECT_EQ(kernel.counters[Counter::kLaunches], 2U);
  EXPECT_EQ(kernel.counters[Counter::kBlocks], 4U);
  EXPECT_EQ(kernel.counters[Counter::kWarps], 3U * 2 + 2);
  EXPECT_EQ(kernel.counters[Counter::kThreads], 3U * 40 + 64);
  EXPECT_EQ(kernel.block.x, 64U) << "of the last launch";
  EXPECT_EQ(kernel.static_shared_bytes, 4100U);
}

TEST_F(CountMemory, ReadsAndWritesHaveRequestsSectorsBytesAndLanes) {
  const count::CounterSet counters = counted([&] {
    make_read(global(4));
    make_read(global(8, 0xFFFF));
    make_write(global(16, kAll, 16));
  });
  EXPECT_EQ(counters[Counter::kGlobalReadRequests], 2U);
  EXPECT_EQ(counters[Counter::kGlobalReadSectors], 4U + 4);
  EXPECT_EQ(counters[Counter::kGlobalReadBytes], 128U + 64);
  EXPECT_EQ(counters[Counter::kGlobalReadLanes], 32U + 16);
  EXPECT_EQ(counters[Counter::kGlobalWriteRequests], 1U);
  EXPECT_EQ(counters[Counter::kGlobalWriteSectors], 16U);
  EXPECT_EQ(counters[Counter::kGlobalWriteBytes], 512U);
  EXPECT_EQ(counters[Counter::kGlobalWriteLanes], 32U);
  EXPECT_EQ(counters[Counter::kBusiestBlocksSectors], 24U);
  EXPECT_EQ(counters[Counter::kBusiestWarpsPasses], 1U + 1 + 4);
}

TEST_F(CountMemory, SharedMemoryHasWavefrontsAndConflicts) {
  const count::CounterSet counters = counted([&] {
    make_read(shared(4));
    make_read(shared(8));
    make_write(shared(128));
    make_write(shared(16, kAll, 16));
  });
  EXPECT_EQ(counters[Counter::kSharedReadRequests], 2U);
  EXPECT_EQ(counters[Counter::kSharedReadWavefronts], 1U + 2);
  EXPECT_EQ(counters[Counter::kSharedReadConflicts], 1U);
  EXPECT_EQ(counters[Counter::kSharedReadLanes], 64U);
  EXPECT_EQ(counters[Counter::kSharedWriteRequests], 2U);
  EXPECT_EQ(counters[Counter::kSharedWriteWavefronts], 32U + 4);
  EXPECT_EQ(counters[Counter::kSharedWriteConflicts], 31U);
  EXPECT_EQ(counters[Counter::kBusiestWarpsPasses], 1U + 1 + 1 + 4);
  EXPECT_EQ(counters[Counter::kBusiestBlocksSectors], 0U);
}

TEST_F(CountMemory, AtomicsCountLanesAndCrowding) {
  const count::CounterSet counters = counted([&] {
    make_atomic(global(0, 0xFF));
    make_atomic(global(4));
    // Half of the lanes at each of two words of one bank.
    make_atomic(make(Space::kShared, 3, [](std::uint64_t lane) { return lane % 2 * 128; }));
    make_atomic(shared(0));
  });
  EXPECT_EQ(counters[Counter::kGlobalAtomicRequests], 2U);
  EXPECT_EQ(counters[Counter::kGlobalAtomicLanes], 8U + 32);
  EXPECT_EQ(counters[Counter::kGlobalAtomicMaxSameAddress], 8U);
  EXPECT_EQ(counters[Counter::kGlobalAtomicSectors], 1U + 4);
  EXPECT_EQ(counters[Counter::kSharedAtomicRequests], 2U);
  EXPECT_EQ(counters[Counter::kSharedAtomicLanes], 64U);
  EXPECT_EQ(counters[Counter::kSharedAtomicMaxSameAddress], 32U);
  EXPECT_EQ(counters[Counter::kSharedAtomicConflicts], 15U + 31);
  EXPECT_EQ(counters[Counter::kAtomicsMaxPerBlock], 104U);
  EXPECT_EQ(counters[Counter::kGlobalReadRequests], 0U);
}

TEST_F(CountMemory, ConstantMemoryIsFreeWhereAllLanesReadOneAddress) {
  const auto read = [&](std::uint64_t step, std::uint32_t lanes) {
    return counted([&] { make_read(make(Space::kConst, 1, steps(data_, step), lanes)); });
  };
  EXPECT_EQ(read(0, kAll)[Counter::kGlobalReadRequests], 0U);
  EXPECT_EQ(read(4, 1)[Counter::kGlobalReadRequests], 0U) << "one lane";
  EXPECT_EQ(read(4, kAll)[Counter::kGlobalReadRequests], 1U);
  EXPECT_EQ(read(4, kAll)[Counter::kGlobalReadSectors], 4U);
}

TEST_F(CountMemory, LocalMemoryAndParametersAreFree) {
  const count::CounterSet counters = counted([&] {
    make_read(make(Space::kLocal, 1, steps(0, 4)));
    make_read(make(Space::kParam, 1, steps(0, 0)));
  });
  EXPECT_EQ(counters[Counter::kGlobalReadRequests], 0U);
  EXPECT_EQ(counters[Counter::kBusiestWarpsPasses], 0U);
}

TEST_F(CountMemory, TheBusiestBlockAndWarpOfEachLaunchCount) {
  for (const std::uint32_t most : {5U, 3U}) {
    begin(2, 64);
    start(0);
    start(1);
    for (std::uint32_t i = 0; i < most; ++i) make_read(global(4), 1, 1);
    make_read(global(4), 0, 1);
    make_read(global(4), 0, 0);
    finish(1);
    // The slot is used again: nothing is left of the block before.
    start(1);
    make_read(global(4), 1, 1);
    end();
  }
  const count::CounterSet counters = take().counters;
  EXPECT_EQ(counters[Counter::kBusiestBlocksSectors], 4U * 6 + 4 * 4);
  EXPECT_EQ(counters[Counter::kBusiestWarpsPasses], 5U + 3);
}

TEST_F(CountMemory, ABlockThatAFaultEndsCountsToo) {
  begin();
  start();
  make_read(global(4));
  watcher_.launch_ends(launch_);
  EXPECT_EQ(take().counters[Counter::kBusiestWarpsPasses], 1U);
}

// ---- lines and patterns

TEST_F(CountMemory, CountersBelongToTheLineOfTheirInstruction) {
  begin();
  start();
  make_read(make(Space::kGlobal, 7, steps(data_, 4)));
  make_read(make(Space::kGlobal, 9, steps(data_, 8)));
  end();
  const count::KernelCounters kernel = take();
  EXPECT_EQ(of_line(kernel, 7, Counter::kGlobalReadSectors), 4U);
  EXPECT_EQ(of_line(kernel, 9, Counter::kGlobalReadSectors), 8U);
  ASSERT_EQ(kernel.lines.size(), 2U);
  EXPECT_EQ(kernel.lines[0].file, "a.cu");
}

TEST_F(CountMemory, APatternIsTheFirstOfTheCostliestWithAllLanes) {
  begin();
  start();
  make_read(make(Space::kGlobal, 1, steps(data_, 128), 0xFFFF));
  make_read(make(Space::kGlobal, 1, steps(data_ + 20, 8)));
  make_read(make(Space::kGlobal, 1, steps(data_ + 52, 8)));
  make_read(make(Space::kGlobal, 1, steps(data_, 4)));
  end();
  const count::KernelCounters kernel = take();
  ASSERT_EQ(kernel.lines.at(0).patterns.size(), 1U);
  const count::AccessPattern& pattern = kernel.lines[0].patterns[0];
  EXPECT_EQ(pattern.space, count::MemorySpace::kGlobal);
  EXPECT_EQ(pattern.access, count::AccessKind::kRead);
  EXPECT_EQ(pattern.size_bytes, 4U);
  EXPECT_EQ(pattern.cost, 9U);
  EXPECT_NE(pattern.base.find("allocation"), std::string::npos) << pattern.base;
  EXPECT_EQ(pattern.offsets[0], 20);
  EXPECT_EQ(pattern.offsets[31], 20 + 31 * 8);
}

TEST_F(CountMemory, OffsetsInSharedMemoryCountFromTheVariable) {
  const auto base_of = [&](std::uint64_t address) {
    begin();
    start();
    make_write(make(Space::kShared, 1, steps(address, 4), 0b11));
    end();
    const count::AccessPattern pattern = take().lines.at(0).patterns.at(0);
    EXPECT_FALSE(pattern.offsets[2].has_value());
    return pattern.base + " " + std::to_string(pattern.offsets[1].value());
  };
  EXPECT_EQ(base_of(132), "tile 136");
  EXPECT_EQ(base_of(4224), "sum 4");
  EXPECT_EQ(base_of(4352 + 8), "dynamic shared memory 12");
}

// ---- memory of the host

TEST_F(CountMemory, WordsThatTheHostCanUseCountOncePerLaunch) {
  const std::uint64_t managed = allocate(4096, Kind::kManaged);
  const std::uint64_t pinned = allocate(4096, Kind::kPinnedHost);
  const std::uint64_t variable = allocate(4096, Kind::kSymbol);
  const auto touch = [&](std::uint64_t address, bool writes) {
    return counted([&] {
      for (int i = 0; i < 2; ++i) {
        const Access access = make(Space::kGlobal, 1, steps(address, 4));
        if (writes) {
          make_write(access);
        } else {
          make_read(access);
        }
      }
      if (writes) make_atomic(make(Space::kGlobal, 2, steps(address, 8)));
    });
  };
  for (const std::uint64_t hosts : {managed, pinned}) {
    EXPECT_EQ(touch(hosts, false)[Counter::kHostBytes], 128U);
    EXPECT_EQ(touch(hosts, true)[Counter::kHostBytes], 128U + 16 * 4);
  }
  EXPECT_EQ(touch(variable, true)[Counter::kHostBytes], 0U);
  EXPECT_EQ(touch(data_, true)[Counter::kHostBytes], 0U);
}

TEST_F(CountMemory, ScatteredWordsOfSeveralAllocationsCountWhereTheHostCanUseThem) {
  const std::uint64_t managed = allocate(4096, Kind::kManaged);
  const count::CounterSet counters = counted([&] {
    make_read(make(Space::kGlobal, 1, [&](std::uint64_t lane) {
      return lane % 2 == 0 ? data_ + 4 * lane : managed + 64 * lane;
    }));
  });
  EXPECT_EQ(counters[Counter::kHostBytes], 16U * 4);
}

TEST_F(CountMemory, ATurnOfTheHostExposesWordsAnew) {
  const std::uint64_t managed = allocate(4096, Kind::kManaged);
  const count::CounterSet counters = counted([&] {
    for (int i = 0; i < 3; ++i) {
      make_read(make(Space::kGlobal, 1, steps(managed, 4)));
      if (i == 1) watcher_.host_had_a_turn();
    }
  });
  EXPECT_EQ(counters[Counter::kHostBytes], 2U * 128);
}

TEST_F(CountMemory, PagesThatTheHostDoesNotUseDoNotCount) {
  const std::uint64_t managed = allocate(1 << 17, Kind::kManaged);
  begin();
  start();
  make_read(make(Space::kGlobal, 1, steps(managed, 4)));
  make_read(make(Space::kGlobal, 1, steps(managed + (1 << 16), 8)));
  end();
  const auto kernels = watcher_.take([&](std::uint64_t page) { return page < managed + 4096; });
  EXPECT_EQ(kernels.at(0).counters[Counter::kHostBytes], 128U);
}

TEST_F(CountMemory, LargeArgumentsAreBytesOfTheHost) {
  for (const std::uint32_t size : {256U, 264U}) {
    kernel_->parameter_bytes = size;
    begin();
    end();
    EXPECT_EQ(take().counters[Counter::kHostBytes], size == 256 ? 0U : 264U);
  }
}

// ---- copies that the host issues

TEST_F(CountMemory, RowsOfCopiesCountAsRequestsOfWords) {
  const std::uint64_t other = allocate(1 << 16);
  const memory::HostPlace at = {"main.cu", 12};
  for (std::uint64_t row = 0; row < 32; ++row) {
    watcher_.copy(at, other + 4 * row, data_ + 128 * row, 4);
  }
  const count::KernelCounters column = take();
  EXPECT_EQ(column.name, "cudaMemcpy");
  EXPECT_EQ(column.counters[Counter::kLaunches], 0U);
  EXPECT_EQ(column.counters[Counter::kGlobalReadSectors], 32U);
  EXPECT_EQ(column.counters[Counter::kGlobalWriteSectors], 32U);
  EXPECT_EQ(column.counters[Counter::kGlobalReadBytes], 128U);
  EXPECT_EQ(of_line(column, 12, Counter::kGlobalReadLanes), 32U);
  watcher_.copy(at, other, data_, 4096);
  const count::KernelCounters whole = take();
  EXPECT_EQ(whole.counters[Counter::kGlobalReadSectors], 128U);
  EXPECT_EQ(whole.counters[Counter::kGlobalReadRequests], 32U);
  EXPECT_EQ(whole.counters[Counter::kHostBytes], 0U);
}

TEST_F(CountMemory, CopiesToAndFromTheHostCountOnTheDevicesSide) {
  watcher_.copy({}, data_, 0, 1024);
  const count::CounterSet in = take().counters;
  EXPECT_EQ(in[Counter::kGlobalReadBytes], 0U);
  EXPECT_EQ(in[Counter::kGlobalWriteBytes], 1024U);
  EXPECT_EQ(in[Counter::kHostBytes], 1024U);
  const std::uint64_t pinned = allocate(4096, Kind::kPinnedHost);
  watcher_.copy({}, pinned, data_, 1024);
  const count::CounterSet out = take().counters;
  EXPECT_EQ(out[Counter::kGlobalReadBytes], 1024U);
  EXPECT_EQ(out[Counter::kGlobalWriteBytes], 0U);
  EXPECT_EQ(out[Counter::kHostBytes], 1024U);
}

TEST_F(CountMemory, CopiesWithinTheDeviceCountAsTheHostsWhereTheyUseItsMemory) {
  const std::uint64_t managed = allocate(1 << 14, Kind::kManaged);
  const std::uint64_t variable = allocate(4096, Kind::kSymbol);
  watcher_.copy({}, managed, data_, 1 << 14);
  EXPECT_EQ(take().counters[Counter::kHostBytes], 1U << 14);
  watcher_.copy({}, data_, managed, 1024);
  EXPECT_EQ(take().counters[Counter::kHostBytes], 1024U);
  watcher_.copy({}, variable, data_, 1024);
  EXPECT_EQ(take().counters[Counter::kHostBytes], 0U);
}

// ---- the rest

TEST_F(CountMemory, NothingCountsUnlessAskedFor) {
  watcher_.set_counting(false);
  begin();
  start();
  make_read(global(4));
  end();
  watcher_.copy({}, data_, 0, 1024);
  EXPECT_TRUE(watcher_.take().empty());
}

TEST_F(CountMemory, ABulkCopyIsOneRequestOnEachSide) {
  at(5).words = {"cp", "async", "bulk", "shared", "global"};
  const count::CounterSet counters = counted([&] {
    for (std::uint64_t piece = 0; piece < 256; piece += 16) {
      Access from = make(Space::kGlobal, 5, steps(data_ + piece, 0), 1, 16);
      Access to = make(Space::kShared, 5, steps(piece, 0), 1, 16);
      from.is_async = to.is_async = true;
      from.continues = to.continues = piece != 0;
      make_read(from);
      make_write(to);
    }
  });
  EXPECT_EQ(counters[Counter::kGlobalReadRequests], 1U);
  EXPECT_EQ(counters[Counter::kGlobalReadSectors], 8U);
  EXPECT_EQ(counters[Counter::kGlobalReadBytes], 256U);
  EXPECT_EQ(counters[Counter::kGlobalReadLanes], 1U);
  EXPECT_EQ(counters[Counter::kSharedWriteRequests], 1U);
  EXPECT_EQ(counters[Counter::kSharedWriteWavefronts], 2U);
  EXPECT_EQ(counters[Counter::kSharedWriteConflicts], 0U);
  EXPECT_EQ(counters[Counter::kBusiestWarpsPasses], 1U);
}

TEST(CountOccupancy, NamesWhatLimitsIt) {
  EXPECT_EQ(count::occupancy(1024, 0).blocks, 2U);
  EXPECT_EQ(count::occupancy(1024, 0).warps, 64U);
  EXPECT_EQ(count::occupancy(1024, 0).limiter, "threads");
  EXPECT_EQ(count::occupancy(32, 0).blocks, 32U);
  EXPECT_EQ(count::occupancy(32, 0).limiter, "blocks");
  EXPECT_EQ(count::occupancy(256, 100 << 10).blocks, 2U);
  EXPECT_EQ(count::occupancy(256, 100 << 10).warps, 16U);
  EXPECT_EQ(count::occupancy(256, 100 << 10).limiter, "shared memory");
}

}  // namespace
}  // namespace count_test
