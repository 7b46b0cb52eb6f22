// SPDX-License-Identifier: MIT
#include "check/shared_layout.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <set>
#include <string>
#include <string_view>

namespace check {
namespace {

// The names of symbols that operands mention, of called functions as well.
class Mentions {
 public:
  explicit Mentions(const code::Program& program) : program_(program) {}

  void add(const code::Function& function) {
    if (!functions_.insert(&function).second) return;
    for (const code::Instruction& instruction : function.instructions) {
      const bool is_call = !instruction.words.empty() && instruction.words.front() == "call";
      for (const code::Operand& operand : instruction.operands) {
        add(operand);
        calls_through_pointer_ |= is_call && operand.slot.exists();
      }
    }
  }
  bool contains(std::string_view symbol) const {
    return calls_through_pointer_ || symbols_.contains(symbol);
  }

 private:
  void add(const code::Operand& operand) {
    if (!operand.symbol.empty()) {
      symbols_.insert(operand.symbol);
      if (const code::Function* const called = program_.find(operand.symbol)) add(*called);
    }
    for (const code::Operand& element : operand.elements) add(element);
  }

  const code::Program& program_;
  std::set<const code::Function*> functions_;
  std::set<std::string_view> symbols_;
  bool calls_through_pointer_ = false;  // then any function may be meant
};

}  // namespace

const report::SharedRoom* SharedLayout::find(std::uint64_t offset) const {
  const auto after = std::ranges::upper_bound(variables, offset, {}, &report::SharedRoom::offset);
  return after == variables.begin() ? nullptr : &*std::prev(after);
}

std::string declared_name(const std::string& symbol) {
  const std::unique_ptr<char, decltype(&std::free)> demangled(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, nullptr), &std::free);
  const std::string_view name = demangled != nullptr ? demangled.get() : symbol.c_str();
  const std::size_t scope = name.rfind("::");
  return std::string(scope == std::string_view::npos ? name : name.substr(scope + 2));
}

const SharedLayout& SharedLayouts::of(const code::Program& program, const code::Function& kernel) {
  std::unique_ptr<SharedLayout>& layout = by_kernel_[&kernel];
  if (layout != nullptr) return *layout;
  layout = std::make_unique<SharedLayout>();
  Mentions mentions(program);
  mentions.add(kernel);
  for (const code::Symbol& symbol : program.symbols) {
    if (symbol.space != ptx::Space::kShared || symbol.size_bytes == 0) continue;
    if (!mentions.contains(symbol.name)) continue;
    layout->variables.push_back({declared_name(symbol.name), symbol.address, symbol.size_bytes});
  }
  std::ranges::sort(layout->variables, {}, &report::SharedRoom::offset);
  return *layout;
}

}  // namespace check
