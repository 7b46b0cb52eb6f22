// SPDX-License-Identifier: MIT
// Asynchronous copies to shared memory.
#include "check_test.h"

namespace check_test {
namespace {

class CheckAsync : public CheckTest {
 protected:
  CheckAsync() : data(allocate(4096)) {}

  // Thread `lane` of warp 0 copies 16 bytes to the offset.
  run::Access copy(std::uint32_t line, std::uint64_t offset, std::uint32_t lane = 0) {
    run::Access from = read(make(line, data, 1u << lane, 16, 16));
    from.is_async = true;
    does(warp(), from);
    run::Access to = shared(make(line, offset - 16 * lane, 1u << lane, 16, 16));
    to.writes = to.is_async = true;
    does(warp(), to);
    checker.copy_begins(warp(), to);
    return to;
  }
  void commit(std::uint32_t lanes = 1) { checker.copies_committed(warp(), lanes); }
  void wait(std::uint32_t num_left, const std::vector<run::Access>& arrived,
            std::uint32_t lanes = 1) {
    for (const run::Access& access : arrived) checker.copy_arrives(warp(), access);
    checker.copies_waited(warp(), lanes, num_left);
  }

  std::uint64_t data;
};

TEST_F(CheckAsync, ACopyThatItsThreadWaitsForMayBeRead) {
  begin(1, 64);
  const run::Access to = copy(5, 0);
  commit();
  wait(0, {to});
  EXPECT_EQ(does(warp(), shared(read(make(6, 0, 1)))).unwritten[0], 0u);
  barrier();
  EXPECT_EQ(does(warp(0, 1), shared(read(make(7, 0, 0xf)))).unwritten[0], 0u);
  expect_none();
}

TEST_F(CheckAsync, WithoutTheBarrierItIsARace) {
  begin(1, 64);
  const run::Access to = copy(5, 0);
  commit();
  wait(0, {to});
  does(warp(0, 1), shared(read(make(7, 0, 0xf))));
  expect(Kind::kRace, 7, {"thread 0 of the same block writes in line 5"});
}

TEST_F(CheckAsync, WithoutACommit) {
  begin(1, 64);
  copy(5, 0);
  barrier();
  const run::Access done = does(warp(0, 1), shared(read(make(7, 0, 1))));
  EXPECT_EQ(done.unwritten[0], 0u);  // one finding is enough
  expect(Kind::kRace, 7,
         {"thread 32 of block 0 reads 4 bytes of shared memory (tile) that a copy that thread 0 "
          "began in line 5 has not filled",
          "that thread must commit its copies and wait for them"});
}

TEST_F(CheckAsync, WithoutAWait) {
  begin(1, 64);
  copy(5, 0);
  commit();
  barrier();
  does(warp(0, 1), shared(read(make(7, 4, 1))));
  expect(Kind::kRace, 7, {"has committed the copy, but must also wait for it"});
}

TEST_F(CheckAsync, AWaitForTooFewBatches) {
  begin(1, 64);
  const run::Access first = copy(5, 0);
  commit();
  copy(6, 16);
  commit();
  wait(1, {first});
  barrier();
  does(warp(0, 1), shared(read(make(7, 0, 0xf))));
  expect_none();
  does(warp(0, 1), shared(read(make(8, 16, 1))));
  expect(Kind::kRace, 8, {"it is in the newest batch, which that thread's last wait left"});
}

TEST_F(CheckAsync, ACopyIntoWhatIsBeingReadIsARace) {
  begin(1, 64);
  does(warp(0, 1), shared(write(make(4, 0))));
  barrier();
  does(warp(0, 1), shared(read(make(5, 0))));
  copy(6, 0);
  expect(Kind::kRace, 6,
         {"writes shared memory (tile) in line 6 that thread 32 of the same block reads"});
}

TEST_F(CheckAsync, ABulkCopyArrivesAtOnce) {
  begin(1, 64);
  run::Access to = shared(make(5, 0, 1, 128, 0));
  to.writes = to.is_async = true;
  does(warp(), to);
  checker.copy_arrives(warp(), to);
  EXPECT_EQ(does(warp(), shared(read(make(6, 0, 1)))).unwritten[0], 0u);
  expect_none();
  does(warp(0, 1), shared(read(make(7, 124, 1))));
  expect(Kind::kRace, 7);
}

}  // namespace
}  // namespace check_test
