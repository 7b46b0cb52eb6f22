// SPDX-License-Identifier: MIT
// ldmatrix, stmatrix, wmma.load and wmma.store: values, and what the checks and counters see.
#include "run_test.h"

namespace {

using report::Kind;

// A tile of 32 rows of 16 bytes: halves 8 * row + column. Thread t writes row t.
const std::string kMatrices =
    ".shared .align 128 .b8 tile[512];\n.shared .align 128 .b8 other[4096];\n";
const std::string kFillTile =
    ".reg .b32 %w<5>, %r<5>, %at, %to;\nmov.u32 %at, tile;\nmad.lo.u32 %at, %t, 16, %at;\n"
    "mov.u32 %to, other;\nmad.lo.u32 %to, %t, 16, %to;\n"
    "mul.lo.u32 %a, %t, 0x80008;\nadd.u32 %w0, %a, 0x10000;\nadd.u32 %w1, %a, 0x30002;\n"
    "add.u32 %w2, %a, 0x50004;\nadd.u32 %w3, %a, 0x70006;\n"
    "st.shared.v4.b32 [%at], {%w0, %w1, %w2, %w3};\nbar.sync 0;\n";
// Block i stores %r<i>.
const std::string kChoose =
    "mov.u32 %b, %ctaid.x;\nmov.u32 %a, %r0;\nsetp.eq.u32 %x, %b, 1;\nselp.b32 %a, %r1, %a, %x;\n"
    "setp.eq.u32 %x, %b, 2;\nselp.b32 %a, %r2, %a, %x;\nsetp.eq.u32 %x, %b, 3;\n"
    "selp.b32 %a, %r3, %a, %x;\n" +
    run_test::kStore;
const std::string kLoadMatrices =
    "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r0, %r1, %r2, %r3}, [%at];\n";

std::uint32_t pair(std::uint32_t row, std::uint32_t column) {
  return (8 * row + column) | (8 * row + column + 1) << 16;
}

class RunMatrix : public run_test::Run {
 protected:
  std::vector<std::uint32_t> checked(const std::string& body, unsigned num_blocks = 4,
                                     unsigned num_threads = 32) {
    load(run_test::kernel(body, kMatrices));
    EXPECT_TRUE(refusals_.empty()) << refusals_.front();
    return launch_checked(num_blocks, num_threads);
  }
};

TEST_F(RunMatrix, EachLaneGetsTwoColumnsOfARow) {
  const auto out = checked(kFillTile + kLoadMatrices + kChoose);
  EXPECT_TRUE(findings_.empty()) << findings_[0].message;
  for (unsigned i = 0; i < 4; ++i) {
    for (unsigned lane = 0; lane < 32; ++lane) {
      EXPECT_EQ(out[32 * i + lane], pair(8 * i + lane / 4, lane % 4 * 2)) << i << " " << lane;
    }
  }
}

TEST_F(RunMatrix, TransposedEachLaneGetsTwoRowsOfAColumn) {
  const auto out = checked(
      kFillTile + "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%r0, %r1}, [%at];\n" + kChoose,
      2);
  for (unsigned i = 0; i < 2; ++i) {
    for (unsigned lane = 0; lane < 32; ++lane) {
      const unsigned row = 8 * i + lane % 4 * 2, column = lane / 4;
      EXPECT_EQ(out[32 * i + lane], (8 * row + column) | (8 * (row + 1) + column) << 16);
    }
  }
}

TEST_F(RunMatrix, OneMatrixThroughAGenericAddress) {
  const auto out = checked(kFillTile +
                               "cvt.u64.u32 %p, %at;\ncvta.shared.u64 %p, %p;\n"
                               "ldmatrix.sync.aligned.m8n8.x1.b16 {%r0}, [%p];\n" +
                               "mov.u32 %a, %r0;\n" + run_test::kStore,
                           1);
  EXPECT_TRUE(findings_.empty());
  for (unsigned lane = 0; lane < 32; ++lane) EXPECT_EQ(out[lane], pair(lane / 4, lane % 4 * 2));
}

TEST_F(RunMatrix, AStoreIsTheInverseOfALoad) {
  for (const std::string trans : {"", ".trans"}) {
    const auto out =
        checked(kFillTile + "ldmatrix.sync.aligned.m8n8.x4" + trans +
                ".shared.b16 {%r0, %r1, %r2, %r3}, [%at];\nstmatrix.sync.aligned.m8n8.x4" + trans +
                ".shared.b16 [%to], {%r0, %r1, %r2, %r3};\nbar.sync 0;\n"
                "ld.shared.v4.b32 {%r0, %r1, %r2, %r3}, [%to];\n" +
                kChoose);
    EXPECT_TRUE(findings_.empty());
    for (unsigned w = 0; w < 4; ++w) {
      for (unsigned lane = 0; lane < 32; ++lane) EXPECT_EQ(out[32 * w + lane], pair(lane, 2 * w));
    }
  }
}

// The order that shows lost updates lets one lane go ahead of the others, elsewhere.
TEST_F(RunMatrix, LanesStayTogetherAfterAStoreWhereUpdatesAreLost) {
  loses_updates_ = true;
  checked(kFillTile + "mov.u32 %a, %t;\n" + run_test::kStore + kLoadMatrices + kChoose, 1);
  EXPECT_TRUE(findings_.empty()) << findings_[0].message;
}

TEST_F(RunMatrix, ARowPastTheTile) {
  checked(kFillTile + "add.u32 %at, %at, 16;\n" + kLoadMatrices + kChoose, 1);
  expect(Kind::kOutOfBounds, "thread 31 of block 0 reads 16 bytes");
}

TEST_F(RunMatrix, ARowThatIsNotAligned) {
  checked(
      kFillTile + "setp.eq.u32 %x, %t, 9;\n@%x sub.u32 %at, %at, 8;\n" + kLoadMatrices + kChoose,
      1);
  expect(Kind::kMisaligned, "thread 9 of block 0");
}

TEST_F(RunMatrix, WithoutABarrierOtherWarpsRowsAreARace) {
  // Warp 1 writes the rows that warp 0 reads.
  checked(
      ".reg .b32 %r<5>, %at;\nmov.u32 %at, tile;\nand.b32 %b, %t, 31;\n"
      "mad.lo.u32 %at, %b, 16, %at;\nsetp.lt.u32 %x, %t, 32;\n@%x bra READ;\n"
      "st.shared.v4.b32 [%at], {%t, %t, %t, %t};\nbra END;\nREAD:\n" +
          kLoadMatrices + "END:\n",
      1, 64);
  expect(Kind::kRace, "thread 32 of block 0 writes shared memory");
}

TEST_F(RunMatrix, ARowThatNoThreadWroteIsReportedWhereItIsUsed) {
  const std::string load =
      kFillTile + "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r0, %r1, %r2, %r3}, [%to];\n";
  checked(load + "mov.u32 %a, %t;\n" + run_test::kStore, 1);
  EXPECT_TRUE(findings_.empty());
  checked(load + "add.u32 %a, %r2, 1;\n" + run_test::kStore, 1);
  expect(Kind::kUninitializedRead, "shared memory (other)");
}

TEST_F(RunMatrix, AllLanesMustCome) {
  checked(kFillTile + "setp.lt.u32 %x, %t, 31;\n@!%x bra END;\n" + kLoadMatrices + "END:\n", 1);
  expect(Kind::kBarrierDivergence, "thread 0 of block 0 comes to ldmatrix without 1 lane");
}

TEST_F(RunMatrix, EachMatrixIsEightRowsForTheBanks) {
  const auto wavefronts = [&](unsigned row_bytes, const std::string& load) {
    this->load(run_test::kernel(".reg .b32 %r<5>, %at;\nmov.u32 %at, other;\nmad.lo.u32 %at, %t, " +
                                    std::to_string(row_bytes) + ", %at;\n" + load,
                                kMatrices));
    const auto counters = launch_counted(1, 32);
    EXPECT_EQ(counters[count::Counter::kSharedReadRequests], 1u);
    return counters[count::Counter::kSharedReadWavefronts];
  };
  EXPECT_EQ(wavefronts(16, kLoadMatrices), 4u);
  EXPECT_EQ(wavefronts(128, kLoadMatrices), 32u);
  EXPECT_EQ(wavefronts(64, kLoadMatrices), 16u);
  EXPECT_EQ(wavefronts(128, "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r0}, [%at];\n"), 8u);
}

// ---- mma

const std::string kSums = ".reg .f32 %s<4>;\n.reg .b32 %r<5>;\n";
const std::string kMultiply =
    "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%s0, %s1, %s2, %s3}, {%r0, %r1, %r2, "
    "%r3}, {%r0, %r1}, {%s0, %s1, %s2, %s3};\n";

TEST_F(RunMatrix, AllLanesMustMultiply) {
  checked(kSums + "setp.lt.u32 %x, %t, 16;\n@%x bra END;\n" + kMultiply + "END:\n", 1);
  expect(Kind::kBarrierDivergence, "thread 16 of block 0 comes to mma without 16 lanes");
}

TEST_F(RunMatrix, EachWarpsProductCounts) {
  this->load(run_test::kernel(
      kSums + kMultiply + kMultiply +
          "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%s0, %s1, %s2, %s3}, {%r0, %r1, "
          "%r2, %r3}, {%r0, %r1}, {%s0, %s1, %s2, %s3};\n",
      kMatrices));
  EXPECT_TRUE(refusals_.empty()) << refusals_.front();
  const auto counters = launch_counted(3, 64);  // 6 warps
  EXPECT_EQ(counters[count::Counter::kMatrixInstructions], 18u);
  EXPECT_EQ(counters[count::Counter::kMatrixMultiplyAdds], 6u * (2 * 16 * 8 * 16 + 16 * 8 * 32));
}

TEST_F(RunMatrix, ALoadOfFourMatricesReads512Bytes) {
  this->load(run_test::kernel(kFillTile + kLoadMatrices, kMatrices));
  EXPECT_EQ(launch_counted(1, 32)[count::Counter::kSharedReadBytes], 512u);
}

// ---- wmma. Element i of a matrix is i % 7 of a, i % 5 of b; each thread makes 8 of 256.

std::string fill(const std::string& name, unsigned modulus, const std::string& type) {
  const std::string size = type == "f16" ? "2" : "4";
  return "mov.u32 %to, " + name + ";\nmad.lo.u32 %to, %t, " + size +
         ", %to;\nmov.u32 %i, %t;\nNEXT_" + name + ": rem.u32 %b, %i, " + std::to_string(modulus) +
         ";\ncvt.rn." + type + ".u32 %v" + size + ", %b;\nst.shared.b" +
         (size == "2" ? "16" : "32") + " [%to], %v" + size + ";\nadd.u32 %to, %to, " +
         (size == "2" ? "64" : "128") +
         ";\nadd.u32 %i, %i, 32;\nsetp.lt.u32 %x, %i, 256;\n@%x bra NEXT_" + name + ";\n";
}
const std::string kWmmaShared =
    ".shared .align 128 .b8 a[512];\n.shared .align 128 .b8 b[512];\n"
    ".shared .align 128 .b8 c[1024];\n.shared .align 128 .b8 d[1024];\n";
const std::string kWmmaRegisters =
    ".reg .b32 %f<8>, %g<8>, %h<8>, %to, %i;\n.reg .b16 %v2;\n.reg .f32 %v4;\n";
std::string eight(const std::string& name) {
  std::string list = "{%" + name + "0";
  for (int i = 1; i < 8; ++i) list += ", %" + name + std::to_string(i);
  return list + "}";
}
// Block i, thread t: element 32 * i + t of d.
const std::string kStoreD =
    "bar.sync 0;\nmov.u32 %b, %ctaid.x;\nmad.lo.u32 %b, %b, 32, %t;\nmov.u32 %to, d;\n"
    "mad.lo.u32 %to, %b, 4, %to;\nld.shared.b32 %a, [%to];\n" +
    run_test::kStore;

class RunWmma : public RunMatrix {
 protected:
  std::vector<std::uint32_t> run(const std::string& body) {
    load(run_test::kernel(kWmmaRegisters + body, kWmmaShared));
    EXPECT_TRUE(refusals_.empty()) << refusals_.front();
    check::Checker checker;
    machine_->set_monitors({&checker});
    return launch(8, 32);
  }
};

TEST_F(RunWmma, AProductInEachLayout) {
  for (const bool a_by_column : {false, true}) {
    for (const bool b_by_column : {false, true}) {
      for (const bool d_by_column : {false, true}) {
        const auto word = [](bool by_column) { return std::string(by_column ? "col" : "row"); };
        const auto out =
            run(fill("a", 7, "f16") + fill("b", 5, "f16") + fill("c", 3, "f32") +
                "bar.sync 0;\nmov.u32 %c, 16;\nmov.u64 %p, a;\nwmma.load.a.sync.aligned." +
                word(a_by_column) + ".m16n16k16.shared.f16 " + eight("f") +
                ", [%p], %c;\nmov.u64 %p, b;\nwmma.load.b.sync.aligned." + word(b_by_column) +
                ".m16n16k16.shared.f16 " + eight("g") +
                ", [%p];\nmov.u64 %p, c;\nwmma.load.c.sync.aligned.row.m16n16k16.shared.f32 " +
                eight("h") + ", [%p], 16;\nwmma.mma.sync.aligned." + word(a_by_column) + "." +
                word(b_by_column) + ".m16n16k16.f32.f32 " + eight("h") + ", " + eight("f") + ", " +
                eight("g") + ", " + eight("h") +
                ";\nmov.u64 %p, d;\ncvta.shared.u64 %p, %p;\nwmma.store.d.sync.aligned." +
                word(d_by_column) + ".m16n16k16.f32 [%p], " + eight("h") + ", %c;\n" + kStoreD);
        EXPECT_TRUE(findings_.empty()) << findings_[0].message;
        const auto at = [](bool by_column, int row, int column) {
          return by_column ? 16 * column + row : 16 * row + column;
        };
        for (int row = 0; row < 16; ++row) {
          for (int column = 0; column < 16; ++column) {
            int sum = at(false, row, column) % 3;
            for (int k = 0; k < 16; ++k) {
              sum += at(a_by_column, row, k) % 7 * (at(b_by_column, k, column) % 5);
            }
            float result;
            std::memcpy(&result, &out[static_cast<std::size_t>(at(d_by_column, row, column))], 4);
            EXPECT_EQ(result, static_cast<float>(sum)) << row << " " << column;
          }
        }
      }
    }
  }
}

TEST_F(RunWmma, AStrideThatSplitsRows) {
  run(fill("a", 7, "f16") +
      "bar.sync 0;\nmov.u64 %p, a;\n"
      "wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 " +
      eight("f") + ", [%p], 12;\n");
  expect(Kind::kMisaligned,
         "loads a matrix whose rows or columns are 24 bytes apart, which must be a multiple of 16");
}

TEST_F(RunWmma, PastTheEnd) {
  run(fill("a", 7, "f16") +
      "bar.sync 0;\nmov.u64 %p, a;\n"
      "wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 " +
      eight("f") + ", [%p], 24;\n");
  expect(Kind::kOutOfBounds, "reads 4 bytes, 16 bytes past the end of shared");
}

}  // namespace
