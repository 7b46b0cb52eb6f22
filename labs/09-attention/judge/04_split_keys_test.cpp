// SPDX-License-Identifier: MIT
// Rung 04, in addition to the suite of all rungs: so many keys that blocks divide them.
#include "fixture.h"
#include "fixture/options.h"

namespace lab_judge {
namespace {

class SplitAttention : public AttentionFixture {};

TEST_F(SplitAttention, AttendsToManyKeys) {
  expect_for_shapes(
      {{1, 1, 1000}, {1, 4, 2049}, {2, 3, 1500}, {1, 5, judge::kOnGpu ? 100000 : 3000}});
}

}  // namespace
}  // namespace lab_judge
