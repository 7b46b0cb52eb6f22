// SPDX-License-Identifier: MIT
#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "front/changes.h"

namespace front {
namespace {

// What leads to a constant: its own name, and values made of it.
using Names = std::set<std::string, std::less<>>;

bool leads(std::string_view operand, const Names& pointers) {
  const auto is_one = [&](std::string_view name) { return pointers.contains(name); };
  return std::ranges::any_of(names_in(operand), is_one);
}

Names constants_of(const Module& module) {
  Names constants;
  for (const std::string& line : module.lines) {
    if (line.starts_with('@') && line.find(" addrspace(4) ") != std::string::npos &&
        line.find(" constant ") != std::string::npos) {
      constants.emplace(names_in(line).front());
    }
  }
  return constants;
}

bool derives(std::string_view opcode) {
  return opcode == "getelementptr" || opcode == "addrspacecast" || opcode == "phi" ||
         opcode == "select" || opcode == "freeze";
}

// The value that a store writes, or the pointer that an access goes through.
std::string_view value_of(std::string_view operand) {
  return operand.substr(std::min(operand.find(' ') + 1, operand.size()));
}

// Adds the names of the function's values that are such pointers, too.
void follow(const Module& module, const FunctionLines& function, Names& pointers) {
  Names slots;  // local variables that hold one
  for (std::size_t before = 0; before != pointers.size() + slots.size();) {
    before = pointers.size() + slots.size();
    for (std::size_t at = function.begin + 1; at < function.end; ++at) {
      const std::string_view line = module.lines[at];
      const Instruction one(line);
      if (derives(one.opcode)) {
        if (leads(line.substr(line.find('=') + 1), pointers)) pointers.emplace(one.result);
      } else if (one.operands.size() > 1 && one.operands[0].starts_with("ptr")) {
        const std::string_view slot = value_of(one.operands[1]);
        if (one.opcode == "store" && leads(one.operands[0], pointers)) slots.emplace(slot);
        if (one.opcode == "load" && slots.contains(slot)) pointers.emplace(one.result);
      }
    }
  }
}

// The pointer that the line stores through, with the `ptr` before it; empty: it stores nothing.
std::string_view stored_through(std::string_view line) {
  if (const Instruction one(line); one.opcode == "store") {
    return one.operands.size() > 1 ? one.operands[1] : std::string_view{};
  }
  const Call call(line);
  const bool is_copy =
      call.callee.starts_with("@llvm.memcpy.") || call.callee.starts_with("@llvm.memset.");
  return is_copy ? call.arguments.front() : std::string_view{};
}

void hide(Module& module, const FunctionLines& function, const Names& pointers) {
  unsigned num_kept = 0;
  for (std::size_t at = function.begin + 1; at < function.end; ++at) {
    std::string& line = module.lines[at];
    const std::string pointer(pointer_in(stored_through(line)));
    if (pointer.empty() || !leads(pointer, pointers)) continue;
    const auto where =
        static_cast<std::size_t>(pointer_in(stored_through(line)).data() - line.data());
    const std::string name = "%kept." + std::to_string(num_kept++);
    line.replace(where, pointer.size(), name);
    std::string hidden = "  ";
    hidden.append(name).append(R"( = call ptr asm "mov.b64 $0, $1;", "=l,l"(ptr )");
    line.insert(0, hidden.append(pointer).append(")\n"));
  }
}

}  // namespace

void keep_constant_stores(Module& module) {
  const Names constants = constants_of(module);
  if (constants.empty()) return;
  std::map<std::string_view, Names> pointers;
  std::map<std::string_view, std::vector<std::string>> parameters;
  std::vector<const FunctionLines*> waiting;
  for (const FunctionLines& function : module.functions) {
    pointers[function.name] = constants;
    for (const std::string_view parameter : Call(module.lines[function.begin]).arguments) {
      const auto names = names_in(parameter);
      parameters[function.name].emplace_back(names.empty() ? std::string_view{} : names.back());
    }
    waiting.push_back(&function);
  }
  std::map<std::string_view, const FunctionLines*> by_name;
  for (const FunctionLines& function : module.functions) by_name[function.name] = &function;
  while (!waiting.empty()) {
    const FunctionLines& function = *waiting.back();
    waiting.pop_back();
    follow(module, function, pointers[function.name]);
    for (std::size_t at = function.begin + 1; at < function.end; ++at) {
      const Call call(module.lines[at]);
      const auto callee = by_name.find(call.callee);
      if (callee == by_name.end()) continue;
      const auto& given = parameters[call.callee];
      bool is_new = false;
      for (std::size_t n = 0; n < std::min(given.size(), call.arguments.size()); ++n) {
        if (!given[n].empty() && leads(call.arguments[n], pointers[function.name])) {
          is_new |= pointers[call.callee].insert(given[n]).second;
        }
      }
      if (is_new) waiting.push_back(callee->second);
    }
  }
  for (const FunctionLines& function : module.functions) {
    hide(module, function, pointers[function.name]);
  }
}

}  // namespace front
