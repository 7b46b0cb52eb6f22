// SPDX-License-Identifier: MIT
#include "protocol/arena.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace {

using judge::Arena;
using judge::Buffer;

TEST(Arena, FreshBuffersArePoisonedAndAligned) {
  Arena arena(1 << 20);
  const Buffer<float> first(arena, "first", 3);
  const Buffer<float> second(arena, "second", 5);
  EXPECT_EQ(second.offset() % 256, 0U);
  for (const float value : second.download()) EXPECT_TRUE(judge::is_poison(value));
}

TEST(Arena, BuffersAreAsFarApartAsWanted) {
  Arena arena(1 << 20);
  arena.reset(1000);
  const Buffer<float> first(arena, "first", 3);
  const Buffer<float> second(arena, "second", 5);
  EXPECT_GE(second.offset() - first.offset(), 1000U);
  EXPECT_EQ(second.offset() % 256, 0U);
  EXPECT_FALSE(arena.find_trespass());
  arena.reset();
  EXPECT_EQ(Buffer<float>(arena, "first", 3).offset(), first.offset());
  EXPECT_LT(Buffer<float>(arena, "second", 5).offset(), second.offset());
}

TEST(Arena, UploadedValuesComeBack) {
  Arena arena(1 << 20);
  Buffer<int> buffer(arena, "buffer", 3);
  buffer.upload(std::vector<int>{1, 2, 3});
  EXPECT_EQ(buffer.download(), (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(arena.regions()[0].initialized, 1U);
}

// The worker has the same descriptor.
TEST(Arena, NobodyCanResizeIt) {
  Arena arena(1 << 20);
  EXPECT_NE(ftruncate(arena.memory().fd(), 0), 0);
  EXPECT_NE(ftruncate(arena.memory().fd(), 1 << 21), 0);
}

TEST(Arena, WriteBehindABufferIsFoundAndNamed) {
  Arena arena(1 << 20);
  const Buffer<float> buffer(arena, "d_out", 3);
  EXPECT_FALSE(arena.find_trespass());
  arena.memory().fill(buffer.offset() + 12, 0, 4);
  ASSERT_TRUE(arena.find_trespass());
  EXPECT_EQ(*arena.find_trespass(), "wrote right past the end of d_out (12 bytes)");
}

// A float may contain bytes equal to the poison, so the first changed byte need not be its first.
TEST(Arena, AnItemWithPoisonInItsFirstBytesIsFoundAtItsBegin) {
  Arena arena(1 << 20);
  const Buffer<float> buffer(arena, "d_out", 3);
  arena.memory().fill(buffer.offset() + 14, 0, 2);
  EXPECT_EQ(*arena.find_trespass(), "wrote right past the end of d_out (12 bytes)");
  arena.memory().fill(buffer.offset() + 14, judge::kPoisonByte, 2);
  arena.memory().fill(buffer.offset() + 22, 0, 2);
  EXPECT_EQ(*arena.find_trespass(), "wrote 8 bytes past the end of d_out (12 bytes)");
}

TEST(Arena, WriteBeforeABufferIsFound) {
  Arena arena(1 << 20);
  const Buffer<float> buffer(arena, "d_out", 64);
  arena.memory().fill(buffer.offset() - 4, 0, 2);  // the rest of the item is like the poison
  ASSERT_TRUE(arena.find_trespass());
  EXPECT_NE(arena.find_trespass()->find("4 bytes before the start of d_out"), std::string::npos);
}

TEST(Arena, MoreThanThereIsThrows) {
  Arena arena(1 << 16);
  EXPECT_THROW(Buffer<char>(arena, "large", 1 << 16), std::runtime_error);
}

TEST(Arena, ResetForgetsTheBuffersAndPoisonsAgain) {
  Arena arena(1 << 16);
  Buffer<int> old(arena, "old", 4);
  old.upload(std::vector<int>{1, 2, 3, 4});
  arena.reset();
  const Buffer<int> fresh(arena, "fresh", 4);
  EXPECT_EQ(arena.regions().size(), 1U);
  for (const int value : fresh.download()) EXPECT_TRUE(judge::is_poison(value));
}

}  // namespace
