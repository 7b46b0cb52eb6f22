// SPDX-License-Identifier: MIT
// Rung 01.
#include "fixture.h"

namespace lab_judge {
namespace {

class Attention : public AttentionFixture {
 protected:
  Attention() : AttentionFixture(Kind::kThreeKernels) {}
};

TEST_F(Attention, FollowsTheWorkedExample) { follows_the_worked_example(); }
TEST_F(Attention, AttendsWithinOneTile) { attends_within_one_tile(); }
TEST_F(Attention, AttendsAcrossTiles) { attends_across_tiles(); }
TEST_F(Attention, AttendsAnyShape) { attends_any_shape(); }
TEST_F(Attention, KeepsHeadsApart) { keeps_heads_apart(); }
TEST_F(Attention, SubtractsTheLargestScore) { subtracts_the_largest_score(); }
TEST_F(Attention, WritesNothingWithoutQueries) { writes_nothing_without_queries(); }
TEST_F(Attention, WorksOnEveryCall) { works_on_every_call(); }
TEST_F(Attention, DependsOnNoOrderOfExecution) { depends_on_no_order_of_execution(); }

}  // namespace
}  // namespace lab_judge
