// SPDX-License-Identifier: MIT
// wgmma: layouts of its factors and sums, as PTX draws them, and what the checks and counters see.
#include <algorithm>
#include <bit>
#include <functional>

#include "run_test.h"

namespace {

using report::Kind;

constexpr unsigned kImageBytes = 16384, kBytesOfB = 8192;  // A is in front of B
constexpr unsigned kRows = 64, kDepth = 16;

// Small numbers, so that each product is exact.
int a_at(unsigned row, unsigned k) { return static_cast<int>((row * 5 + k * 3) % 11) - 5; }
int b_at(unsigned column, unsigned k) { return static_cast<int>((column * 7 + k) % 9) - 4; }
std::uint16_t bf16(int value) {
  return static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(static_cast<float>(value)) >> 16);
}

// start, leading and stride in bytes; mode 1: 128 bytes, 2: 64, 3: 32.
std::uint64_t descriptor(std::uint64_t leading, std::uint64_t stride, std::uint64_t mode) {
  return leading / 16 << 16 | stride / 16 << 32 | mode << 62;
}

// Where element (outer, k) of two bytes is, by the tables of the PTX manual.
using Place = std::function<unsigned(unsigned outer, unsigned k)>;
unsigned plain(unsigned outer, unsigned k) {  // leading 128, stride 256
  return outer / 8 * 256 + k / 8 * 128 + outer % 8 * 16 + k % 8 * 2;
}
unsigned swizzled_128(unsigned outer, unsigned k) {  // stride 1024
  return outer * 128 + (k / 8 ^ outer % 8) * 16 + k % 8 * 2;
}
unsigned swizzled_64(unsigned outer, unsigned k) {  // stride 512: two rows in 128 bytes
  return outer * 64 + (k / 8 ^ outer / 2 % 4) * 16 + k % 8 * 2;
}
unsigned swizzled_32(unsigned outer, unsigned k) {  // stride 256: four rows in 128 bytes
  return outer * 32 + (k / 8 ^ outer / 4 % 2) * 16 + k % 8 * 2;
}
unsigned transposed(unsigned outer, unsigned k) {  // leading 128, stride 256
  return outer / 8 * 256 + k / 8 * 128 + k % 8 * 16 + outer % 8 * 2;
}
unsigned transposed_128(unsigned outer, unsigned k) {  // of 64 columns: leading 2048, stride 1024
  return outer / 64 * 2048 + k * 128 + (outer % 64 / 8 ^ k % 8) * 16 + outer % 8 * 2;
}
unsigned transposed_64(unsigned outer, unsigned k) {  // of 32: leading 1024, stride 512
  return outer / 32 * 1024 + k * 64 + (outer % 32 / 8 ^ k / 2 % 4) * 16 + outer % 8 * 2;
}
unsigned transposed_32(unsigned outer, unsigned k) {  // of 16: leading 512, stride 256
  return outer / 16 * 512 + k * 32 + (outer % 16 / 8 ^ k / 4 % 2) * 16 + outer % 8 * 2;
}

struct Side {
  Place place = plain;
  std::uint64_t bits = descriptor(128, 256, 0);
  bool is_transposed = false;
};

std::string list(const std::string& name, unsigned count) {
  std::string text = "{";
  for (unsigned i = 0; i < count; ++i) text += (i == 0 ? "%" : ", %") + name + std::to_string(i);
  return text + "}";
}

const std::string kTiles =
    ".shared .align 1024 .b8 tile[16384];\n.global .align 16 .b8 image[16384];\n";
// 128 threads copy the image to `tile`, 16 bytes each in turn.
const std::string kFill =
    ".reg .b64 %from, %a_bits, %b_bits, %d64;\n.reg .b32 %w<4>, %to, %i, %f<4>;\n.reg .pred %add;\n"
    "mul.wide.u32 %q, %t, 16;\nmov.u64 %from, image;\nadd.u64 %from, %from, %q;\nmov.u32 %to, tile;\n"
    "mad.lo.u32 %to, %t, 16, %to;\nmov.u32 %i, 0;\nNEXT:\n"
    "ld.global.v4.b32 {%w0, %w1, %w2, %w3}, [%from];\nst.shared.v4.b32 [%to], {%w0, %w1, %w2, %w3};\n"
    "add.u64 %from, %from, 2048;\nadd.u32 %to, %to, 2048;\nadd.u32 %i, %i, 1;\n"
    "setp.lt.u32 %x, %i, 8;\n@%x bra NEXT;\n";
