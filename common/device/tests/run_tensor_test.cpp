// SPDX-License-Identifier: MIT
// Bulk copies of boxes of a tensor: what lies where, and what the checks and counters see.
#include <algorithm>
#include <bit>
#include <numeric>

#include "run/tensor_map.h"
#include "run_test.h"
#include "time/watcher.h"

namespace {

using report::Kind;

// `map` and `data` are where a CUtensorMap and a tensor would be. The tensor is 16-bit, 40 columns
// of which 36 belong to it, and 20 rows; element i is i.
constexpr unsigned kColumns = 36, kPitch = 40, kTensorRows = 20;
const std::string kSpace =
    ".global .align 64 .b8 map[128];\n.global .align 128 .b8 data[1600];\n"
    ".shared .align 1024 .b8 tile[4096];\n.shared .align 8 .b64 full;\n";
const std::string kBegin =
    ".reg .b64 %map, %bar64, %at64;\n.reg .b32 %bar, %at;\nmov.u64 %map, map;\nmov.u32 %at, tile;\n"
    "mov.u32 %bar, full;\nsetp.eq.u32 %x, %t, 0;\n@%x mbarrier.init.shared.b64 [%bar], 1;\n"
    "bar.sync 0;\n";
const std::string kWait =
    "WAIT: mbarrier.try_wait.parity.shared.b64 %y, [%bar], 0;\n@!%y bra WAIT;\n";
// Thread t stores word t of the tile.
const std::string kStoreTile =
    "mad.lo.u32 %a, %t, 4, %at;\nld.shared.b32 %a, [%a];\n" + run_test::kStore;

std::string load_box(const std::string& coordinates, unsigned bytes, unsigned rank = 2) {
  return "@%x mbarrier.arrive.expect_tx.shared.b64 _, [%bar], " + std::to_string(bytes) +
         ";\n@%x cp.async.bulk.tensor." + std::to_string(rank) +
         "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%at], [%map, {" +
         coordinates + "}], [%bar];\n";
}

class RunTensor : public run_test::Run {
 protected:
  void use(const std::string& body) {
    load(run_test::kernel(kBegin + body, kSpace));
    EXPECT_TRUE(refusals_.empty()) << refusals_.front();
    auto* const data = reinterpret_cast<std::uint16_t*>(program_->find_symbol("data")->address);
    std::iota(data, data + kPitch * kTensorRows, std::uint16_t{0});
    map_.base = reinterpret_cast<std::uintptr_t>(data);
    std::memcpy(reinterpret_cast<void*>(program_->find_symbol("map")->address), &map_, sizeof map_);
  }
  std::vector<std::uint32_t> checked(const std::string& body, unsigned num_threads) {
    use(body);
    return launch_checked(1, num_threads);
  }
  // A box of so many columns and rows.
  void set_box(std::uint16_t columns, std::uint16_t rows, std::uint8_t swizzle_bytes = 0) {
    map_ = {};
    map_.size = {kColumns, kTensorRows};
    map_.stride = {2, 2 * kPitch};
    map_.box = {columns, rows};
    map_.rank = 2;
    map_.element_bytes = 2;
    map_.swizzle_bytes = swizzle_bytes;
  }
  // Element of the tensor, or 0 outside of it.
  static std::uint16_t element(int row, int column) {
    const bool is_inside =
        row >= 0 && row < int{kTensorRows} && column >= 0 && column < int{kColumns};
    return is_inside ? static_cast<std::uint16_t>(row * int{kPitch} + column) : std::uint16_t{0};
  }
  static std::uint16_t half(const std::vector<std::uint32_t>& words, unsigned i) {
    return static_cast<std::uint16_t>(words[i / 2] >> 16 * (i % 2));
  }

