// SPDX-License-Identifier: MIT
#include "program/shared_variables.h"

#include <cxxabi.h>
#include <elf.h>
#include <link.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <string_view>

#include "program/elf_image.h"
#include "program/program_path.h"

namespace simt::device {
namespace {

// "tile" of the mangled "void kernel<float>(int*)::tile[abi:shared]".
std::string declared_name(const char* symbol) {
  constexpr std::string_view kTag = "[abi:shared]";  // see keywords.h
  const std::unique_ptr<char, decltype(&std::free)> demangled(
      abi::__cxa_demangle(symbol, nullptr, nullptr, nullptr), &std::free);
  std::string_view name = demangled != nullptr ? demangled.get() : symbol;
  if (name.ends_with(kTag)) name.remove_suffix(kTag.size());
  const std::size_t scope = name.rfind("::");
  return std::string(scope == std::string_view::npos ? name : name.substr(scope + 2));
}

bool names_guard(std::string_view symbol) {
  return symbol.starts_with("_ZGV") || symbol == "__tls_guard";
}

// Where thread-local variables without initial values begin, behind those that have one.
std::size_t begin_of_variables(const ElfImage& image) {
  const auto* const header = image.at<ElfW(Ehdr)>(0);
  if (header == nullptr) return 0;
  const auto* const segments = image.at<ElfW(Phdr)>(header->e_phoff, header->e_phnum);
  if (segments == nullptr) return 0;
  const auto* const end = segments + header->e_phnum;
  const auto* const found = std::find_if(
      segments, end, [](const ElfW(Phdr) & segment) { return segment.p_type == PT_TLS; });
  return found == end ? 0 : found->p_filesz;
}

void add_variable(const ElfW(Sym) & symbol, const char* name, std::size_t begin,
                  std::vector<SharedVariable>& variables) {
  if ((symbol.st_info & 0xf) != STT_TLS || symbol.st_shndx == SHN_UNDEF) return;
  if (symbol.st_value < begin) return;
  if (name[0] == '$') return;  // aarch64's marks of code ($x) and data ($d), not variables
  variables.push_back(
      {symbol.st_value - begin, symbol.st_size, declared_name(name), names_guard(name)});
}

std::vector<SharedVariable> read_variables() {
  std::vector<SharedVariable> variables;
  const ElfImage image(program_path());
  const std::size_t begin = begin_of_variables(image);
  image.for_each_symbol([&](const ElfW(Sym) & symbol, const char* name) {
    add_variable(symbol, name, begin, variables);
  });
  std::sort(variables.begin(), variables.end(),
            [](const auto& a, const auto& b) { return a.offset < b.offset; });
  return variables;
}

}  // namespace

const std::vector<SharedVariable>& shared_variables() {
  static const auto& variables =
      *new std::vector<SharedVariable>(read_variables());  // outlives all users
  return variables;
}

const SharedVariable* find_shared_variable(std::size_t offset) {
  const auto& variables = shared_variables();
  const auto after = std::upper_bound(
      variables.begin(), variables.end(), offset,
      [](std::size_t at, const SharedVariable& variable) { return at < variable.offset; });
  return after == variables.begin() ? nullptr : &*std::prev(after);
}

}  // namespace simt::device
