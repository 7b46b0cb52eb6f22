// SPDX-License-Identifier: MIT
// What the worker gives up before any code of the rung runs.
#pragma once

namespace worker {

// From here on this process can start no other program, and run no memory that was not code when it
// began: the sandbox must allow both until the worker is loaded. Does nothing outside a sandbox.
void give_up_loading();

}  // namespace worker
