// SPDX-License-Identifier: MIT
#include "ptx/scopes.h"

#include <memory>

#include "ptx/lexer.h"

namespace ptx {

namespace {

constexpr std::size_t kMaxScopes = 64;  // open at a time

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

Scopes::Scopes(Module& module, Function& function,
               const std::unordered_set<std::string_view>& module_names)
    : module_(module), function_(function), module_names_(module_names) {
  open_.emplace_back();
  parents_.push_back(0);
}

void Scopes::open(std::uint32_t line) {
  if (open_.size() > kMaxScopes) {
    throw Error(line, "more than " + std::to_string(kMaxScopes) + " scopes { are open here");
  }
  Scope scope;
  scope.id = static_cast<std::uint32_t>(parents_.size());
  scope.line = line;
  parents_.push_back(open_.back().id);
  open_.push_back(std::move(scope));
}

void Scopes::close() {
  Scope& scope = open_.back();
  for (auto it = scope.hidden.rbegin(); it != scope.hidden.rend(); ++it) {
    Entry& entry = entries_[it->first];
    const Entry closed = entry;
    entry = it->second;
    entry.num_made = closed.num_made;
    entry.is_of_variable = closed.is_of_variable;
  }
  for (auto it = scope.hidden_families.rbegin(); it != scope.hidden_families.rend(); ++it) {
    families_[it->first] = it->second;
  }
  open_.pop_back();
}

std::string_view Scopes::made_name(std::string_view name, Entry& entry) {
  for (;;) {
    const std::string tried = std::string(name) + '$' + std::to_string(++entry.num_made);
    if (entries_.contains(tried) || module_names_.contains(tried)) continue;
    module_.names.push_back(std::make_unique<std::string>(tried));
    const std::string_view made = *module_.names.back();
    entries_.emplace(made, Entry{made});  // so that nothing else gets it
    return made;
  }
}

std::string_view Scopes::declare(std::string_view name, Meaning::Kind kind, std::uint32_t depth,
                                 bool make_name) {
  const auto [it, is_new] = entries_.try_emplace(name);
  Entry& entry = it->second;  // stays where it is when entries_ grows
  if (depth > 0) open_[depth].hidden.emplace_back(it->first, entry);
  const std::string_view unique = is_new && !make_name ? name : made_name(name, entry);
  entry.name = unique;
  entry.kind = kind;
  entry.depth = depth;
  if (kind == Meaning::Kind::kVariable) entries_[unique].is_of_variable = true;
  return unique;
}

void Scopes::require_new(std::string_view name, std::uint32_t line) {
  const auto it = entries_.find(name);
  if (it == entries_.end() || it->second.kind == Meaning::Kind::kUnknown ||
      it->second.depth != depth()) {
    return;
  }
  throw Error(line, quoted(name) +
                        " is declared twice in one scope; inline assembly that declares names "
                        "needs { } around it");
}

// A special register (%laneid) or a variable of the module has the name outside of the scope.
bool Scopes::means_more_outside(std::string_view name, std::uint32_t depth) const {
  return name.front() == '%' ? depth > 0 : module_names_.contains(name);
}

void Scopes::declare_register(std::string_view name, Type type, std::uint32_t line) {
  require_new(name, line);
  const bool make_name = means_more_outside(name, depth());
  const auto unique = declare(name, Meaning::Kind::kRegister, depth(), make_name);
  function_.registers.push_back({unique, type});
}

void Scopes::declare_registers(std::string_view prefix, std::uint32_t count, Type type,
                               std::uint32_t line) {
  Family& family = families_[prefix];
  if (family.type != Type::kNone && family.depth == depth()) {
    throw Error(line, "the registers " + quoted(prefix) + " are declared twice in one scope");
  }
  if (depth() > 0) {
    open_.back().hidden_families.emplace_back(prefix, family);
    has_nested_families_ = true;
  }
  family = {type, count, depth()};
}

void Scopes::declare_vector(std::string_view name, std::size_t length, Type type,
                            std::uint32_t line) {
  require_new(name, line);
  const bool make_name = means_more_outside(name, depth());
  const auto unique = declare(name, Meaning::Kind::kVector, depth(), make_name);
  entries_[name].vector = static_cast<std::uint32_t>(vectors_.size());
  std::vector<std::string_view>& components = vectors_.emplace_back();
  for (std::size_t i = 0; i < length; ++i) {
    // No other name has a dot.
    const std::string component = std::string(unique) + '.' + "xyzw"[i];
    module_.names.push_back(std::make_unique<std::string>(component));
    components.push_back(*module_.names.back());
    function_.registers.push_back({components.back(), type});
  }
}

void Scopes::declare_parameter(std::string_view name, std::uint32_t line) {
  require_new(name, line);
  declare(name, Meaning::Kind::kVariable, depth(), false);
}

std::string_view Scopes::declare_variable(std::string_view name, std::uint32_t line) {
  require_new(name, line);
  return declare(name, Meaning::Kind::kVariable, depth(), module_names_.contains(name));
}

std::string_view Scopes::declare_label(std::string_view name, std::uint32_t line) {
  const auto [it, is_new] = entries_.try_emplace(name);
  std::string_view unique = name;
  if (it->second.is_of_variable) {
    throw Error(line, "the label " + quoted(name) + " has the name of a variable; rename one");
  }
  if (!is_new || module_names_.contains(name)) {
    unique = made_name(name, it->second);
    has_made_labels_ = true;
  }
  labels_.push_back({name, unique, open_.back().id, line});
  return unique;
}

bool Scopes::find_in_families(std::string_view name, const Entry* visible) {
  constexpr std::size_t kMaxDigits = 10;  // of a number of 32 bits
  const std::size_t size = name.size();
  std::uint64_t number = 0;
  std::uint64_t scale = 1;
  for (std::size_t n = 1; n <= kMaxDigits && n < size && is_digit(name[size - n]); ++n) {
    number += static_cast<std::uint64_t>(name[size - n] - '0') * scale;
    scale *= 10;
    if (n > 1 && name[size - n] == '0') continue;  // %r01 is not in %r<9>
    const auto it = families_.find(name.substr(0, size - n));
    if (it == families_.end()) continue;
    const Family& family = it->second;
    if (family.type == Type::kNone || number >= family.count) continue;
    if (visible != nullptr && visible->depth >= family.depth) continue;
    const bool make_name = means_more_outside(name, family.depth);
    const auto unique = declare(name, Meaning::Kind::kRegister, family.depth, make_name);
    function_.registers.push_back({unique, family.type});
    return true;
  }
  return false;
}

Scopes::Meaning Scopes::find(std::string_view name) {
  auto it = entries_.find(name);
  const bool is_visible = it != entries_.end() && it->second.kind != Meaning::Kind::kUnknown;
  if (!is_visible || has_nested_families_) {
    if (find_in_families(name, is_visible ? &it->second : nullptr)) {
      it = entries_.find(name);
    } else if (!is_visible) {
      return {};
    }
  }
  return {it->second.kind, it->second.name, it->second.vector};
}

void Scopes::name_label_later_in_instruction(std::size_t index) {
  instructions_.push_back({index, open_.back().id});
}

void Scopes::name_label_later_in_table(std::size_t index) {
  tables_.push_back({index, open_.back().id});
}

void Scopes::resolve(std::string_view& name, std::uint32_t scope) const {
  const auto labels = labels_by_name_.find(name);
  if (labels == labels_by_name_.end()) return;
  for (;; scope = parents_[scope]) {
    const auto label = labels->second.find(scope);
    if (label != labels->second.end()) {
      name = label->second;
      return;
    }
    if (scope == 0) return;
  }
}

void Scopes::resolve(Operand& operand, std::uint32_t scope) const {
  if (operand.kind == Operand::Kind::kSymbol) resolve(operand.name, scope);
  for (Operand& element : operand.elements) resolve(element, scope);
}

void Scopes::resolve_labels() {
  if (!has_made_labels_) return;  // each label has its own name, and references name it
  for (const Label& label : labels_) {
    if (!labels_by_name_[label.name].emplace(label.scope, label.unique).second) {
      throw Error(label.line, "the label " + quoted(label.name) +
                                  " is defined twice in one scope; inline assembly with labels "
                                  "needs { } around it");
    }
  }
  for (const Reference& reference : instructions_) {
    for (Operand& operand : function_.instructions[reference.index].operands) {
      resolve(operand, reference.scope);
    }
  }
  for (const Reference& reference : tables_) {
    for (std::string_view& target : function_.tables[reference.index].targets) {
      resolve(target, reference.scope);
    }
  }
}

}  // namespace ptx
