// SPDX-License-Identifier: MIT
#include "program/device_variables.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <vector>

#include "program/address.h"
#include "program/elf_image.h"
#include "program/program_path.h"
#include "program/rewriter_table.h"
#include "program/source_line.h"

// The linker's bound of the writable variables.
extern "C" char __data_start;

namespace simt::device {
namespace {

constexpr std::uintptr_t kWordBytes = 4;

struct Name {
  std::string text;
  Owner owner;
};

std::vector<Name> read_names() {
  std::vector<Name> names;
  for_each_entry([&](char kind, std::string_view name) {
    if (kind == ':') names.push_back({std::string(name), Owner::kDevice});
    if (kind == '~') names.push_back({std::string(name), Owner::kManaged});
    if (kind == '=') names.push_back({std::string(name), Owner::kConstant});
  });
  return names;
}

// Whether the symbol, mangled or not, is of a variable of that name.
bool is_named(std::string_view symbol, const std::string& name) {
  if (symbol == name) return true;
  const std::string part = std::to_string(name.size()) + name;
  const std::size_t at = symbol.find(part);
  return symbol.starts_with("_Z") && at != std::string_view::npos &&
         std::isdigit(static_cast<unsigned char>(symbol[at - 1])) == 0;
}

// The emulator's and the libraries' own, and what compilers add.
bool is_library(std::string_view symbol) {
  for (const std::string_view prefix : {"_ZSt", "_ZNSt", "_ZN4simt", "_ZGV", "__", "threadIdx",
                                        "blockIdx", "blockDim", "gridDim"}) {
    if (symbol.starts_with(prefix)) return true;
  }
  return symbol.empty();
}

// An unnamed namespace's part ends with a digit, where the length of the next part begins.
std::string without_unnamed(std::string symbol) {
  constexpr std::string_view kUnnamed = "12_GLOBAL__N_1";
  for (std::size_t at; (at = symbol.find(kUnnamed)) != std::string::npos;) {
    symbol.erase(at, kUnnamed.size());
  }
  return symbol;
}

const std::vector<Name>& names_in_source() {
  static const auto& names = *new std::vector<Name>(read_names());  // outlives all users
  return names;
}

Owner owner_of_symbol(const std::string& symbol) {
  if (__start_simt_names == nullptr || is_library(symbol)) return Owner::kDevice;
  Owner owner = Owner::kHost;
  bool may_be_managed = false;
  for (const Name& name : names_in_source()) {
    if (name.text == "*") may_be_managed = true;
    if (!is_named(symbol, name.text)) continue;
    if (name.owner == Owner::kConstant) return Owner::kConstant;
    if (owner != Owner::kManaged) owner = name.owner;
  }
  if (owner == Owner::kHost && may_be_managed) return Owner::kManaged;
  return owner;
}

std::size_t add_constants() {
  const auto& names = names_in_source();
  const auto is_constant = [](const Name& name) { return name.owner == Owner::kConstant; };
  if (std::none_of(names.begin(), names.end(), is_constant)) {
    return 0;
  }
  std::size_t sum = 0;
  ElfImage(program_path()).for_each_symbol([&](const ElfW(Sym) & symbol, const char* name) {
    if ((symbol.st_info & 0xf) != STT_OBJECT || symbol.st_shndx == SHN_UNDEF) return;
    if (std::string_view(name).starts_with("_ZZ")) return;  // a function's, which is never constant
    if (owner_of_symbol(without_unnamed(name)) == Owner::kConstant) sum += symbol.st_size;
  });
  return sum;
}

}  // namespace

Owner owner_of_variable(std::uintptr_t address) {
  const std::uintptr_t begin = number(&__data_start);
  static auto& known = *new std::vector<Owner>((number(&_end) - begin) / kWordBytes + 1);
  if (address < begin) return Owner::kDevice;
  Owner& owner = known[(address - begin) / kWordBytes];
  if (owner == Owner::kUnknown) owner = owner_of_symbol(without_unnamed(variable_at(address)));
  return owner;
}

std::size_t constant_bytes() {
  static const std::size_t sum = add_constants();
  return sum;
}

}  // namespace simt::device
