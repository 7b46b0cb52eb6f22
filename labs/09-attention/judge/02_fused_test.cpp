// SPDX-License-Identifier: MIT
// Rung 02: the function of 01, with memory that does not grow with the keys.
#include "fixture.h"

namespace lab_judge {
namespace {

class FusedAttention : public AttentionFixture {
 protected:
  FusedAttention() : AttentionFixture(Kind::kFused) {}
};

TEST_F(FusedAttention, FollowsTheWorkedExample) { follows_the_worked_example(); }
TEST_F(FusedAttention, AttendsWithinOneTile) { attends_within_one_tile(); }
TEST_F(FusedAttention, AttendsAcrossTiles) { attends_across_tiles(); }
TEST_F(FusedAttention, AttendsAnyShape) { attends_any_shape(); }
TEST_F(FusedAttention, KeepsHeadsApart) { keeps_heads_apart(); }
TEST_F(FusedAttention, SubtractsTheLargestScore) { subtracts_the_largest_score(); }
TEST_F(FusedAttention, WritesNothingWithoutQueries) { writes_nothing_without_queries(); }
TEST_F(FusedAttention, WorksOnEveryCall) { works_on_every_call(); }
TEST_F(FusedAttention, DependsOnNoOrderOfExecution) { depends_on_no_order_of_execution(); }

}  // namespace
}  // namespace lab_judge
