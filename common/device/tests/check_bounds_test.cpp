// SPDX-License-Identifier: MIT
#include "check_test.h"
#include "memory/address_map.h"

namespace check_test {
namespace {

class CheckBounds : public CheckTest {
 protected:
  CheckBounds() { checker.set_checks(check::Checks::kMemory); }
};

TEST_F(CheckBounds, AllocatedMemoryMayBeUsed) {
  const std::uint64_t data = allocate(400);
  begin(1, 32);
  does(warp(), read(make(1, data)));
  does(warp(), write(make(2, data + 4 * 68)));
  does(warp(), read(make(3, data, kAll, 4, 12)));
  does(warp(), read(make(4, data, 1, 4, 0)));
  expect_none();
}

TEST_F(CheckBounds, PastTheEndOfAnAllocation) {
  const std::uint64_t data = allocate(400);
  begin(1, 32);
  const run::Access done = does(warp(), read(make(7, data + 384)));
  EXPECT_EQ(done.lanes, 0xfu);  // the others read zeros
  expect(Kind::kOutOfBounds, 7,
         {"thread 4 of block 0 reads 4 bytes right past the end of allocation", "(400 bytes",
          "allocated in line 70 of a.cu), index 100 in items of 4 bytes"});
  does(warp(), write(make(8, data + 408, 1)));
  expect(Kind::kOutOfBounds, 8, {"thread 0 of block 0 writes 4 bytes, 8 bytes past the end"});
}

// The judge looks there after the call; farther away may be nothing at all.
TEST_F(CheckBounds, AccessesToTheJudgesGuardZonesAreCarriedOut) {
  const std::uint64_t room = memory::variable_room(4096);
  memory::declare(room + 1024, 64, "d_out", true);
  begin(1, 32);
  EXPECT_EQ(does(warp(), write(make(7, room + 1024))).lanes, kAll);
  expect(Kind::kOutOfBounds, 7,
         {"thread 16 of block 0 writes 4 bytes right past the end of d_out"});
  EXPECT_EQ(does(warp(), write(make(8, room + 1024 - 64, 0xffff))).lanes, 0xffffu);
  EXPECT_EQ(does(warp(), write(make(9, room + 2048))).lanes, 0u);
}

TEST_F(CheckBounds, PartlyPastTheEnd) {
  const std::uint64_t data = allocate(24);
  begin(1, 32);
  does(warp(), read(make(7, data + 16, 1, 16, 0)));
  expect(Kind::kOutOfBounds, 7, {"reads 16 bytes, of which the last 8 bytes lie past the end"});
}

TEST_F(CheckBounds, BeforeTheStart) {
  const std::uint64_t first = allocate(256);
  begin(1, 32);
  does(warp(), read(make(7, first - 8, 1)));
  expect(Kind::kOutOfBounds, 7, {"8 bytes before the start of", "the index is negative"});
}

TEST_F(CheckBounds, FreedMemoryIsNamedWithItsLines) {
  const std::uint64_t data = allocate(400);
  memory::release(data, memory::Allocation::Kind::kDevice, {"/home/a.cu", 77});
  begin(1, 32);
  const run::Access done = does(warp(), write(make(7, data)));
  EXPECT_EQ(done.lanes, 0u);
  expect(Kind::kOutOfBounds, 7,
         {"allocated in line 70 of a.cu", "which has been freed in line 77 of a.cu",
          "no kernel may use it any more"});
}

TEST_F(CheckBounds, OneFindingForEachLineOfALaunch) {
  const std::uint64_t data = allocate(64);
  begin(1, 32);
  for (int i = 0; i < 3; ++i) does(warp(), read(make(7, data + 64)));
  EXPECT_EQ(findings().size(), 1u);
}

TEST_F(CheckBounds, NoFarVariableIsNamed) {
  const std::uint64_t room = memory::variable_room(std::uint64_t{4} << 20);
  const std::uint64_t table = room + (std::uint64_t{3} << 20);
  memory::declare(table, 64, "table", true, memory::Allocation::Kind::kSymbol);
  begin(1, 32);
  does(warp(), read(make(7, table - (std::uint64_t{2} << 20), 1)));
  expect(Kind::kOutOfBounds, 7, {"where nothing is allocated"});
}

TEST_F(CheckBounds, ConstantVariablesAreRead) {
  const std::uint64_t room = memory::variable_room(256);
  memory::declare(room, 64, "table", true, memory::Allocation::Kind::kConstant);
  begin(1, 32);
  run::Access access = read(make(1, room, 0xffff));
  access.space = run::Space::kConst;
  does(warp(), access);
  does(warp(), read(make(2, room, 0xffff)));
  expect_none();
  const run::Access done = does(warp(), write(make(3, room, 1)));
  EXPECT_EQ(done.lanes, 0u);
  expect(Kind::kOutOfBounds, 3, {"writes 4 bytes of a __constant__ variable", "MemcpyToSymbol"});
  access = read(make(4, room, kAll));
  access.space = run::Space::kConst;
  does(warp(), access);
  expect(Kind::kOutOfBounds, 4, {"past the end of table (64 bytes)"});
}

TEST_F(CheckBounds, NullPointersEndTheKernel) {
  begin(1, 32);
  expect_end(warp(), write(make(3, 0)), Kind::kOutOfBounds,
             {"thread 0 of block 0 dereferenced a null pointer; if this pointer may be null"});
  checker.note_failed_allocation({"/home/a.cu", 66});
  expect_end(warp(), write(make(3, 0)), Kind::kOutOfBounds,
             {"an allocation failed in line 66 of a.cu (cudaErrorMemoryAllocation)"});
}

TEST_F(CheckBounds, MemoryOfTheHostEndsTheKernel) {
  begin(1, 32);
  expect_end(warp(), read(make(3, 0x7ffe12345670)), Kind::kHostPointer,
             {"0x7ffe12345670, which is memory of the host"});
}

// `counts[bin]` for bin = -1 in an unsigned variable.
TEST_F(CheckBounds, ANegativeIndexWithoutASignIsTold) {
  const std::uint64_t data = allocate(64);
  begin(1, 32);
  does(warp(), write(make(3, data + (std::uint64_t{4} << 32) - 4, 1)));
  expect(Kind::kOutOfBounds, 3,
         {"writes 4 bytes far past the end of allocation ",
          "index 4294967295 in items of 4 bytes, which is -1 in an int"});
}

TEST_F(CheckBounds, AnAddressThatNoMemoryHasEndsTheKernel) {
  begin(1, 32);
  expect_end(warp(), read(make(3, 0xfff8deadfff8dea0)), Kind::kOutOfBounds,
             {"at 0xfff8deadfff8dea0, where nothing is allocated"});
}

TEST_F(CheckBounds, AnotherThreadsLocalVariable) {
  begin(1, 32);
  run::Access access = read(make(3, memory::kLocalBase + 5 * memory::kLocalWindowBytes, 1));
  access.space = run::Space::kLocal;
  access.owner = blocks[0].get();
  EXPECT_EQ(does(warp(), access).lanes, 0u);
  expect(Kind::kOutOfBounds, 3, {"of another thread's local variable"});
  access.reads = false;
  access.writes = true;
  expect_end(warp(), access, Kind::kOutOfBounds, {"of another thread's local variable"});
}

TEST_F(CheckBounds, MisalignedAccessesEndTheKernel) {
  const std::uint64_t data = allocate(400);
  begin(1, 32);
  expect_end(warp(), read(make(3, data + 4, kAll, 16, 16)), Kind::kMisaligned,
             {"reads 16 bytes at once at byte 4 of allocation", "allocated in line 70 of a.cu",
              "4 bytes past a multiple of 16"},
             716);
  expect_end(warp(), shared(write(make(3, 2, 1))), Kind::kMisaligned, {"byte 2 of shared tile"},
             716);
  does(warp(), read(make(3, data + 4)));
  expect_none();
}

TEST_F(CheckBounds, ASharedVariableThatIsNotAlignedIsNamed) {
  kernel.shared[1].offset = 388;
  begin(1, 32);
  expect_end(warp(), shared(write(make(3, 388, 1, 16, 0))), Kind::kMisaligned,
             {"sum begins 4 bytes past a multiple of 16: declare it alignas(16)"}, 716);
}

TEST_F(CheckBounds, AsynchronousCopiesNeedTheirAlignment) {
  const std::uint64_t data = allocate(400);
  begin(1, 32);
  run::Access access = read(make(3, data + 8, 1, 16, 0));
  access.is_async = true;
  expect_end(
      warp(), access, Kind::kMisaligned,
      {"copies 16 bytes asynchronously from byte 8 of allocation", "8 bytes past a multiple of 16"},
      716);
}

TEST_F(CheckBounds, SharedVariables) {
  begin(1, 64);
  does(warp(), shared(write(make(1, 0))));
  does(warp(0, 1), shared(write(make(1, 128))));
  does(warp(), shared(write(make(2, 384, 1))));
  expect_none();
  const run::Access done = does(warp(), shared(write(make(3, 192))));
  EXPECT_EQ(done.lanes, 0xffffu);
  expect(Kind::kOutOfBounds, 3,
         {"thread 16 of block 0 writes 4 bytes right past the end of shared tile (256 bytes)"});
  does(warp(), shared(write(make(4, 392, 1))));
  expect(Kind::kOutOfBounds, 4, {"4 bytes past the end of shared sum (4 bytes)"});
  does(warp(), shared(read(make(5, 0xfffffffc, 1))));
  expect(Kind::kOutOfBounds, 5,
         {"4 bytes before the start of the block's shared memory: the index is negative"});
}

TEST_F(CheckBounds, DynamicSharedMemory) {
  begin(1, 32, 64);
  does(warp(), shared(write(make(1, 528, 0xffff))));
  expect_none();
  EXPECT_EQ(does(warp(), shared(write(make(2, 528)))).lanes, 0xffffu);
  expect(Kind::kOutOfBounds, 2,
         {"right past the end of the block's dynamic shared memory (64 bytes, the launch's third"});
}

TEST_F(CheckBounds, DynamicSharedMemoryThatWasNotAskedFor) {
  kernel.shared.clear();
  kernel.dynamic_shared_offset = 0;
  begin(1, 32);
  EXPECT_EQ(does(warp(), shared(write(make(2, 0)))).lanes, 0u);
  expect(Kind::kOutOfBounds, 2, {"the block has none"});
}

TEST_F(CheckBounds, WithoutChecksAnAccessOutsideEndsTheKernel) {
  checker.set_checks(check::Checks::kNone);
  const std::uint64_t data = allocate(400, false);
  begin(1, 32);
  does(warp(), read(make(1, data)));
  does(warp(), shared(write(make(1, 0))));
  expect_none();
  expect_end(warp(), read(make(2, data + 384)), Kind::kOutOfBounds, {"past the end"});
  EXPECT_EQ(does(warp(), shared(write(make(3, 512)))).lanes, 0u);
}

}  // namespace
}  // namespace check_test
