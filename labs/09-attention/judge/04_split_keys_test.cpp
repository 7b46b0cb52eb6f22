// SPDX-License-Identifier: MIT
// Rung 04: few queries, so the keys are divided among blocks.
#include "fixture.h"
#include "fixture/options.h"

namespace lab_judge {
namespace {

class SplitAttention : public AttentionFixture {
 protected:
  SplitAttention() : AttentionFixture(Kind::kSplitKeys) {}
};

TEST_F(SplitAttention, FollowsTheWorkedExample) { follows_the_worked_example(); }
TEST_F(SplitAttention, AttendsWithinOneTile) { attends_within_one_tile(); }
TEST_F(SplitAttention, AttendsAcrossTiles) { attends_across_tiles(); }
TEST_F(SplitAttention, AttendsAnyShape) { attends_any_shape(); }
TEST_F(SplitAttention, KeepsHeadsApart) { keeps_heads_apart(); }
TEST_F(SplitAttention, SubtractsTheLargestScore) { subtracts_the_largest_score(); }
TEST_F(SplitAttention, WritesNothingWithoutQueries) { writes_nothing_without_queries(); }
TEST_F(SplitAttention, WorksOnEveryCall) { works_on_every_call(); }
TEST_F(SplitAttention, DependsOnNoOrderOfExecution) { depends_on_no_order_of_execution(); }

TEST_F(SplitAttention, AttendsToManyKeys) {
  expect_for_shapes(
      {{1, 1, 1000}, {1, 4, 2049}, {2, 3, 1500}, {1, 5, judge::kOnGpu ? 100000 : 3000}});
}

}  // namespace
}  // namespace lab_judge
