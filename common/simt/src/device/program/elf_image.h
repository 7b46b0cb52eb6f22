// SPDX-License-Identifier: MIT
#pragma once

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>
#include <span>

namespace simt::device {

// A mapped ELF file; every access is checked against its size.
class ElfImage {
 public:
  explicit ElfImage(const char* path) {
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
  ~ElfImage() {
    if (!bytes_.empty()) munmap(const_cast<char*>(bytes_.data()), bytes_.size());
  }
  ElfImage(const ElfImage&) = delete;
  ElfImage& operator=(const ElfImage&) = delete;

  // `count` objects of T at `offset`, or null if they do not lie in the file.
  template <class T>
  const T* at(std::size_t offset, std::size_t count = 1) const {
    const bool fits = offset <= bytes_.size() && count <= (bytes_.size() - offset) / sizeof(T);
    return fits ? reinterpret_cast<const T*>(bytes_.data() + offset) : nullptr;
  }

  // Calls visit(symbol, name) for each entry of its symbol table.
  template <class Visit>
  void for_each_symbol(Visit visit) const {
    const auto* const header = at<ElfW(Ehdr)>(0);
    if (header == nullptr) return;
    const auto* const sections = at<ElfW(Shdr)>(header->e_shoff, header->e_shnum);
    if (sections == nullptr) return;
    for (int i = 0; i < header->e_shnum; ++i) {
      const ElfW(Shdr)& table = sections[i];
      if (table.sh_type != SHT_SYMTAB || table.sh_link >= header->e_shnum) continue;
      const ElfW(Shdr)& names = sections[table.sh_link];
      const std::size_t count = table.sh_size / sizeof(ElfW(Sym));
      const auto* const symbols = at<ElfW(Sym)>(table.sh_offset, count);
      const char* const text = at<char>(names.sh_offset, names.sh_size);
      if (symbols == nullptr || text == nullptr) continue;
      for (const ElfW(Sym)* symbol = symbols; symbol < symbols + count; ++symbol) {
        if (symbol->st_name < names.sh_size) visit(*symbol, text + symbol->st_name);
      }
    }
  }

 private:
  std::span<const char> bytes_;
};

}  // namespace simt::device
