// SPDX-License-Identifier: MIT
// Drops rights of the worker before any code of the rung runs.
#pragma once

namespace worker {

// From here on this process cannot start another program or make new memory executable. The sandbox
// must allow both until the worker is loaded. Does nothing outside a sandbox.
void give_up_loading();

}  // namespace worker
