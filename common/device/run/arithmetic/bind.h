// SPDX-License-Identifier: MIT
// Gives an Op the handler of an instruction that computes registers from registers.
#pragma once

#include "code/program.h"

namespace run::arithmetic {

// Sets op's handler, rows, immediate and details, and returns true; false: the opcode is not
// arithmetic. Throws std::runtime_error for an arithmetic opcode in a combination that does not
// exist, with a sentence that quotes it. May add constants and rows to the function's frame.
bool bind_arithmetic(code::Op& op, const code::Instruction& instruction, code::Function& function);

}  // namespace run::arithmetic
