// SPDX-License-Identifier: MIT
// Rung 05: attention for bfloat16.
#include "fixture.h"

namespace lab_judge {
namespace {

class AttentionBf16 : public AttentionFixture {
 protected:
  AttentionBf16() : AttentionFixture(Kind::kBf16) {}
};

TEST_F(AttentionBf16, FollowsTheWorkedExample) { follows_the_worked_example(); }
TEST_F(AttentionBf16, AttendsWithinOneTile) { attends_within_one_tile(); }
TEST_F(AttentionBf16, AttendsAcrossTiles) { attends_across_tiles(); }
TEST_F(AttentionBf16, AttendsAnyShape) { attends_any_shape(); }
TEST_F(AttentionBf16, KeepsHeadsApart) { keeps_heads_apart(); }
TEST_F(AttentionBf16, SubtractsTheLargestScore) { subtracts_the_largest_score(); }
TEST_F(AttentionBf16, WritesNothingWithoutQueries) { writes_nothing_without_queries(); }
TEST_F(AttentionBf16, WorksOnEveryCall) { works_on_every_call(); }
TEST_F(AttentionBf16, DependsOnNoOrderOfExecution) { depends_on_no_order_of_execution(); }

}  // namespace
}  // namespace lab_judge
