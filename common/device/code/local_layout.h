// SPDX-License-Identifier: MIT
// Room of no variable around those local ones whose address a function takes.
#pragma once

#include "code/program.h"

namespace code {

// Moves the variables in the depot of a function that was compiled as written, and the constants of
// the instructions that name their places. Fills locals and depot_pieces of `function`, as offsets
// from the beginning of the depot. Does nothing where the text does not say where variables are.
void lay_out_locals(ptx::Function& source, Function& function);

}  // namespace code