const std::string kOrder = "fence.proxy.async.shared::cta;\nbar.sync 0;\n";
const std::string kEnd = "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n";

class RunWarpgroup : public run_test::Run {
 protected:
  void put(unsigned at, const void* bytes, unsigned size) {
    std::memcpy(image_.data() + at, bytes, size);
  }
  void put_matrices(const Side& a, const Side& b, unsigned n) {
    for (unsigned k = 0; k < kDepth; ++k) {
      for (unsigned row = 0; row < kRows; ++row) {
        const std::uint16_t value = bf16(a_at(row, k));
        put(a.place(row, k), &value, 2);
      }
      for (unsigned column = 0; column < n; ++column) {
        const std::uint16_t value = bf16(b_at(column, k));
        put(kBytesOfB + b.place(column, k), &value, 2);
      }
    }
  }
  // Declares the sums, and sets them to `sum`, a float in hexadecimal.
  static std::string sums(unsigned count, const std::string& sum = "0f40400000") {
    std::string text = ".reg .f32 %s<" + std::to_string(count) + ">;\n";
    for (unsigned i = 0; i < count; ++i) {
      text += "mov.f32 %s" + std::to_string(i) + ", " + sum + ";\n";
    }
    return text;
  }
  static std::string descriptors(const Side& a, const Side& b) {
    return "mov.u32 %to, tile;\nshr.u32 %to, %to, 4;\ncvt.u64.u32 %d64, %to;\nadd.u64 %a_bits, %d64, " +
           std::to_string(a.bits) + ";\nadd.u64 %b_bits, %d64, " +
           std::to_string(b.bits + kBytesOfB / 16) + ";\nsetp.eq.u32 %add, 0, 0;\n";
  }
  static std::string multiply(unsigned n, const std::string& end, const std::string& a = "%a_bits",
                              const std::string& types = "k16.f32.bf16.bf16") {
    return "wgmma.mma_async.sync.aligned.m64n" + std::to_string(n) + types + " " +
           list("s", types.find("f16.e4m3") == 4 ? n / 4 : n / 2) + ", " + a + ", %b_bits, " + end +
           ";\n";
  }
  // Block i stores sum i of each thread.
  static std::string store(unsigned count) {
    std::string text = "mov.u32 %b, %ctaid.x;\nmov.b32 %a, %s0;\n";
    for (unsigned i = 1; i < count; ++i) {
      const std::string name = std::to_string(i);
      text += "setp.eq.u32 %x, %b, " + name + ";\nmov.b32 %c, %s" + name +
              ";\nselp.b32 %a, %c, %a, %x;\n";
    }
    return text + run_test::kStore;
  }
  std::vector<std::uint32_t> checked(const std::string& body, unsigned num_blocks,
                                     unsigned num_threads = 128) {
    load(run_test::kernel(body, kTiles));
    EXPECT_TRUE(refusals_.empty()) << refusals_.front();
    const code::Symbol* const image = program_->find_symbol("image");
    std::memcpy(reinterpret_cast<void*>(image->address), image_.data(), image_.size());
    return launch_checked(num_blocks, num_threads);
  }
  // Sum i of a thread is in row 16 * warp + lane / 4 (+ 8), and in each 8 columns there are two.
  template <class Expected>
  void expect_sums(const std::vector<std::uint32_t>& out, unsigned n, Expected expected) {
    for (unsigned i = 0; i < n / 2; ++i) {
      for (unsigned t = 0; t < 128; ++t) {
        const unsigned row = t / 32 * 16 + t % 32 / 4 + (i % 4 < 2 ? 0 : 8);
        const unsigned column = i / 4 * 8 + t % 4 * 2 + i % 2;
        ASSERT_EQ(std::bit_cast<float>(out[128 * i + t]), expected(row, column))
            << "row " << row << " column " << column;
      }
    }
  }
  static float product(unsigned row, unsigned column) {
    int sum = 0;
    for (unsigned k = 0; k < kDepth; ++k) sum += a_at(row, k) * b_at(column, k);
    return static_cast<float>(sum);
  }
  void expect_product(const Side& a, const Side& b, unsigned n) {
    put_matrices(a, b, n);
    const std::string end = std::string("%add, 1, 1, ") + (a.is_transposed ? "1" : "0") + ", " +
                            (b.is_transposed ? "1" : "0");
    const auto out =
        checked(sums(n / 2) + kFill + kOrder + descriptors(a, b) + "wgmma.fence.sync.aligned;\n" +
                    multiply(n, end) + kEnd + store(n / 2),
                n / 2);
    expect_none();
    expect_sums(out, n, [](unsigned row, unsigned column) { return 3 + product(row, column); });
  }

