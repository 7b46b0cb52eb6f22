// SPDX-License-Identifier: MIT
// Files that were compiled apart become one module, as nvcc -rdc=true and the device's linker have
// it: what is extern in one is found in another, of a weak definition the first is kept, and what
// only one file knows stays its own.
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "ptx/module.h"

namespace ptx {
namespace {

using Renamed = std::unordered_map<std::string_view, std::string_view>;

void rename(std::string_view& name, const Renamed& renamed) {
  if (const auto found = renamed.find(name); found != renamed.end()) name = found->second;
}

void rename(std::vector<Operand>& operands, const Renamed& renamed) {
  for (Operand& operand : operands) {
    if (operand.kind == Operand::Kind::kSymbol || operand.kind == Operand::Kind::kAddress) {
      rename(operand.name, renamed);
    }
    rename(operand.elements, renamed);
  }
}

class Linker {
 public:
  explicit Linker(const std::vector<Module>& parts) {
    for (const Module& part : parts) {
      for (const Function& function : part.functions) ++num_files_with_[function.name];
      for (const Variable& variable : part.variables) ++num_files_with_[variable.name];
    }
  }

  void add(Module part) {
    rename_own(part);
    move_places(part);
    for (Function& function : part.functions) add(std::move(function));
    for (Variable& variable : part.variables) add(std::move(variable));
    move_to_end(part.aliases, whole_.aliases);
    move_to_end(part.debug_sections, whole_.debug_sections);
    move_to_end(part.names, whole_.names);
    // All names point into the text, which does not move: it is too long to lie in its object.
    whole_.names.push_back(std::make_unique<std::string>(std::move(part.text)));
  }

  Module finish() {
    for (const Variable& variable : whole_.variables) {
      if (variable.is_extern && variable.space != Space::kShared) {
        throw std::runtime_error("no file of the program defines the variable " +
                                 std::string(variable.name));
      }
    }
    return std::move(whole_);
  }

 private:
  template <class T>
  static void move_to_end(std::vector<T>& from, std::vector<T>& to) {
    for (T& item : from) to.push_back(std::move(item));
  }

  // What the part's file alone knows gets a name that no other file has.
  void rename_own(Module& part) {
    Renamed renamed = own_variables(part);
    const auto choose = [&](std::string_view& name, bool others_may_mean_it) {
      if (others_may_mean_it || num_files_with_.at(name) == 1) return;
      const std::string made = std::string(name) + ".file" + std::to_string(number_);
      part.names.push_back(std::make_unique<std::string>(made));
      renamed[name] = *part.names.back();
      name = *part.names.back();
    };
    ++number_;
    for (Function& function : part.functions) {
      choose(function.name, function.is_visible || function.is_declared_only);
    }
    for (Variable& variable : part.variables) {
      choose(variable.name, variable.is_visible || variable.is_extern);
    }
    if (renamed.empty()) return;
    for (Function& function : part.functions) {
      for (Instruction& instruction : function.instructions) rename(instruction.operands, renamed);
      for (Table& table : function.tables) {
        for (std::string_view& target : table.targets) rename(target, renamed);
      }
    }
    for (Variable& variable : part.variables) {
      for (Variable::Address& word : variable.addresses) rename(word.symbol, renamed);
    }
    for (Alias& alias : part.aliases) {
      rename(alias.name, renamed);
      rename(alias.target, renamed);
    }
  }

  // clang marks the definition of a static variable that the host uses too, so that files can be
  // linked, and leaves the file's own uses of it as those of an extern variable without the mark.
  static Renamed own_variables(Module& part) {
    Renamed marked;
    for (const Variable& variable : part.variables) {
      const auto mark = variable.name.find("__static__");
      if (mark != std::string_view::npos) marked[variable.name.substr(0, mark)] = variable.name;
    }
    std::erase_if(part.variables, [&](const Variable& variable) {
      return variable.is_extern && marked.contains(variable.name);
    });
    return marked;
  }

  void move_places(Module& part) {
    const auto num_files = static_cast<std::uint32_t>(whole_.files.size());
    const auto num_places = static_cast<std::uint32_t>(whole_.places.size());
    for (Place& place : part.places) {
      place.file += num_files;
      if (place.inlined_at != kNoPlace) place.inlined_at += num_places;
    }
    for (Function& function : part.functions) {
      for (Instruction& instruction : function.instructions) {
        if (instruction.place != kNoPlace) instruction.place += num_places;
      }
    }
    move_to_end(part.files, whole_.files);
    move_to_end(part.places, whole_.places);
  }

  void add(Function function) {
    const auto [found, is_new] = functions_.try_emplace(function.name, whole_.functions.size());
    if (is_new) {
      whole_.functions.push_back(std::move(function));
      return;
    }
    Function& known = whole_.functions[found->second];
    if (function.is_declared_only) return;
    if (!known.is_declared_only && !function.is_weak && !known.is_weak) fail_twice(function.name);
    if (known.is_declared_only || (known.is_weak && !function.is_weak)) known = std::move(function);
  }

  void add(Variable variable) {
    const auto [found, is_new] = variables_.try_emplace(variable.name, whole_.variables.size());
    if (is_new) {
      whole_.variables.push_back(std::move(variable));
      return;
    }
    Variable& known = whole_.variables[found->second];
    if (variable.is_extern) return;
    if (!known.is_extern && !variable.is_weak && !known.is_weak) fail_twice(variable.name);
    if (known.is_extern || (known.is_weak && !variable.is_weak)) known = std::move(variable);
  }

  [[noreturn]] static void fail_twice(std::string_view name) {
    throw std::runtime_error("two files of the program define " + std::string(name));
  }

  Module whole_;
  int number_ = 0;
  std::unordered_map<std::string_view, int> num_files_with_;     // of each name
  std::unordered_map<std::string_view, std::size_t> functions_;  // indices, by name
  std::unordered_map<std::string_view, std::size_t> variables_;
};

}  // namespace

Module link(std::vector<Module> parts) {
  Linker linker(parts);
  for (Module& part : parts) linker.add(std::move(part));
  return linker.finish();
}

}  // namespace ptx
