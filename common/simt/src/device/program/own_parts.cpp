// SPDX-License-Identifier: MIT
#include "program/own_parts.h"

#include <algorithm>
#include <cstddef>

#include "program/address.h"
#include "program/elf_image.h"
#include "program/program_path.h"

// The linker's bounds of the sections.
extern "C" {
[[gnu::weak]] extern const char __start_lockstep_code[];
[[gnu::weak]] extern const char __stop_lockstep_code[];
[[gnu::weak]] extern const char __start_lockstep_data[];
[[gnu::weak]] extern const char __stop_lockstep_data[];
[[gnu::weak]] extern const char __start_lockstep_bss[];
[[gnu::weak]] extern const char __stop_lockstep_bss[];
}

namespace simt::device {

bool is_own_code(std::uintptr_t address) {
  const std::uintptr_t begin = number(__start_lockstep_code);
  return address - begin < number(__stop_lockstep_code) - begin;
}

std::pmr::vector<std::uintptr_t> own_functions(std::pmr::memory_resource* memory) {
  std::pmr::vector<std::uintptr_t> found(memory);
  const ElfImage image(program_path());
  const auto* const header = image.at<ElfW(Ehdr)>(0);
  const bool is_moved = header != nullptr && header->e_type == ET_DYN;
  const std::uintptr_t base = is_moved ? number(&__executable_start) : 0;
  image.for_each_symbol([&](const ElfW(Sym) & symbol, const char*) {
    const std::uintptr_t address = base + symbol.st_value;
    const bool is_function = (symbol.st_info & 0xf) == STT_FUNC;
    if (is_function && is_own_code(address)) found.push_back(address);
  });
  std::sort(found.begin(), found.end());
  return found;
}

std::array<std::span<const std::byte>, 2> own_variables() {
  const auto between = [](const char* begin, const char* end) {
    return std::span(reinterpret_cast<const std::byte*>(begin), number(end) - number(begin));
  };
  return {between(__start_lockstep_data, __stop_lockstep_data),
          between(__start_lockstep_bss, __stop_lockstep_bss)};
}

bool is_own_variable(std::uintptr_t address, std::size_t size_bytes) {
  const auto all = own_variables();
  return std::any_of(all.begin(), all.end(), [&](std::span<const std::byte> variables) {
    const std::size_t offset = address - number(variables.data());
    return offset < variables.size() && size_bytes <= variables.size() - offset;
  });
}

}  // namespace simt::device
