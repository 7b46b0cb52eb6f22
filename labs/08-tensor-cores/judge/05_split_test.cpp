// SPDX-License-Identifier: MIT
// Rung 05: the product of float matrices, from parts in bfloat16.
#include "fixture.h"

namespace lab_judge {
namespace {

class MatmulSplit : public ProductFixture {
 protected:
  MatmulSplit() : ProductFixture(Format::kSplit) {}
};

TEST_F(MatmulSplit, MultipliesWholeTiles) { multiplies_whole_tiles(); }
TEST_F(MatmulSplit, MultipliesPartialTiles) { multiplies_partial_tiles(); }
TEST_F(MatmulSplit, MultipliesAnyShape) { multiplies_any_shape(); }
TEST_F(MatmulSplit, GivesZeroForDepthZero) { gives_zero_for_depth_zero(); }
TEST_F(MatmulSplit, WritesNothingWithoutRowsOrColumns) { writes_nothing_without_rows_or_columns(); }
TEST_F(MatmulSplit, StaysWithinTheErrorBound) { stays_within_the_error_bound(); }
TEST_F(MatmulSplit, WorksOnEveryCall) { works_on_every_call(); }
TEST_F(MatmulSplit, DependsOnNoOrderOfExecution) { depends_on_no_order_of_execution(); }

}  // namespace
}  // namespace lab_judge
