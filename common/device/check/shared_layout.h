// SPDX-License-Identifier: MIT
// What lies where in a block's shared memory.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "report/memory_text.h"
#include "run/warp.h"

namespace check {

struct SharedLayout {
  std::vector<report::SharedRoom> variables;  // static ones, by offset

  // The variable that `offset` lies in, or the last one before it; null if there is none.
  const report::SharedRoom* find(std::uint64_t offset) const;
};

// "tile" of "_ZZ6kernelPfE4tile".
std::string declared_name(const std::string& symbol);

class SharedLayouts {
 public:
  // Of a kernel and all that it may call.
  const SharedLayout& of(const code::Program& program, const code::Function& kernel);

 private:
  std::unordered_map<const code::Function*, std::unique_ptr<SharedLayout>> by_kernel_;
};

}  // namespace check