  std::array<std::byte, kImageBytes> image_ = {};
};

const Side kUnswizzled;
const Side k128{swizzled_128, descriptor(16, 1024, 1)};
const Side k64{swizzled_64, descriptor(16, 512, 2)};
const Side k32{swizzled_32, descriptor(16, 256, 3)};
const Side kTransposed{transposed, descriptor(128, 256, 0), true};
const Side kTransposed128{transposed_128, descriptor(2048, 1024, 1), true};
const Side kTransposed64{transposed_64, descriptor(1024, 512, 2), true};
const Side kTransposed32{transposed_32, descriptor(512, 256, 3), true};

TEST_F(RunWarpgroup, FactorsInEachSwizzle) {
  expect_product(kUnswizzled, kUnswizzled, 8);
  expect_product(k128, k128, 16);
  expect_product(k64, k64, 24);
  expect_product(k32, k32, 8);
  expect_product(k128, kUnswizzled, 8);
}

TEST_F(RunWarpgroup, TransposedFactorsInEachSwizzle) {
  expect_product(kTransposed, kTransposed, 24);
  expect_product(kTransposed128, kTransposed128, 72);
  expect_product(kTransposed64, kTransposed64, 40);
  expect_product(kTransposed32, kTransposed32, 24);
}

// The next 16 columns of K are 32 bytes on, within the pattern.
TEST_F(RunWarpgroup, AStepOfDepthWithinASwizzledRow) {
  const auto third = [](unsigned outer, unsigned k) { return swizzled_128(outer, k + 32); };
  const std::uint64_t bits = descriptor(16, 1024, 1) + 64 / 16;
  expect_product({third, bits}, {third, bits}, 8);
}

// A tile at row 3 of a pattern: rows 0 to 4 are the pattern's 3 to 7.
TEST_F(RunWarpgroup, ABaseOffsetNamesTheRowOfThePattern) {
  const auto later = [](unsigned outer, unsigned k) {
    return 3 * 128 + outer * 128 + (k / 8 ^ outer % 8) * 16 + k % 8 * 2;
  };
  const std::uint64_t bits = descriptor(16, 1024, 1) + 3 * 128 / 16 + (std::uint64_t{3} << 49);
  expect_product(kUnswizzled, {later, bits}, 8);
}

TEST_F(RunWarpgroup, ScalesOfSumsAndFactors) {
  put_matrices(kUnswizzled, kUnswizzled, 8);
  const auto run = [&](const std::string& before, const std::string& end) {
    return checked(sums(4) + kFill + kOrder + descriptors(kUnswizzled, kUnswizzled) + before +
                       "wgmma.fence.sync.aligned;\n" + multiply(8, end) + kEnd + store(4),
                   4);
  };
  expect_sums(run("setp.ne.u32 %add, 0, 0;\n", "%add, 1, 1, 0, 0"), 8, product);
  expect_sums(run("", "%add, 1, -1, 0, 0"), 8,
              [](unsigned row, unsigned column) { return 3 - product(row, column); });
  expect_sums(run("", "%add, -1, -1, 0, 0"), 8,
              [](unsigned row, unsigned column) { return 3 + product(row, column); });
  expect_none();
}

// Thread t of a warp has row t / 4 and columns 2 * (t % 4), + 1; then row + 8; then columns + 8.
TEST_F(RunWarpgroup, TheFirstFactorInRegisters) {
  put_matrices(kUnswizzled, kUnswizzled, 8);
  std::string load;
  for (int i = 0; i < 4; ++i) {
    const std::string at = std::to_string(i % 2 * 256 + i / 2 * 128);
    load += "ld.shared.b32 %f" + std::to_string(i) + ", [%to+" + at + "];\n";
  }
  const auto out = checked(
      sums(4) + kFill + kOrder + descriptors(kUnswizzled, kUnswizzled) +
          "shr.u32 %a, %t, 5;\nshr.u32 %b, %t, 2;\nand.b32 %b, %b, 7;\nand.b32 %c, %t, 3;\n"
          "mov.u32 %to, tile;\nmad.lo.u32 %to, %a, 512, %to;\nmad.lo.u32 %to, %b, 16, %to;\n"
          "mad.lo.u32 %to, %c, 4, %to;\n" +
          load + "wgmma.fence.sync.aligned;\n" + multiply(8, "%add, 1, 1, 0", list("f", 4)) + kEnd +
          store(4),
      4);
  expect_none();
  expect_sums(out, 8, [](unsigned row, unsigned column) { return 3 + product(row, column); });
}

