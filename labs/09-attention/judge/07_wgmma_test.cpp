// SPDX-License-Identifier: MIT
// Rung 07, in addition to the suite of all rungs: so many keys that its stages are filled again.
#include "fixture.h"

namespace lab_judge {
namespace {

class WgmmaAttention : public AttentionFixture {};

TEST_F(WgmmaAttention, FillsItsStagesAgain) {
  expect_for_shapes({{1, 1, 385}, {1, 65, 640}, {2, 130, 1000}});
}

TEST_F(WgmmaAttention, FillsItsStagesInAnyOrder) {
  expect_in_any_order(4, [&](int) {
    return attempt(Shape{1, 100, 400 + static_cast<int>(next_seed() % 400)});
  });
}

}  // namespace
}  // namespace lab_judge
