// SPDX-License-Identifier: MIT
// The program's __shared__ variables, from its table of symbols.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace simt::device {

struct SharedVariable {
  std::string name;        // as declared: "tile"
  std::size_t offset = 0;  // into the static shared memory
  std::size_t size_bytes = 0;
};

// By offset. Read at the first call; empty if the program was stripped of its symbols.
const std::vector<SharedVariable>& shared_variables();

// The variable that holds the byte at `offset`, or null.
const SharedVariable* find_shared_variable(std::size_t offset);

}  // namespace simt::device
