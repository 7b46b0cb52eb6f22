// SPDX-License-Identifier: MIT
#include "code/names.h"

#include <cxxabi.h>

#include <array>
#include <charconv>
#include <cstdlib>
#include <memory>
#include <stdexcept>

namespace code {
namespace {

// clang and ptx::link() mark what only one file of a program knows. A variable's name that is also
// a type's code, as g is, stays itself.
std::string demangled(std::string_view mangled) {
  for (const std::string_view mark : {"__intern__", "__static__", ".file"}) {
    mangled = mangled.substr(0, mangled.find(mark));
  }
  const std::string name(mangled);
  if (!name.starts_with("_Z")) return name;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 ? std::string(text.get()) : name;
}

// What is behind the last :: or space outside of brackets, up to the first bracket after it.
std::string last_name(std::string_view text) {
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '<' || c == '(' || c == '{' || c == '[') ++depth;
    if (c == '>' || c == ')' || c == '}' || c == ']') --depth;
    if (depth != 0) continue;
    if (c == ' ' && text.substr(i).starts_with(" [clone")) break;
    if (c == ' ' || (c == ':' && i + 1 < text.size() && text[i + 1] == ':')) {
      begin = c == ' ' ? i + 1 : i + 2;
    }
  }
  text.remove_prefix(begin);
  return std::string(text.substr(0, text.find_first_of("<([")));
}

// Without the parameters and what follows them.
std::string_view without_parameters(std::string_view text) {
  int depth = 0;
  for (std::size_t i = text.size(); i-- > 0;) {
    if (text[i] == ')') ++depth;
    if (text[i] == '(' && --depth == 0 && text.substr(i) != "(anonymous namespace)") {
      return text.substr(0, i);
    }
  }
  return text;
}

bool lies_in(std::string_view path, std::string_view part) {
  return path.find(part) != std::string_view::npos;
}

}  // namespace

std::string function_name(std::string_view mangled) {
  const std::string text = demangled(mangled);
  return last_name(without_parameters(text));
}

std::string variable_name(std::string_view mangled) {
  const std::string text = demangled(mangled);
  return last_name(text);
}

std::array<std::uint32_t, 3> cluster_in_name(std::string_view mangled) {
  constexpr std::string_view kTag = "lockstep_cluster_";
  std::array<std::uint32_t, 3> cluster = {};
  const std::size_t at = mangled.find(kTag);
  if (at == std::string_view::npos) return cluster;
  const char* next = mangled.data() + at + kTag.size();
  const char* const end = mangled.data() + mangled.size();
  for (std::uint32_t& size : cluster) {
    const auto read = std::from_chars(next, end, size);
    if (read.ec != std::errc{} || read.ptr == end || *read.ptr != '_') {
      throw std::runtime_error("__cluster_dims__ of " + function_name(mangled) +
                               " must be numbers here, and no names of constants or parameters");
    }
    next = read.ptr + 1;
  }
  return cluster;
}

SourceFile source_file(const std::string& path) {
  SourceFile file;
  file.path = path;
  file.name = path.substr(path.rfind('/') + 1);
  constexpr std::array<std::string_view, 9> kLibraries = {
      "/cuda/toolkit/", "/usr/",        "/ziglang/",      "/lib/include/", "/lockstep/toolkit/",
      "/cccl/",         "/libcudacxx/", "/include/cuda/", "/include/cub/"};
  file.owner = SourceFile::Owner::kUser;
  const bool is_contract = lies_in(path, "/labs/") && path.ends_with(".cuh");
  if (is_contract || lies_in(path, "/common/cuda/lab/") ||
      lies_in(path, "/include/lockstep/lab/") || path.starts_with("lab/")) {
    file.owner = SourceFile::Owner::kLab;
  }
  for (const std::string_view part : kLibraries) {
    if (lies_in(path, part)) file.owner = SourceFile::Owner::kLibrary;
  }
  if (path.empty()) file.owner = SourceFile::Owner::kLibrary;
  return file;
}

Program::Line Program::line_of(std::uint32_t place) const {
  Line of_lab;
  for (std::uint32_t at = place; at != ptx::kNoPlace && at < module.places.size();
       at = module.places[at].inlined_at) {
    const ptx::Place& here = module.places[at];
    if (here.file >= files.size() || here.line == 0) continue;
    const SourceFile& file = files[here.file];
    if (file.owner == SourceFile::Owner::kUser) return {file.name, here.line};
    if (file.owner == SourceFile::Owner::kLab && of_lab.line == 0) {
      of_lab = {file.name, here.line, true};
    }
  }
  return of_lab;
}

}  // namespace code