// 32 numbers of 8 bits in the 32 bytes of a row; two sums of 16 bits in each register.
TEST_F(RunWarpgroup, EightBitsAndSumsOfHalf) {
  constexpr std::uint8_t kOne = 0x38, kTwo = 0x40;  // in e4m3
  std::ranges::fill(image_, std::byte{kOne});
  std::ranges::fill_n(image_.begin() + kBytesOfB, 16, std::byte{kTwo});  // half of column 0
  std::string declare = ".reg .b32 %s<2>;\nmov.b32 %s0, 0x3c003c00;\nmov.b32 %s1, 0x3c003c00;\n";
  const auto out =
      checked(declare + kFill + kOrder + descriptors(kUnswizzled, kUnswizzled) +
                  "wgmma.fence.sync.aligned;\n" +
                  multiply(8, "%add, 1, 1", "%a_bits", "k32.f16.e4m3.e4m3") + kEnd + store(2),
              2);
  expect_none();
  constexpr std::uint32_t k33 = 0x5020, k49 = 0x5220;  // 1 + 32, 1 + 32 + 16 in half
  for (unsigned t = 0; t < 128; ++t) {
    EXPECT_EQ(out[t], (t % 4 == 0 ? k49 : k33) | k33 << 16) << t;
    EXPECT_EQ(out[128 + t], out[t]) << t;
  }
}

// ---- mistakes

const std::string kMultiplyOnce =
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%s0, %s1, %s2, "
    "%s3}, %a_bits, %b_bits, %add, 1, 1, 0, 0;\n";
const std::string kFence = "wgmma.fence.sync.aligned;\n";

class WarpgroupMistakes : public RunWarpgroup {
 protected:
  void run(const std::string& before, const std::string& after, const Side& b = kUnswizzled,
           unsigned num_threads = 128) {
    checked(sums(4) + kFill + before + descriptors(kUnswizzled, b) + after, 1, num_threads);
  }
};

TEST_F(WarpgroupMistakes, ASumThatIsUsedBeforeItsWait) {
  run(kOrder, kFence + kMultiplyOnce +
                  "wgmma.commit_group.sync.aligned;\nmov.f32 %s1, %s0;\n"
                  "add.f32 %s1, %s1, 0f3f800000;\n");
  expect(Kind::kRace, "thread 0 of block 0 uses a register that the wgmma");
  EXPECT_NE(findings_[0].message.find("its group is committed"), std::string::npos);
}

TEST_F(WarpgroupMistakes, ASumInAVectorThatIsStoredBeforeItsWait) {
  run(kOrder, kFence + kMultiplyOnce +
                  "wgmma.commit_group.sync.aligned;\nmov.f32 %s0, 0f00000000;\n"
                  "setp.eq.u32 %x, %t, 0;\n@%x st.global.v2.f32 [%out], {%s0, %s1};\n");
  expect(Kind::kRace, "uses a register that the wgmma");
}

// As compilers spill registers, and keep arrays that a loop indexes.
const std::string kSpill =
    ".local .align 4 .b8 spilled[16];\nmov.u64 %p, spilled;\nst.local.f32 [%p+4], %s0;\n";
const std::string kReload = "ld.local.f32 %s1, [%p+4];\nadd.f32 %s1, %s1, 0f3f800000;\n";

TEST_F(WarpgroupMistakes, ASumInLocalMemoryThatIsUsedBeforeItsWait) {
  run(kOrder, kFence + kMultiplyOnce + kSpill + "wgmma.commit_group.sync.aligned;\n" + kReload);
  expect(Kind::kRace, "thread 0 of block 0 uses a register that the wgmma");
}

