// SPDX-License-Identifier: MIT
// What the checkers do when a launch, or one of its blocks, begins or ends.
#pragma once

#include <set>

#include "check/block_checks.h"
#include "program/shared_variables.h"
#include "run/block.h"
#include "run/launch.h"

namespace simt::device {

void begin_checks(const Launch& launch);
void end_checks();

Slot<BlockChecks> make_checks(const Block& block);
void begin_block_checks(BlockChecks& checks);
void end_block_checks(const BlockChecks& checks);

// __shared__ variables that the launch's first blocks have written.
const std::set<const SharedVariable*>& written_shared_variables();

}  // namespace simt::device
