// SPDX-License-Identifier: MIT
#include "program/shared_variables.h"

#include <cxxabi.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <span>
#include <string_view>

#include "program/program_path.h"

namespace simt::device {
namespace {

// "tile" of the mangled "void kernel<float>(int*)::tile".
std::string declared_name(const char* symbol) {
  const std::unique_ptr<char, decltype(&std::free)> demangled(
      abi::__cxa_demangle(symbol, nullptr, nullptr, nullptr), &std::free);
  const std::string_view name = demangled != nullptr ? demangled.get() : symbol;
  const std::size_t scope = name.rfind("::");
  return std::string(scope == std::string_view::npos ? name : name.substr(scope + 2));
}

bool names_guard(std::string_view symbol) {
  return symbol.starts_with("_ZGV") || symbol == "__tls_guard";
}

// A mapped ELF file; every access is checked against its size.
class Image {
 public:
  explicit Image(const char* path) {
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return;
    struct stat status = {};
    if (fstat(fd, &status) == 0) {
      const auto size_bytes = static_cast<std::size_t>(status.st_size);
      void* const mapped = mmap(nullptr, size_bytes, PROT_READ, MAP_PRIVATE, fd, 0);
      if (mapped != MAP_FAILED) bytes_ = {static_cast<const char*>(mapped), size_bytes};
    }
    close(fd);
  }
  ~Image() {
    if (!bytes_.empty()) munmap(const_cast<char*>(bytes_.data()), bytes_.size());
  }
  Image(const Image&) = delete;
  Image& operator=(const Image&) = delete;

  // `count` objects of T at `offset`, or null if they do not lie in the file.
  template <class T>
  const T* at(std::size_t offset, std::size_t count = 1) const {
    const bool fits = offset <= bytes_.size() && count <= (bytes_.size() - offset) / sizeof(T);
    return fits ? reinterpret_cast<const T*>(bytes_.data() + offset) : nullptr;
  }

 private:
  std::span<const char> bytes_;
};

// Where thread-local variables without initial values begin, behind those that have one.
std::size_t begin_of_variables(const Image& image, const ElfW(Ehdr) & header) {
  const auto* const segments = image.at<ElfW(Phdr)>(header.e_phoff, header.e_phnum);
  if (segments == nullptr) return 0;
  const auto* const end = segments + header.e_phnum;
  const auto* const found = std::find_if(
      segments, end, [](const ElfW(Phdr) & segment) { return segment.p_type == PT_TLS; });
  return found == end ? 0 : found->p_filesz;
}

void add_variables(const Image& image, std::size_t begin, const ElfW(Shdr) & table,
                   const ElfW(Shdr) & names, std::vector<SharedVariable>& variables) {
  const std::size_t count = table.sh_size / sizeof(ElfW(Sym));
  const auto* const symbols = image.at<ElfW(Sym)>(table.sh_offset, count);
  const char* const text = image.at<char>(names.sh_offset, names.sh_size);
  if (symbols == nullptr || text == nullptr) return;
  for (const ElfW(Sym)* symbol = symbols; symbol < symbols + count; ++symbol) {
    if ((symbol->st_info & 0xf) != STT_TLS || symbol->st_shndx == SHN_UNDEF) continue;
    if (symbol->st_value < begin) continue;
    if (symbol->st_name >= names.sh_size) continue;
    const char* const name = text + symbol->st_name;
    if (name[0] == '$') continue;  // aarch64's marks of code ($x) and data ($d), not variables
    variables.push_back(
        {symbol->st_value - begin, symbol->st_size, declared_name(name), names_guard(name)});
  }
}

std::vector<SharedVariable> read_variables() {
  std::vector<SharedVariable> variables;
  const Image image(program_path());
  const auto* const header = image.at<ElfW(Ehdr)>(0);
  if (header == nullptr) return variables;
  const auto* const sections = image.at<ElfW(Shdr)>(header->e_shoff, header->e_shnum);
  if (sections == nullptr) return variables;
  const std::size_t begin = begin_of_variables(image, *header);
  for (int i = 0; i < header->e_shnum; ++i) {
    const ElfW(Shdr)& table = sections[i];
    if (table.sh_type == SHT_SYMTAB && table.sh_link < header->e_shnum) {
      add_variables(image, begin, table, sections[table.sh_link], variables);
    }
  }
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
