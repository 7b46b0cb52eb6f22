// SPDX-License-Identifier: MIT
#include "code/shared_layout.h"

#include <algorithm>
#include <map>

namespace code {
namespace {

// A multiple of what 32 banks hold: no access changes its bank.
constexpr std::uint32_t kGapBytes = 512;
constexpr std::uint32_t kDynamicAlignment = 128;

std::uint32_t align_up(std::uint32_t offset, std::uint32_t alignment) {
  return (offset + alignment - 1) / alignment * alignment;
}

std::set<std::uint32_t> all_shared(const std::vector<SharedUse>& uses, const Function* kernel) {
  std::map<const Function*, const SharedUse*> by_function;
  for (const SharedUse& use : uses) by_function[use.function] = &use;
  std::set<std::uint32_t> found;
  std::set<const Function*> seen{kernel};
  std::vector<const Function*> rest{kernel};
  while (!rest.empty()) {
    const SharedUse& use = *by_function.at(rest.back());
    rest.pop_back();
    found.insert(use.shared.begin(), use.shared.end());
    for (const Function* const callee : use.calls) {
      if (seen.insert(callee).second) rest.push_back(callee);
    }
  }
  return found;
}

void lay_out(const Program& program, Function& kernel, const std::set<std::uint32_t>& shared) {
  std::uint32_t packed = 0;  // as the hardware has it
  std::uint32_t gaps = 0;
  std::uint32_t dynamic_alignment = kDynamicAlignment;
  for (const std::uint32_t index : shared) {
    const Symbol& symbol = program.symbols[index];
    const std::uint32_t alignment = std::max(1U, symbol.align_bytes);
    if (symbol.is_dynamic_shared) {
      dynamic_alignment = std::max(dynamic_alignment, alignment);
      continue;
    }
    packed = align_up(packed, alignment);
    const auto size_bytes = static_cast<std::uint32_t>(symbol.size_bytes);
    kernel.shared.push_back(
        {index, symbol.readable, align_up(packed + gaps, alignment), size_bytes});
    packed += size_bytes;
    gaps += kGapBytes;
  }
  kernel.shared_bytes = packed;
  const std::uint32_t end = kernel.shared.empty() ? 0
                                                  : kernel.shared.back().offset +
                                                        kernel.shared.back().size_bytes + kGapBytes;
  kernel.dynamic_shared_offset = align_up(end, dynamic_alignment);
}

}  // namespace

void lay_out_shared(Program& program, const std::vector<SharedUse>& uses) {
  for (const auto& function : program.functions) {
    if (function->is_kernel) lay_out(program, *function, all_shared(uses, function.get()));
  }
}

}  // namespace code
