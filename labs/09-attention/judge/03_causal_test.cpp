// SPDX-License-Identifier: MIT
// Rung 03: no query has the keys after its own.
#include "fixture.h"

namespace lab_judge {
namespace {

class CausalAttention : public AttentionFixture {
 protected:
  CausalAttention() : AttentionFixture(Kind::kCausal) {}
};

TEST_F(CausalAttention, FollowsTheWorkedExample) { follows_the_worked_example(); }
TEST_F(CausalAttention, AttendsWithinOneTile) { attends_within_one_tile(); }
TEST_F(CausalAttention, AttendsAcrossTiles) { attends_across_tiles(); }
TEST_F(CausalAttention, AttendsAnyShape) { attends_any_shape(); }
TEST_F(CausalAttention, KeepsHeadsApart) { keeps_heads_apart(); }
TEST_F(CausalAttention, SubtractsTheLargestScore) { subtracts_the_largest_score(); }
TEST_F(CausalAttention, WritesNothingWithoutQueries) { writes_nothing_without_queries(); }
TEST_F(CausalAttention, WorksOnEveryCall) { works_on_every_call(); }
TEST_F(CausalAttention, DependsOnNoOrderOfExecution) { depends_on_no_order_of_execution(); }

}  // namespace
}  // namespace lab_judge
