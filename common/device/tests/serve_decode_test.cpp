// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "serve/box.h"
#include "serve/decode.h"
#include "serve/ring.h"

namespace serve {
namespace {

template <class Command>
std::vector<std::byte> bytes_of(const Command& command, const std::string& tail = "") {
  std::vector<std::byte> bytes(kCommandBytes);
  const auto* const begin = reinterpret_cast<const std::byte*>(tail.data());
  bytes.resize(encode(command, {begin, tail.size()}, bytes));
  return bytes;
}

TEST(Decode, GivesBackWhatWasEncoded) {
  Launch command;
  command.grid = {3, 2, 1};
  command.kernel = 7;
  command.parameter_bytes = 5;
  const auto bytes = bytes_of(command, "12345");
  const auto decoded = decode(bytes);
  ASSERT_TRUE(decoded);
  EXPECT_EQ(std::get<Launch>(decoded->command).kernel, 7U);
  EXPECT_EQ(std::get<Launch>(decoded->command).grid.y, 2U);
  EXPECT_EQ(decoded->text(), "12345");
}

TEST(Decode, RefusesWrongLengths) {
  const auto whole = bytes_of(Allocate{});
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(decode(std::span(whole).first(size))) << size;
  }
  auto longer = whole;
  longer.push_back(std::byte{0});
  EXPECT_FALSE(decode(longer));
}

TEST(Decode, RefusesATailOfAnotherLengthThanStated) {
  FindKernel command;
  command.name_bytes = 4;
  EXPECT_TRUE(decode(bytes_of(command, "name")));
  EXPECT_FALSE(decode(bytes_of(command, "names")));
  command.name_bytes = UINT32_MAX;
  EXPECT_FALSE(decode(bytes_of(command, "name")));
  Report report;
  report.kernel_bytes = UINT32_MAX;
  report.message_bytes = 5;  // together 4, in 32 bits
  EXPECT_FALSE(decode(bytes_of(report, "name")));
}

TEST(Decode, RefusesUnknownKinds) {
  for (const std::uint32_t kind : {0U, static_cast<std::uint32_t>(Kind::kLast) + 1, UINT32_MAX}) {
    std::array<std::byte, 8> bytes = {};
    std::memcpy(bytes.data(), &kind, sizeof kind);
    EXPECT_FALSE(decode(bytes)) << kind;
  }
}

TEST(Decode, RefusesValuesOutOfRange) {
  Allocate allocate;
  allocate.memory = static_cast<Memory>(9);
  EXPECT_FALSE(decode(bytes_of(allocate)));
  Fill fill;
  fill.element_bytes = 3;
  EXPECT_FALSE(decode(bytes_of(fill)));
  LoadModule load;
  load.piece_bytes = kDataBytes + 1;
  EXPECT_FALSE(decode(bytes_of(load)));
  Copy copy;
  copy.waits = 8;
  EXPECT_FALSE(decode(bytes_of(copy)));
}

TEST(Decode, EndsTexts) {
  Touch touch;
  std::memset(touch.at.file, 'x', sizeof touch.at.file);
  const auto decoded = decode(bytes_of(touch));
  ASSERT_TRUE(decoded);
  EXPECT_EQ(std::strlen(std::get<Touch>(decoded->command).at.file), sizeof touch.at.file - 1);
}

TEST(Decode, SurvivesAnyBytes) {
  std::mt19937 random(1);
  std::vector<std::byte> bytes;
  for (int i = 0; i < 20'000; ++i) {
    bytes.resize(random() % 400);
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
    const std::uint32_t kind = random() % 40;
    if (bytes.size() >= sizeof kind) std::memcpy(bytes.data(), &kind, sizeof kind);
    const auto decoded = decode(bytes);
    EXPECT_LE(decoded ? decoded->tail.size() : 0, bytes.size());
  }
}

TEST(Boxes, HaveTheBytesOfTheirRows) {
  const Extent extent = {3, 4, 5};
  EXPECT_EQ(dense_bytes(extent), 60U);
  EXPECT_EQ(reach({0, 10, 8}, extent), (4 * 8 + 3) * 10 + 3U);
}

TEST(Boxes, RefuseWhatNoMemoryHolds) {
  EXPECT_FALSE(dense_bytes({UINT64_MAX, 2, 1}));
  EXPECT_FALSE(dense_bytes({1, UINT64_MAX, UINT64_MAX}));
  EXPECT_FALSE(dense_bytes({std::uint64_t{1} << 32, 1 << 20, 1 << 20}));
  EXPECT_FALSE(reach({0, UINT64_MAX, UINT64_MAX}, {1, 2, 2}));
  EXPECT_FALSE(reach({0, std::uint64_t{1} << 39, 1}, {1, 4, 1}));
}

TEST(Boxes, GiveAnyPieceOfTheirBytes) {
  const Extent extent = {7, 3, 2};
  const Box box = {1000, 16, 5};
  std::vector<std::uint64_t> all;
  for_rows(box, extent, 0, 42, [&](std::uint64_t address, std::uint64_t, std::uint64_t size) {
    for (std::uint64_t i = 0; i < size; ++i) all.push_back(address + i);
  });
  ASSERT_EQ(all.size(), 42U);
  EXPECT_EQ(all[41], 1000 + (5 + 2) * 16 + 6U);
  for (std::uint64_t begin = 0; begin <= 42; ++begin) {
    for (std::uint64_t end = begin; end <= 42; ++end) {
      std::uint64_t next = begin;
      for_rows(box, extent, begin, end,
               [&](std::uint64_t address, std::uint64_t dense, std::uint64_t size) {
                 EXPECT_EQ(dense, next);
                 EXPECT_EQ(address, all[dense]);
                 next += size;
               });
      EXPECT_EQ(next, end);
    }
  }
}

}  // namespace
}  // namespace serve
