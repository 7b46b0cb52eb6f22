// SPDX-License-Identifier: MIT
#pragma once

#include "measure/workload.h"

namespace judge {

// Runs the session's submission once over fresh data, counts what it does if `counts`, and checks
// the outputs: a wrong one is the outcome's failure, too. schedule_seed: cpu, as in wire::Batch.
// The shapes of launches are noted in the natural order, if the command line asks for them.
Outcome call_once(const Workload& workload, std::uint64_t schedule_seed = 0, bool counts = true);

}  // namespace judge
