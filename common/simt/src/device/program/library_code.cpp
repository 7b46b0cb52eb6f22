// SPDX-License-Identifier: MIT
#include "program/library_code.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <unordered_map>

#include "program/source_line.h"
#include "simt/call_stack.h"

namespace simt::device {
namespace {

bool is_called_by_thrust(const void* pc) {
  if (lies_in_folder(pc, "/cccl/thrust/")) return true;
  const auto callers = capture_call_stack().return_addresses;
  return std::any_of(callers.begin(), callers.end(), [](const void* caller) {
    return caller != nullptr && lies_in_folder(caller, "/cccl/thrust/");
  });
}

}  // namespace

bool runs_for_thrust(const void* pc) {
  // Thrust's loops make many accesses at few places.
  struct Known {
    const void* pc = nullptr;
    bool answer = false;
  };
  static std::array<Known, 256> recent;
  static auto& all = *new std::unordered_map<const void*, bool>;  // outlives all users
  Known& slot = recent[reinterpret_cast<std::uintptr_t>(pc) % recent.size()];
  if (slot.pc == pc) return slot.answer;
  const auto [entry, is_new] = all.try_emplace(pc, false);
  if (is_new) entry->second = is_called_by_thrust(pc);
  slot = {pc, entry->second};
  return slot.answer;
}

}  // namespace simt::device
