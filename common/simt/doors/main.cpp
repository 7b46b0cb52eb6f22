// SPDX-License-Identifier: MIT
// simt_host_calls IN.o OUT
// For the functions of the C and C++ library that exist only on the host, and that IN.o calls or
// whose address it takes, and for CUDA's and mathematical ones whose address it takes: writes
// OUT.s, which has a door for each, and OUT.names, by which objcopy lets the calls go through these
// doors. A door asks simt_host_call (hooks/host_call.cpp), which ends a kernel there. So it does
// not matter what g++ announces of such a function, and whether nvcc has seen the call. Doors to
// mathematical functions, which kernels have too, ask nothing. Exit status: 0 done, 1 a file cannot
// be read or written, 2 usage.
#include <elf.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kCalls[] = {R_X86_64_PLT32};
constexpr std::string_view kDoor = R"(  leaq {name}(%rip), %r10
  movq "{function}"@GOTPCREL(%rip), %r11
  jmp simt_host_call
)";
constexpr std::string_view kOpenDoor = R"(  jmp *"{function}"@GOTPCREL(%rip)
)";
#else
constexpr std::uint32_t kCalls[] = {R_AARCH64_CALL26, R_AARCH64_JUMP26};
constexpr std::string_view kDoor = R"(  adrp x16, {name}
  add x16, x16, :lo12:{name}
  adrp x17, :got:{function}
  ldr x17, [x17, :got_lo12:{function}]
  b simt_host_call
)";
constexpr std::string_view kOpenDoor = R"(  adrp x17, :got:{function}
  ldr x17, [x17, :got_lo12:{function}]
  br x17
)";
#endif

// Of C's functions. Those that simt_renamed_calls of WorkerSteps.cmake names ask by themselves.
constexpr std::string_view kOfC[] = {
    "__fprintf_chk", "__printf_chk", "__snprintf_chk", "__sprintf_chk", "atexit", "atof",
    "atoi",          "atol",         "rand",           "srand",         "wcslen"};

// Of C's functions, those of a character: their address is taken for std::transform.
constexpr std::string_view kOfCharacters[] = {"isalnum", "isalpha", "isdigit", "islower",
                                              "isspace", "isupper", "tolower", "toupper"};

// Of C's functions, those from numbers to a number, also with f and l behind the name. Not those
// that have a pointer: they are announced, which a call through a pointer would avoid.
constexpr std::string_view kOfNumbers[] = {
    "acos",   "acosh",  "asin",      "asinh",     "atan", "atan2",     "atanh",  "cbrt",  "ceil",
    "cos",    "cosh",   "copysign",  "erf",       "erfc", "exp",       "exp10",  "exp2",  "expm1",
    "fabs",   "fdim",   "floor",     "fma",       "fmax", "fmin",      "fmod",   "hypot", "ilogb",
    "ldexp",  "lgamma", "llrint",    "llround",   "log",  "log10",     "log1p",  "log2",  "logb",
    "lrint",  "lround", "nearbyint", "nextafter", "pow",  "remainder", "rint",   "round", "scalbln",
    "scalbn", "sin",    "sinh",      "sqrt",      "tan",  "tanh",      "tgamma", "trunc"};

// Namespaces std and __gnu_cxx, with the short names of std::string and others. Not their tables
// and type information, nor the functions that throw: an exception has a finding of its own.
bool is_of_cpp(std::string_view name) {
  if (name.find("__throw_") != name.npos || name == "_ZSt9terminatev") return false;
  if (name.substr(0, 4) == "_ZSt") return true;
  if (name.substr(0, 3) != "_ZN") return false;
  name.remove_prefix(std::min(name.find_first_not_of("rVKRO", 3), name.size()));
  return name.substr(0, 10) == "9__gnu_cxx" ||
         (name.size() > 1 && name[0] == 'S' && std::strchr("tabsiod", name[1]) != nullptr);
}

// A function of CUDA's runtime, mangled: _Z8cudaFreePv.
bool is_of_cuda(std::string_view name) {
  if (name.substr(0, 2) != "_Z") return false;
  name.remove_prefix(std::min(name.find_first_not_of("0123456789", 2), name.size()));
  return name.substr(0, 4) == "cuda";
}