  run::TensorMap map_ = {};
};

TEST_F(RunTensor, ABoxInsideOfTheTensor) {
  set_box(16, 8);
  const auto out = checked(load_box("8, 5", 256) + kWait + kStoreTile, 64);
  expect_none();
  for (unsigned i = 0; i < 128; ++i) {
    EXPECT_EQ(half(out, i), element(5 + int(i) / 16, 8 + int(i) % 16)) << i;
  }
}

// The box begins at an odd column, before the first row, and ends behind the last column.
TEST_F(RunTensor, ZerosOutsideOfTheTensor) {
  for (const auto& [column, row] : {std::pair{-3, -2}, std::pair{29, 17}, std::pair{40, 0}}) {
    set_box(16, 8);
    const std::string coordinates = std::to_string(column) + ", " + std::to_string(row);
    const auto out = checked(load_box(coordinates, 256) + kWait + kStoreTile, 64);
    expect_none();
    for (unsigned i = 0; i < 128; ++i) {
      EXPECT_EQ(half(out, i), element(row + int(i) / 16, column + int(i) % 16)) << i;
    }
  }
}

// The chunks of 16 bytes of a row are exchanged: by row % 8 in rows of 128 bytes, by row / 2 % 4 in
// rows of 64, by row / 4 % 2 in rows of 32.
TEST_F(RunTensor, EachSwizzle) {
  for (const unsigned width : {128u, 64u, 32u}) {
    const unsigned columns = width / 2;
    set_box(static_cast<std::uint16_t>(columns), 8, static_cast<std::uint8_t>(width));
    const auto out = checked(load_box("0, 2", 8 * width) + kWait + kStoreTile, 2 * width);
    expect_none();
    for (unsigned row = 0; row < 8; ++row) {
      const unsigned by = width == 128 ? row : width == 64 ? row / 2 : row / 4;
      for (unsigned column = 0; column < columns; ++column) {
        const unsigned chunk = column / 8 ^ by;
        EXPECT_EQ(half(out, row * columns + chunk * 8 + column % 8),
                  element(2 + int(row), int(column)))
            << width << " " << row << " " << column;
      }
    }
  }
}

TEST_F(RunTensor, OneAndThreeDimensions) {
  map_ = {};
  map_.size = {30};
  map_.stride = {2};
  map_.box = {32};
  map_.rank = 1;
  map_.element_bytes = 2;
  auto out = checked(load_box("4", 64, 1) + kWait + kStoreTile, 16);
  expect_none();
  for (unsigned i = 0; i < 32; ++i) EXPECT_EQ(half(out, i), i < 26 ? i + 4 : 0) << i;

  map_.size = {8, 5, 10};  // planes of two rows of the memory, of which five of eight columns count
  map_.stride = {2, 16, 160};
  map_.box = {8, 2, 3};
  map_.rank = 3;
  out = checked(load_box("0, 4, 1", 96, 3) + kWait + kStoreTile, 24);
  expect_none();
  for (unsigned i = 0; i < 48; ++i) {
    const unsigned plane = 1 + i / 16, row = 4 + i / 8 % 2;
    EXPECT_EQ(half(out, i), row < 5 ? plane * 80 + row * 8 + i % 8 : 0) << i;
  }
}

// Word w of the tile is w; the box goes back over the tensor's last two columns and its edge.
TEST_F(RunTensor, AStoreLeavesOutWhatIsOutside) {
  set_box(8, 2);
  checked(
      "mad.lo.u32 %a, %t, 4, %at;\nst.shared.b32 [%a], %t;\nfence.proxy.async.shared::cta;\n"
      "bar.sync 0;\n@%x cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%map, {32, "
      "19}], [%at];\n@%x cp.async.bulk.commit_group;\n@%x cp.async.bulk.wait_group 0;\n",
      8);
  expect_none();
  const auto* const data =
      reinterpret_cast<const std::uint16_t*>(program_->find_symbol("data")->address);
  for (unsigned i = 0; i < kPitch * kTensorRows; ++i) {
    const unsigned row = i / kPitch, column = i % kPitch;
    const bool is_stored = row == 19 && column >= 32 && column < kColumns;
    const unsigned word = (column - 32) / 2;  // elements 2 w and 2 w + 1 are w and 0
    EXPECT_EQ(data[i], is_stored ? (column % 2 == 0 ? word : 0) : i) << i;
  }
}

// The thread arrives before it copies: what it copies is ordered by the bytes, and not by that.
TEST_F(RunTensor, ABulkCopyWithoutAMapAfterItsAnnouncement) {
  set_box(16, 8);
  const auto out = checked(
      "mov.u64 %at64, data;\n@%x mbarrier.arrive.expect_tx.shared.b64 _, [%bar], 256;\n"
      "@%x cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%at], [%at64], 256, "
      "[%bar];\n" +
          kWait + kStoreTile,
      64);
  expect_none();
  for (unsigned i = 0; i < 128; ++i) EXPECT_EQ(half(out, i), i);
}

TEST_F(RunTensor, OneRequestOnEachSide) {
  set_box(16, 8);
  use(load_box("0, 0", 256) + kWait + "prefetch.tensormap [%map];\n");
  const auto counters = launch_counted(1, 32);
  EXPECT_EQ(counters[count::Counter::kGlobalReadRequests], 1u);
  EXPECT_EQ(counters[count::Counter::kGlobalReadBytes], 256u);
  // Rows of 32 bytes begin 80 bytes apart: every second one lies in two sectors.
  EXPECT_EQ(counters[count::Counter::kGlobalReadSectors], 12u);
  EXPECT_EQ(counters[count::Counter::kSharedWriteRequests], 1u);
  EXPECT_EQ(counters[count::Counter::kSharedWriteWavefronts], 2u);
}

TEST_F(RunTensor, OneLoadForTheModelOfTime) {
  set_box(16, 8);
  use(load_box("0, 0", 256) + kWait);
  timing::Watcher timer;
  machine_->set_monitors({&timer});
  timer.set_watching(true);
  launch(1, 32);
  const auto features = timer.take().front().features;
  EXPECT_EQ(features[timing::Feature::kGlobalLoads], 1u);
  EXPECT_EQ(features[timing::Feature::kL2ReadSectors], 12u);
}

// ---- mistakes

std::string store_box_and_wait(const std::string& wait) {
  return "mad.lo.u32 %a, %t, 4, %at;\nst.shared.b32 [%a], %t;\nfence.proxy.async.shared::cta;\n"
         "bar.sync 0;\n@%x cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%map, {0, 0}], "
         "[%at];\n@%x cp.async.bulk.commit_group;\n@%x cp.async.bulk." +
         wait + ";\nbar.sync 0;\nmov.u64 %at64, data;\nld.global.b32 %a, [%at64+80];\n";
}

TEST_F(RunTensor, ABoxIsReadAfterItsStore) {
  set_box(8, 2);
  checked(store_box_and_wait("wait_group 0"), 8);
  expect_none();
  checked(store_box_and_wait("wait_group.read 0"), 8);  // 80: the second row
  expect(Kind::kRace, "may not have written yet");
}

TEST_F(RunTensor, WithoutTheWait) {
  set_box(16, 8);
  checked(load_box("0, 0", 256) + kStoreTile, 64);
  expect(Kind::kRace, "shared memory (tile)");
}

TEST_F(RunTensor, TooManyBytesAnnouncedIsADeadlockOfTheObject) {
  set_box(16, 8);
  checked(load_box("0, 0", 320) + kWait, 32);
  expect(Kind::kDeadlock, "(1 of 1 arrival, and 64 bytes of bulk copies are missing)");
}

TEST_F(RunTensor, TooFewBytesAnnounced) {
  set_box(16, 8);
  checked(
      "@%x mbarrier.expect_tx.relaxed.cta.shared.b64 [%bar], 64;\n" + load_box("0, 0", 64) + kWait,
      32);
  expect(Kind::kDeadlock, "and bulk copies have brought 128 bytes more than expect_tx announced");
}

TEST_F(RunTensor, ADestinationThatIsNotAligned) {
  set_box(16, 8);
  checked("add.u32 %at, %at, 64;\n" + load_box("0, 0", 256) + kWait, 32);
  expect(Kind::kMisaligned, "to byte 64 of shared memory, which must be a multiple of 128");
}

TEST_F(RunTensor, ABoxPastTheTile) {
  set_box(16, 8);
  checked("add.u32 %at, %at, 3968;\n" + load_box("0, 0", 256), 32);
  expect(Kind::kOutOfBounds, "past the end of shared tile");
}

TEST_F(RunTensor, AMapThatNoCallHasMade) {
  set_box(16, 8);
  const auto expect_refusal = [&] {
    checked(load_box("0, 0", 256), 32);
    expect(Kind::kLaunchError, "a tensor map that cuTensorMapEncodeTiled has not made");
    set_box(16, 8);
  };
  map_.mark = 0;
  expect_refusal();
  map_.element_bytes = 255;
  expect_refusal();
  map_.swizzle_bytes = 255;
  expect_refusal();
  map_.box[1] = 65535;
  expect_refusal();
}

TEST_F(RunTensor, AMapOfAnotherRank) {
  set_box(16, 8);
  checked(load_box("0, 0, 0", 256, 3), 32);
  expect(Kind::kLaunchError, "copies in 3 dimensions by a tensor map of 2");
}

TEST_F(RunTensor, AStoreWithoutTheFence) {
  set_box(8, 2);
  checked(
      "mad.lo.u32 %a, %t, 4, %at;\nst.shared.b32 [%a], %t;\nbar.sync 0;\n"
      "@%x cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%map, {0, 0}], [%at];\n",
      8);
  expect(Kind::kRace, "without fence.proxy.async");
}

}  // namespace
