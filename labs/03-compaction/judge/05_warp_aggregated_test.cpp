// SPDX-License-Identifier: MIT
// Rung 05: the kept items in any order.
#include "fixture.h"
#include "reference.h"

namespace lab_judge {
namespace {

class Unordered : public CompactionFixture {
 protected:
  Unordered() : CompactionFixture({"compact_unordered", check_unordered}) {}
};

TEST_F(Unordered, KeepsItemsWithinOneBlock) { expect_within_one_block(); }
TEST_F(Unordered, KeepsItemsAcrossBlocks) { expect_across_blocks(); }
TEST_F(Unordered, WorksForEverySelection) { expect_every_selection(); }
TEST_F(Unordered, CompactsManyItems) { expect_many_items(); }
TEST_F(Unordered, CountsNoItems) { expect_no_items_to_be_counted(); }
TEST_F(Unordered, WorksOnEveryCall) { expect_right_on_every_call(); }
TEST_F(Unordered, DependsOnNoOrderOfExecution) { expect_no_order_to_matter(); }

}  // namespace
}  // namespace lab_judge
