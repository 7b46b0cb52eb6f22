// SPDX-License-Identifier: MIT
#include "code/guarded_updates.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

namespace code {
namespace {

using Address = std::tuple<std::string_view, std::uint32_t, std::int64_t>;

const Operand* address_of(const Instruction& instruction) {
  const auto found = std::ranges::find_if(instruction.operands, &Operand::is_address);
  return found == instruction.operands.end() ? nullptr : &*found;
}

bool is_plain_load(const Instruction& instruction) {
  constexpr std::array<std::string_view, 8> kOthers = {"volatile", "relaxed", "acquire", "mmio",
                                                       "param",    "local",   "const",   "nc"};
  return instruction.has("ld") && std::ranges::none_of(kOthers, [&](std::string_view word) {
           return instruction.has(word);
         });
}

}  // namespace

void find_guarded_updates(Function& function) {
  std::map<std::string_view, int> num_definitions;
  std::map<Address, std::vector<Instruction*>> loads;
  std::vector<const Instruction*> updates;
  bool has_swap = false;
  for (Instruction& instruction : function.instructions) {
    if (instruction.has_destination && !instruction.operands.empty()) {
      ++num_definitions[instruction.operands.front().symbol];
    }
    const Operand* const address = address_of(instruction);
    if (address == nullptr) continue;
    if (is_plain_load(instruction)) {
      loads[{address->symbol, address->slot.offset, address->offset}].push_back(&instruction);
    } else if (instruction.has("atom") || instruction.has("red")) {
      updates.push_back(&instruction);
      has_swap = has_swap || instruction.has("cas");
    }
  }
  for (const auto& [address, at] : loads) {
    for (Instruction* const load : at) load->may_be_verified = has_swap;
  }
  if (loads.empty()) return;
  for (const Instruction* const update : updates) {
    const Operand& address = *address_of(*update);
    const auto found = loads.find({address.symbol, address.slot.offset, address.offset});
    // A register that has one address in all places.
    if (found == loads.end() || num_definitions[address.symbol] > 1) continue;
    // A compare-and-swap makes sure of what was read before.
    if (update->has("cas")) {
      for (Instruction* const load : found->second) load->guarded_update = 0;
      loads.erase(found);
      continue;
    }
    for (Instruction* const load : found->second) {
      if (load->id >= update->id || load->block == update->block) continue;
      load->guarded_update = update->id;
      load->may_be_verified = true;
    }
  }
}

}  // namespace code
