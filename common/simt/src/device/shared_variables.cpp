// SPDX-License-Identifier: MIT
#include "shared_variables.h"

#include <cxxabi.h>
#include <elf.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <span>

namespace simt::device {
namespace {

// "tile" of "_ZZ16transpose_kernelPKfPfE4tile"
std::string declared_name(const char* symbol) {
  char* const demangled = abi::__cxa_demangle(symbol, nullptr, nullptr, nullptr);
  const std::string full = demangled != nullptr ? demangled : symbol;
  std::free(demangled);
  const std::size_t scope = full.rfind("::");
  return scope == std::string::npos ? full : full.substr(scope + 2);
}

template <class T>
std::span<const T> table(const std::vector<char>& file, std::size_t offset, std::size_t count) {
  if (offset > file.size() || count > (file.size() - offset) / sizeof(T)) return {};
  return {reinterpret_cast<const T*>(file.data() + offset), count};
}

std::vector<SharedVariable> read_variables() {
  std::ifstream in("/proc/self/exe", std::ios::binary);
  const std::vector<char> file(std::istreambuf_iterator<char>(in), {});
  std::vector<SharedVariable> variables;
  if (file.size() < sizeof(Elf64_Ehdr)) return variables;
  const auto& header = *reinterpret_cast<const Elf64_Ehdr*>(file.data());
  const auto sections = table<Elf64_Shdr>(file, header.e_shoff, header.e_shnum);
  for (const Elf64_Shdr& section : sections) {
    if (section.sh_type != SHT_SYMTAB || section.sh_link >= sections.size()) continue;
    const Elf64_Shdr& strings = sections[section.sh_link];
    for (const Elf64_Sym& symbol :
         table<Elf64_Sym>(file, section.sh_offset, section.sh_size / sizeof(Elf64_Sym))) {
      const bool is_variable = ELF64_ST_TYPE(symbol.st_info) == STT_TLS &&
                               symbol.st_shndx != SHN_UNDEF && symbol.st_size > 0;
      if (!is_variable || symbol.st_name >= strings.sh_size) continue;
      const char* const name = file.data() + strings.sh_offset + symbol.st_name;
      variables.push_back({declared_name(name), symbol.st_value, symbol.st_size});
    }
  }
  const auto starts_earlier = [](const SharedVariable& a, const SharedVariable& b) {
    return a.offset < b.offset;
  };
  std::sort(variables.begin(), variables.end(), starts_earlier);
  return variables;
}

}  // namespace

const std::vector<SharedVariable>& shared_variables() {
  static const std::vector<SharedVariable> variables = read_variables();
  return variables;
}

const SharedVariable* find_shared_variable(std::size_t offset) {
  const std::vector<SharedVariable>& all = shared_variables();
  const auto found = std::find_if(all.begin(), all.end(), [&](const SharedVariable& variable) {
    return offset - variable.offset < variable.size_bytes;
  });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace simt::device
