// SPDX-License-Identifier: MIT
// Rung 05: the host's work around a kernel.

#include "fixture_tables.h"

namespace lab_judge {
namespace {

class HostFlow : public TableFixture {};

TEST_F(HostFlow, MakesTables) {
  expect_tables({{1, 1}, {16, 16}, {3, 40}, {100, 7}, {129, 257}, {1, 1000}, {1000, 1}});
}

TEST_F(HostFlow, MakesTablesOfManyItems) {
  const int side = judge::kOnGpu ? 2500 : 500;  // a message has room for 40 MiB
  expect_tables({{side + static_cast<int>(next_seed() % 97), side}});
}

// Also checks that an empty table is not an error.
TEST_F(HostFlow, WorksOnEveryCall) {
  expect_on_every_call({{20, 30}, {0, 30}, {30, 20}, {20, 0}, {0, 0}, {20, 30}});
}

}  // namespace
}  // namespace lab_judge