TEST_F(WarpgroupMistakes, ASumInLocalMemoryThatIsUsedAfterItsWait) {
  run(kOrder, kFence + kMultiplyOnce + kSpill + kEnd + kReload);
  expect_none();
}

TEST_F(WarpgroupMistakes, ASumInLocalMemoryThroughAGenericAddress) {
  run(kOrder, kFence + kMultiplyOnce + kSpill + "cvta.local.u64 %p, %p;\nst.f32 [%p+8], %s0;\n" +
                  "ld.f32 %s1, [%p+8];\nwgmma.commit_group.sync.aligned;\n"
                  "add.f32 %s1, %s1, 0f3f800000;\n");
  expect(Kind::kRace, "uses a register that the wgmma");
}

TEST_F(WarpgroupMistakes, ASumInLocalMemoryThatIsOverwritten) {
  run(kOrder, kFence + kMultiplyOnce + kSpill + "mov.f32 %s2, 0f3f800000;\n" +
                  "st.local.f32 [%p+4], %s2;\n" + kReload + kEnd);
  expect_none();
}

// Each lane keeps its sum at a place of its own; only the first looks too early.
TEST_F(WarpgroupMistakes, ASumInLocalMemoryOfOneLane) {
  const std::string place =
      "and.b32 %a, %t, 3;\nmul.wide.u32 %q, %a, 4;\nadd.u64 %q, %q, %p;\n"
      "mov.f32 %s2, 0f3f800000;\n";
  run(kOrder, kFence + kMultiplyOnce + kSpill + place +
                  "st.local.f32 [%p+4], %s2;\nst.local.f32 [%q], %s0;\n"
                  "setp.ne.u32 %x, %a, 1;\n@%x ld.local.f32 %s1, [%p+4];\n"
                  "@%x add.f32 %s1, %s1, 0f3f800000;\n" +
                  kEnd);
  expect_none();
}

TEST_F(WarpgroupMistakes, AWaitWithoutACommit) {
  run(kOrder,
      kFence + kMultiplyOnce + "wgmma.wait_group.sync.aligned 0;\nst.global.f32 [%out], %s0;\n");
  expect(Kind::kRace, "wgmma.commit_group and wgmma.wait_group must come first");
}

TEST_F(WarpgroupMistakes, AWaitThatLeavesTheNewestGroup) {
  run(kOrder, kFence + kMultiplyOnce + "wgmma.commit_group.sync.aligned;\n" +
                  "wgmma.wait_group.sync.aligned 1;\nst.global.f32 [%out], %s0;\n");
  expect(Kind::kRace, "uses a register");
}

TEST_F(WarpgroupMistakes, ProductsMayAddToTheSameSums) {
  run(kOrder, kFence + kMultiplyOnce + kMultiplyOnce + "wgmma.commit_group.sync.aligned;\n" +
                  kMultiplyOnce + kEnd +
                  "setp.eq.u32 %x, %t, 0;\n@%x st.global.f32 [%out], %s0;\n");
  expect_none();
}

TEST_F(WarpgroupMistakes, WithoutTheFenceOfRegisters) {
  run(kOrder, kMultiplyOnce + kEnd);
  expect(Kind::kRace, "comes to its first wgmma without wgmma.fence");
}

TEST_F(WarpgroupMistakes, WithoutTheFenceOfTheAsyncProxy) {
  run("bar.sync 0;\n", kFence + kMultiplyOnce + kEnd);
  expect(Kind::kRace, "without fence.proxy.async");
}

TEST_F(WarpgroupMistakes, AFenceOfAnotherThreadAfterTheBarrier) {
  run("bar.sync 0;\nsetp.eq.u32 %x, %t, 0;\n@%x fence.proxy.async;\nbar.sync 0;\n",
      kFence + kMultiplyOnce + kEnd);
  expect_none();
}

TEST_F(WarpgroupMistakes, AFenceOfAnotherThreadBeforeTheBarrier) {
  run("setp.eq.u32 %x, %t, 0;\n@%x fence.proxy.async;\nbar.sync 0;\n",
      kFence + kMultiplyOnce + kEnd);
  expect(Kind::kRace, "thread 1 of the same block wrote it");
}

TEST_F(WarpgroupMistakes, WithoutABarrier) {
  run("fence.proxy.async;\n", kFence + kMultiplyOnce + kEnd);
  expect(Kind::kRace, "shared memory (tile)");
}

