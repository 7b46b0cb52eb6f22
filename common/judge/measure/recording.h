// SPDX-License-Identifier: MIT
// Records one launch of a workload's call, for a page that replays it.
#pragma once

#include <string>

#include "measure/workload.h"

namespace judge {

// Call after Submission::record().
Recorded record(const Workload& workload);

// One line. has_size: the caller chose the size of the call.
std::string to_json(const Recorded& recorded, bool has_size);

}  // namespace judge
