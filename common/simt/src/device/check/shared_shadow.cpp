// SPDX-License-Identifier: MIT
#include "check/shared_shadow.h"

#include "program/shared_variables.h"

namespace simt::device {

void add_written_variables(const SharedRegion& static_region,
                           std::set<const SharedVariable*>& variables) {
  for (const SharedVariable& variable : shared_variables()) {
    const std::uintptr_t begin = static_region.low + variable.offset;
    if (!variable.is_guard && !static_region.written.none(begin, variable.size_bytes)) {
      variables.insert(&variable);
    }
  }
}

void SharedShadow::reset(SharedRegion& region, std::span<std::byte> memory,
                         std::vector<std::uint8_t>& flags) {
  constexpr std::uintptr_t kUnit = 8;  // flags start at a multiple of it
  const auto low = reinterpret_cast<std::uintptr_t>(memory.data());
  flags.assign(ByteFlags::storage_bytes(memory.size() + kUnit), 0);
  constexpr std::size_t kWordBytes = 4;
  region.history.resize(memory.size() / kWordBytes + 2);
  region.low = low;
  region.size_bytes = memory.size();
  region.written = {low / kUnit * kUnit, flags.data()};
}

void SharedShadow::reset(std::span<std::byte> static_memory, std::span<std::byte> dynamic_memory) {
  reset(static_region, static_memory, static_flags_);
  for (const SharedVariable& variable : shared_variables()) {
    // Compilers read a guard before each use of its variable. No code writes it: shared variables'
    // constructors do not run.
    if (variable.is_guard && variable.end() <= static_memory.size()) {
      static_region.written.set(static_region.low + variable.offset, variable.size_bytes);
    }
  }
  reset(dynamic_region, dynamic_memory, dynamic_flags_);
}

}  // namespace simt::device