const std::string kWriteByThread127 =
    "setp.eq.u32 %x, %t, 127;\nmov.u32 %to, tile;\n@%x st.shared.u32 [%to+8192], %t;\n";

// A thread of another warp writes again when it has been told that the product is under way.
TEST_F(WarpgroupMistakes, AFactorIsWrittenBeforeTheWait) {
  run(kOrder, kFence + kMultiplyOnce + "wgmma.commit_group.sync.aligned;\nbar.sync 0;\n" +
                  kWriteByThread127 + "wgmma.wait_group.sync.aligned 0;\n");
  expect(Kind::kRace, "shared memory (tile)");
  run(kOrder, kFence + kMultiplyOnce + kEnd + "bar.sync 0;\n" + kWriteByThread127);
  expect_none();
}

// Thread 127 writes when the product has begun, and tells the others, which only then wait for it.
TEST_F(WarpgroupMistakes, AFactorIsWrittenBeforeTheWaitThoughABarrierOrdersThem) {
  run(kOrder, kFence + kMultiplyOnce + "wgmma.commit_group.sync.aligned;\nbar.sync 0;\n" +
                  kWriteByThread127 + "bar.sync 0;\nwgmma.wait_group.sync.aligned 0;\n");
  expect(Kind::kRace, "thread 127 of block 0 writes shared memory that the wgmma");
}

// Warp 4 writes a factor when the threads of the group have arrived at an mbarrier. It looks at
// that when the product has long been complete.
class GivenBack : public WarpgroupMistakes {
 protected:
  void give_back_after_wait(const std::string& num_left) {
    load(run_test::kernel(
        sums(4) +
            ".reg .b32 %bar;\nmov.u32 %bar, free;\nsetp.eq.u32 %x, %t, 0;\n"
            "@%x mbarrier.init.shared.b64 [%bar], 128;\nsetp.ge.u32 %x, %t, 128;\n@%x bra FILLED;\n" +
            kFill + "FILLED:\n" + kOrder + "setp.ge.u32 %x, %t, 128;\n@%x bra PRODUCER;\n" +
            descriptors(kUnswizzled, kUnswizzled) + kFence + kMultiplyOnce +
            "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned " + num_left +
            ";\nmbarrier.arrive.shared.b64 _, [%bar];\nwgmma.wait_group.sync.aligned 0;\nbra END;\n"
            "PRODUCER: mbarrier.try_wait.parity.shared.b64 %y, [%bar], 0;\n@!%y bra PRODUCER;\n"
            "mov.u32 %to, tile;\nsetp.eq.u32 %y, %t, 128;\n@%y st.shared.u32 [%to+8192], %t;\nEND:\n",
        kTiles + ".shared .align 8 .b64 free;\n"));
    ASSERT_TRUE(refusals_.empty()) << refusals_.front();
    launch_checked(1, 160);
  }
};

TEST_F(GivenBack, AfterTheWaitForItsProduct) {
  give_back_after_wait("0");
  expect_none();
}

TEST_F(GivenBack, AfterAWaitThatLeavesItsProduct) {
  give_back_after_wait("1");
  expect(Kind::kRace, "it reads until the wait for its group has returned");
}

// Warp 4 releases a word at an mbarrier, and the group waits only for its products.
TEST_F(WarpgroupMistakes, AWaitForProductsIsNoneForOtherWarps) {
  load(run_test::kernel(
      sums(4) +
          ".reg .b32 %bar;\nmov.u32 %bar, full;\nsetp.eq.u32 %x, %t, 0;\n"
          "@%x mbarrier.init.shared.b64 [%bar], 1;\nsetp.ge.u32 %x, %t, 128;\n@%x bra FILLED;\n" +
          kFill + "FILLED:\n" + kOrder + "setp.ge.u32 %x, %t, 128;\n@%x bra PRODUCER;\n" +
          descriptors(kUnswizzled, kUnswizzled) + kFence + kMultiplyOnce + kEnd +
          "mov.u32 %to, word;\nsetp.eq.u32 %y, %t, 0;\n@%y ld.shared.u32 %a, [%to];\nbra END;\n"
          "PRODUCER: mov.u32 %to, word;\nsetp.eq.u32 %y, %t, 128;\n@%y st.shared.u32 [%to], %t;\n"
          "@%y mbarrier.arrive.shared.b64 _, [%bar];\nEND:\n",
      kTiles + ".shared .align 8 .b64 full;\n.shared .align 4 .b32 word;\n"));
  ASSERT_TRUE(refusals_.empty()) << refusals_.front();
  for (const std::uint64_t seed : {0, 1, 2, 3, 4, 5}) {
    machine_->set_schedule(seed);
    launch_checked(1, 160);
    ASSERT_FALSE(findings_.empty()) << seed;
    EXPECT_EQ(findings_[0].kind, Kind::kRace) << findings_[0].message;
  }
}