template <std::size_t kCount>
bool is_among(const std::string_view (&names)[kCount], std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

bool is_of_numbers(std::string_view name) {
  if (is_among(kOfNumbers, name)) return true;
  const bool has_suffix = name.size() > 1 && (name.back() == 'f' || name.back() == 'l');
  return has_suffix && is_among(kOfNumbers, name.substr(0, name.size() - 1));
}

// A name of C++'s that is only referred to may be a variable's, such as std::cout's. A worker's
// rung may call doors through a pointer, and nothing else of another's. So functions that are right
// there have doors where their address is taken: std::shared_ptr<float>(d_data, cudaFree).
bool needs_door(std::string_view name, bool is_called) {
  constexpr std::string_view kLetters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
  if (name.find_first_not_of(kLetters) != name.npos) return false;  // it would be read as assembly
  if (is_among(kOfC, name)) return true;
  if (is_called) return is_of_cpp(name);
  return is_of_cuda(name) || is_among(kOfCharacters, name) || is_of_numbers(name);
}

class Object {
 public:
  explicit Object(const char* path) {
    std::ifstream file(path, std::ios::binary);
    bytes_.assign(std::istreambuf_iterator<char>(file), {});
  }

  // The undefined functions that need a door.
  std::set<std::string> behind_doors() const {
    std::set<std::string> found;
    const auto* const header = at<Elf64_Ehdr>(0, 1);
    if (header == nullptr) return found;
    const auto* const sections = at<Elf64_Shdr>(header->e_shoff, header->e_shnum);
    if (sections == nullptr) return found;
    for (const Elf64_Shdr* section = sections; section < sections + header->e_shnum; ++section) {
      if (section->sh_type != SHT_RELA || section->sh_link >= header->e_shnum) continue;
      const Elf64_Shdr& table = sections[section->sh_link];
      if (table.sh_link >= header->e_shnum) continue;
      const std::size_t count = section->sh_size / sizeof(Elf64_Rela);
      const auto* const relocations = at<Elf64_Rela>(section->sh_offset, count);
      if (relocations == nullptr) continue;
      for (const Elf64_Rela* place = relocations; place < relocations + count; ++place) {
        const std::string_view name = undefined_name(*place, table, sections[table.sh_link]);
        if (needs_door(name, is_call(*place))) found.emplace(name);
      }
    }
    return found;
  }

  bool is_empty() const { return at<Elf64_Ehdr>(0, 1) == nullptr; }

 private:
  template <class T>
  const T* at(std::size_t offset, std::size_t count) const {
    const bool fits = offset <= bytes_.size() && count <= (bytes_.size() - offset) / sizeof(T);
    return fits ? reinterpret_cast<const T*>(bytes_.data() + offset) : nullptr;
  }

  static bool is_call(const Elf64_Rela& place) {
    const std::uint32_t kind = ELF64_R_TYPE(place.r_info);
    return std::find(std::begin(kCalls), std::end(kCalls), kind) != std::end(kCalls);
  }

  // Empty: it refers to something of the object's own.
  std::string_view undefined_name(const Elf64_Rela& place, const Elf64_Shdr& table,
                                  const Elf64_Shdr& names) const {
    const std::size_t symbol_offset = ELF64_R_SYM(place.r_info) * sizeof(Elf64_Sym);
    if (symbol_offset >= table.sh_size) return {};
    const auto* const symbol = at<Elf64_Sym>(table.sh_offset + symbol_offset, 1);
    if (symbol == nullptr || symbol->st_shndx != SHN_UNDEF) return {};
    const auto* const text = at<char>(names.sh_offset, names.sh_size);
    if (text == nullptr || symbol->st_name >= names.sh_size) return {};
    return {text + symbol->st_name,
            strnlen(text + symbol->st_name, names.sh_size - symbol->st_name)};
  }

  std::string bytes_;
};

std::string filled(std::string_view pattern, const std::string& name, const std::string& function) {
  std::string text(pattern);
  for (const auto& [key, value] : {std::pair("{name}", name), std::pair("{function}", function)}) {
    for (auto at = text.find(key); at != std::string::npos; at = text.find(key, at)) {
      text.replace(at, std::strlen(key), value);
    }
  }
  return text;
}

// Doors begin at multiples of 32 bytes, in a section of their own: see is_door(). They are weak,
// for programs of several such objects.
void write(const std::set<std::string>& functions, const std::string& path) {
  std::ofstream code(path + ".s"), names(path + ".names");
  int number = 0;
  for (const std::string& function : functions) {
    const std::string name = ".Lname" + std::to_string(number++);
    const std::string door = "\"simt_host_call_" + function + "\"";
    names << function << " simt_host_call_" << function << "\n";
    code << ".section simt_host_calls,\"ax\"\n.balign 32\n.weak " << door << "\n.hidden " << door
         << "\n.type " << door << ", %function\n"
         << door << ":\n.cfi_startproc\n"
         << filled(is_of_numbers(function) ? kOpenDoor : kDoor, name, function)
         << ".cfi_endproc\n.size " << door << ", . - " << door << "\n.section .rodata\n"
         << name << ": .asciz \"" << function << "\"\n";
  }
  code << ".section .note.GNU-stack\n";
  if (!code.flush() || !names.flush()) throw std::runtime_error(path + ": cannot be written");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: simt_host_calls IN.o OUT\n");
    return 2;
  }
  try {
    const Object object(argv[1]);
    if (object.is_empty()) throw std::runtime_error(std::string(argv[1]) + ": no object file");
    write(object.behind_doors(), argv[2]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "simt_host_calls: %s\n", error.what());
    return 1;
  }
  return 0;
}
