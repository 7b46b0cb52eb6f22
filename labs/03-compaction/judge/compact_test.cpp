// SPDX-License-Identifier: MIT
// Rungs 01 to 03: the kept items in order.
#include "fixture.h"
#include "reference.h"

namespace lab_judge {
namespace {

class Compact : public CompactionFixture {
 protected:
  Compact() : CompactionFixture({"compact", check_compact}) {}
};

TEST_F(Compact, KeepsOrderWithinOneBlock) { expect_within_one_block(); }
TEST_F(Compact, KeepsOrderAcrossBlocks) { expect_across_blocks(); }
TEST_F(Compact, WorksForEverySelection) { expect_every_selection(); }
TEST_F(Compact, CompactsManyItems) { expect_many_items(); }
TEST_F(Compact, CountsNoItems) { expect_no_items_to_be_counted(); }
TEST_F(Compact, WorksOnEveryCall) { expect_right_on_every_call(); }
TEST_F(Compact, DependsOnNoOrderOfExecution) { expect_no_order_to_matter(); }

}  // namespace
}  // namespace lab_judge