TEST_F(WarpgroupMistakes, ATileThatIsNotAligned) {
  run(kOrder, kFence + kMultiplyOnce + kEnd, {plain, descriptor(16, 1024, 1) + 512 / 16});
  expect(Kind::kMisaligned,
         "at byte 8704 of shared memory, with a swizzle of 128 bytes. Its tile "
         "must begin at a multiple of 1024 bytes");
}

TEST_F(WarpgroupMistakes, PastTheTile) {
  run(kOrder, kFence + kMultiplyOnce + kEnd, {plain, descriptor(8192, 256, 0)});
  expect(Kind::kOutOfBounds, "shared tile");
}

TEST_F(WarpgroupMistakes, WhatNoThreadHasWritten) {
  checked(".reg .b64 %a_bits, %b_bits, %d64;\n.reg .b32 %to;\n.reg .pred %add;\n" + sums(4) +
              descriptors(kUnswizzled, kUnswizzled) + kFence + kMultiplyOnce + kEnd,
          1);
  expect(Kind::kUninitializedRead, "shared memory (tile)");
}

TEST_F(WarpgroupMistakes, AWarpThatDoesNotCome) {
  run(kOrder, "setp.ge.u32 %x, %t, 96;\n@%x bra END;\n" + kFence + kMultiplyOnce + kEnd + "END:\n");
  expect(Kind::kDeadlock, "threads 0-95 wait in wgmma.wait_group for the other warps");
}

TEST_F(WarpgroupMistakes, AGroupThatIsNotWhole) {
  run(kOrder, kFence + kMultiplyOnce + kEnd, kUnswizzled, 96);
  expect(Kind::kLaunchError, "its warpgroup must be whole");
}

TEST_F(WarpgroupMistakes, ADescriptorThatDiffersInAWarp) {
  run(kOrder,
      "cvt.u64.u32 %d64, %t;\nadd.u64 %b_bits, %b_bits, %d64;\n" + kFence + kMultiplyOnce + kEnd);
  expect(Kind::kLaunchError, "thread 1 of block 0 gives wgmma another descriptor of B");
}

TEST_F(WarpgroupMistakes, ADescriptorThatDiffersBetweenWarps) {
  run(kOrder, "setp.ge.u32 %x, %t, 96;\n@%x add.u64 %b_bits, %b_bits, 16;\n" + kFence +
                  kMultiplyOnce + kEnd);
  expect(Kind::kLaunchError, "the warps of thread 0 and thread 96");
}

TEST_F(WarpgroupMistakes, ShapesThatDoNotExist) {
  load(run_test::kernel(sums(2) + ".reg .b64 %a_bits, %b_bits;\n.reg .pred %add;\n"
                                  "wgmma.mma_async.sync.aligned.m64n4k16.f32.bf16.bf16 {%s0, %s1}, "
                                  "%a_bits, %b_bits, %add, 1, 1, 0, 0;\n"));
  ASSERT_EQ(refusals_.size(), 1u);
  EXPECT_NE(refusals_[0].find("a shape that does not exist"), std::string::npos) << refusals_[0];
}

TEST_F(RunWarpgroup, EachWarpCountsItsRows) {
  load(run_test::kernel(sums(4) + kFill + kOrder + descriptors(kUnswizzled, kUnswizzled) + kFence +
                            kMultiplyOnce + kMultiplyOnce + kEnd,
                        kTiles));
  const auto counters = launch_counted(1, 128);
  EXPECT_EQ(counters[count::Counter::kMatrixInstructions], 8u);  // 4 warps
  EXPECT_EQ(counters[count::Counter::kMatrixMultiplyAdds], 2u * 64 * 8 * 16);
  EXPECT_EQ(counters[count::Counter::kSharedReadRequests], 0u);  // docs/counters.md
}

}  // namespace
