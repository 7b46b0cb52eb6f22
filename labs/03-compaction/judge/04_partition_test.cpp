// SPDX-License-Identifier: MIT
// Rung 04: the kept items, then all others.
#include "fixture.h"
#include "reference.h"

namespace lab_judge {
namespace {

class Partition : public CompactionFixture {
 protected:
  Partition() : CompactionFixture({"partition", check_partition}) {}
};

TEST_F(Partition, SplitsStablyWithinOneBlock) { expect_within_one_block(); }
TEST_F(Partition, SplitsStablyAcrossBlocks) { expect_across_blocks(); }
TEST_F(Partition, WorksForEverySelection) { expect_every_selection(); }
TEST_F(Partition, SplitsManyItems) { expect_many_items(); }
TEST_F(Partition, CountsNoItems) { expect_no_items_to_be_counted(); }
TEST_F(Partition, WorksOnEveryCall) { expect_right_on_every_call(); }
TEST_F(Partition, DependsOnNoOrderOfExecution) { expect_no_order_to_matter(); }

}  // namespace
}  // namespace lab_judge
