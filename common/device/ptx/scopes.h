// SPDX-License-Identifier: MIT
// The names of one function. Inline assembly opens scopes, { }, that declare a name again; here
// each register, variable and label gets a name that is unique in its function.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ptx/module.h"

namespace ptx {

class Scopes {
 public:
  struct Meaning {
    enum class Kind : std::uint8_t { kUnknown, kRegister, kVector, kVariable };
    Kind kind = Kind::kUnknown;
    std::string_view name;     // unique
    std::uint32_t vector = 0;  // for components()
  };

  // `module_names`: of variables and functions so far. Made names go to `module.names`.
  Scopes(Module& module, Function& function,
         const std::unordered_set<std::string_view>& module_names);

  void open(std::uint32_t line);
  void close();
  std::size_t num_open() const { return open_.size() - 1; }
  std::uint32_t line_of_innermost() const { return open_.back().line; }

  // Each throws Error if this scope declares the name already.
  void declare_register(std::string_view name, Type type, std::uint32_t line);
  void declare_registers(std::string_view prefix, std::uint32_t count, Type type,
                         std::uint32_t line);
  // .reg .v4 .b32 v: registers v.x, v.y, ...
  void declare_vector(std::string_view name, std::size_t length, Type type, std::uint32_t line);
  void declare_parameter(std::string_view name, std::uint32_t line);
  std::string_view declare_variable(std::string_view name, std::uint32_t line);  // unique name
  std::string_view declare_label(std::string_view name, std::uint32_t line);     // unique name

  // A register of a range (.reg .b32 %r<9>) joins the function's registers when it is first named:
  // a range may be far longer than the text.
  Meaning find(std::string_view name);
  const std::vector<std::string_view>& components(const Meaning& meaning) const {
    return vectors_[meaning.vector];
  }

  // A label may be after the instruction or table that names it, so labels are found at the end.
  void name_label_later_in_instruction(std::size_t index);
  void name_label_later_in_table(std::size_t index);
  void resolve_labels();

 private:
  struct Entry {
    std::string_view name;  // unique
    Meaning::Kind kind = Meaning::Kind::kUnknown;
    std::uint32_t depth = 0;  // of the scope that declares it
    std::uint32_t num_made = 0;
    std::uint32_t vector = 0;     // index into vectors_
    bool is_of_variable = false;  // a variable has this very name in the function
  };
  struct Family {
    Type type = Type::kNone;  // kNone: not visible here
    std::uint32_t count = 0;
    std::uint32_t depth = 0;
  };
  struct Scope {
    std::uint32_t id = 0;
    std::uint32_t line = 0;
    std::vector<std::pair<std::string_view, Entry>> hidden;  // what close() restores
    std::vector<std::pair<std::string_view, Family>> hidden_families;
  };
  struct Label {
    std::string_view name;
    std::string_view unique;
    std::uint32_t scope = 0;
    std::uint32_t line = 0;
  };
  struct Reference {
    std::size_t index = 0;
    std::uint32_t scope = 0;
  };
  using LabelsOfName = std::unordered_map<std::uint32_t, std::string_view>;  // by scope

  std::uint32_t depth() const { return static_cast<std::uint32_t>(open_.size() - 1); }
  std::string_view declare(std::string_view name, Meaning::Kind kind, std::uint32_t depth,
                           bool make_name);
  bool means_more_outside(std::string_view name, std::uint32_t depth) const;
  void require_new(std::string_view name, std::uint32_t line);
  std::string_view made_name(std::string_view name, Entry& entry);
  bool find_in_families(std::string_view name, const Entry* visible);
  void resolve(std::string_view& name, std::uint32_t scope) const;
  void resolve(Operand& operand, std::uint32_t scope) const;

  Module& module_;
  Function& function_;
  const std::unordered_set<std::string_view>& module_names_;
  std::unordered_map<std::string_view, Entry> entries_;  // also of names that are not visible here
  std::unordered_map<std::string_view, Family> families_;  // by prefix
  bool has_nested_families_ = false;
  std::vector<std::vector<std::string_view>> vectors_;  // names of components
  std::vector<Scope> open_;
  std::vector<std::uint32_t> parents_;  // of scopes, by id
  std::vector<Label> labels_;
  bool has_made_labels_ = false;
  std::vector<Reference> instructions_;  // that name labels
  std::vector<Reference> tables_;
  std::unordered_map<std::string_view, LabelsOfName> labels_by_name_;
};

}  // namespace ptx
