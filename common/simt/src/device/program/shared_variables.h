// SPDX-License-Identifier: MIT
// The program's __shared__ variables by name: its thread-local variables without initial values, as
// its symbol table has them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace simt::device {

struct SharedVariable {
  std::size_t offset;  // in the block's static shared memory
  std::size_t size_bytes;
  std::string name;  // as declared, without its scope

  // A flag of the compiler's own: whether the variable's constructor has run.
  bool is_guard;

  std::size_t end() const { return offset + size_bytes; }
};

// By offset. Empty if the program has no symbol table.
const std::vector<SharedVariable>& shared_variables();

// The variable that `offset` lies in, or the last one before it; null if there is none.
const SharedVariable* find_shared_variable(std::size_t offset);

}  // namespace simt::device
