// SPDX-License-Identifier: MIT
// Timelines that are counted by hand. A clock lists, by stream, the number of the last piece of
// work.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "check/timeline.h"

namespace {

using check::Engine;
using check::StreamClock;
using check::Timeline;
using Path = std::vector<std::size_t>;

// copy in   0011.....
// compute   ..000111.
// copy out  .....0..1
TEST(Timeline, OverlapsTheEnginesOfTwoStreams) {
  Timeline timeline;
  timeline.add(0, {1}, Engine::kCopyIn, 2);
  timeline.add(0, {2}, Engine::kCompute, 3);
  timeline.add(0, {3}, Engine::kCopyOut, 1);
  timeline.add(1, {0, 1}, Engine::kCopyIn, 2);
  timeline.add(1, {0, 2}, Engine::kCompute, 3);
  timeline.add(1, {0, 3}, Engine::kCopyOut, 1);
  EXPECT_EQ(timeline.spans()[3].begin_ms, 2);
  EXPECT_EQ(timeline.spans()[4].begin_ms, 5);
  EXPECT_EQ(timeline.spans()[5].begin_ms, 8);
  EXPECT_EQ(timeline.length_ms(), 9);
  EXPECT_EQ(timeline.busy_ms(Engine::kCompute), 6);
  EXPECT_EQ(timeline.busy_ms(Engine::kCopyOut), 2);
  EXPECT_EQ(timeline.critical_path(), (Path{0, 1, 4, 5}));
}

TEST(Timeline, KeepsTheOrderOfOneStream) {
  Timeline timeline;
  timeline.add(0, {1}, Engine::kCopyIn, 2);
  timeline.add(0, {2}, Engine::kCompute, 3);
  timeline.add(0, {3}, Engine::kCopyIn, 2);
  timeline.add(0, {4}, Engine::kCompute, 3);
  EXPECT_EQ(timeline.length_ms(), 10);
  EXPECT_EQ(timeline.critical_path(), (Path{0, 1, 2, 3}));
}

TEST(Timeline, WaitsForAnotherStreamAsTheClockSays) {
  Timeline timeline;
  timeline.add(0, {1}, Engine::kCopyIn, 4);
  timeline.add(0, {2}, Engine::kCopyOut, 1);
  timeline.add(1, {1, 1}, Engine::kCompute, 1);  // after the copy in, not after the copy out
  EXPECT_EQ(timeline.spans()[2].begin_ms, 4);
  EXPECT_EQ(timeline.time_of({1}), 4);
  EXPECT_EQ(timeline.time_of({2}), 5);
  EXPECT_EQ(timeline.time_of({0, 1}), 5);
  EXPECT_EQ(timeline.time_of({}), 0);
}

TEST(Timeline, BeginsWhenTheHostHasIssuedIt) {
  Timeline timeline;
  timeline.host_works(1);
  timeline.add(0, {1}, Engine::kCompute, 0.25);
  timeline.host_works(1);
  timeline.add(0, {2}, Engine::kCompute, 0.25);
  EXPECT_EQ(timeline.spans()[1].begin_ms, 2);
  EXPECT_EQ(timeline.length_ms(), 2.25);
  EXPECT_EQ(timeline.critical_path(), Path{1});
  timeline.host_works(3);
  EXPECT_EQ(timeline.length_ms(), 5);  // the host is done last
}

TEST(Timeline, LetsTheHostWait) {
  Timeline timeline;
  timeline.add(0, {1}, Engine::kCopyIn, 2);
  timeline.add(1, {0, 1}, Engine::kCompute, 5);
  timeline.host_waits({1});
  timeline.host_works(1);
  timeline.add(0, {2}, Engine::kCopyOut, 1);
  EXPECT_EQ(timeline.spans()[2].begin_ms, 3);
  EXPECT_EQ(timeline.spans()[2].after, 0U);
  timeline.host_waits_for_all();
  timeline.add(0, {3}, Engine::kCopyOut, 1);
  EXPECT_EQ(timeline.spans()[3].begin_ms, 5);
  EXPECT_EQ(timeline.critical_path(), (Path{1, 3}));
}

TEST(Timeline, DrawsALinePerEngine) {
  Timeline timeline;
  EXPECT_EQ(timeline.text(), "");
  timeline.add(4, {0, 0, 0, 0, 1}, Engine::kCopyIn, 0.018);  // 18 of 72 columns
  timeline.add(4, {0, 0, 0, 0, 2}, Engine::kCompute, 0.054);
  timeline.add(2, {0, 0, 1}, Engine::kCopyIn, 0.036);
  EXPECT_EQ(timeline.text(), "copy in   " + std::string(18, 'A') + std::string(36, 'b') +
                                 std::string(18, '.') + "  54.0 us\n" + "compute   " +
                                 std::string(18, '.') + std::string(54, 'A') + "  54.0 us\n" +
                                 "copy out  " + std::string(72, '.') + "  0.0 us\n" +
                                 "72.0 us in all, 2 pieces of work on the critical path\n");
  timeline.clear();
  EXPECT_EQ(timeline.text(), "");
}

}  // namespace
