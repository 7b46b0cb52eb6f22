// SPDX-License-Identifier: MIT
// Any bytes through the parser of PTX, for libFuzzer; .ci/fuzz builds and runs it.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <unordered_set>

#include "ptx/module.h"

namespace {

using namespace ptx;

void require(bool holds) {
  if (!holds) std::abort();
}

// Reads what a view points to, so that AddressSanitizer sees one that points to nothing.
void read(std::string_view name) {
  volatile char last = 0;
  for (const char c : name) last = c;
  (void)last;
}

void check(const Operand& operand) {
  read(operand.name);
  read(operand.second);
  for (const Operand& element : operand.elements) check(element);
}

void check(const Variable& variable) {
  read(variable.name);
  require(variable.initial.size() <= variable.size_bytes);
  for (const Variable::Address& address : variable.addresses) {
    read(address.symbol);
    require(address.offset + size_of(variable.type) <= variable.initial.size());
  }
}

void check(const Function& function, const Module& module) {
  std::unordered_set<std::string_view> names;
  const auto add = [&](std::string_view name) { require(names.insert(name).second); };
  for (const Variable& variable : function.parameters) check(variable);
  for (const Variable& variable : function.returns) check(variable);
  for (const Variable& variable : function.variables) {
    check(variable);
    add(variable.name);
  }
  for (const Register& found : function.registers) add(found.name);
  for (const Label& label : function.labels) {
    add(label.name);
    require(label.instruction <= function.instructions.size());
  }
  for (const Table& table : function.tables) {
    add(table.label);
    for (const std::string_view target : table.targets) read(target);
    for (const Variable& variable : table.returns) check(variable);
    for (const Variable& variable : table.parameters) check(variable);
  }
  require(std::ranges::is_sorted(function.locals, {}, &Local::offset));
  for (const Instruction& instruction : function.instructions) {
    require(!instruction.words.empty());
    for (const std::string_view word : instruction.words) read(word);
    read(instruction.guard);
    for (const Operand& operand : instruction.operands) check(operand);
    require(instruction.place < module.places.size());
  }
}

void check(const Module& module) {
  std::unordered_set<std::string_view> names;
  for (const Variable& variable : module.variables) {
    check(variable);
    require(names.insert(variable.name).second);
  }
  for (const Function& function : module.functions) {
    check(function, module);
    require(names.insert(function.name).second);
  }
  for (const Alias& alias : module.aliases) {
    read(alias.name);
    read(alias.target);
  }
  for (std::size_t i = 0; i < module.places.size(); ++i) {
    const Place& place = module.places[i];
    require(place.file < module.files.size());
    require(place.inlined_at == kNoPlace || place.inlined_at < i);
    read(place.function);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    check(parse(std::string(reinterpret_cast<const char*>(data), size)));
  } catch (const Error& error) {
    require(error.line() >= 1 && error.line() <= size + 1);
  }
  return 0;
}
