// SPDX-License-Identifier: MIT
#include "program/source_line.h"

#include <backtrace.h>
#include <link.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <string_view>
#include <unordered_map>

#include "program/program_path.h"
#include "program/rewriter_table.h"

namespace simt::device {
namespace {

bool lies_in(std::string_view path, std::string_view part) {
  return path.find(part) != std::string_view::npos;
}

// Headers that rungs share: a line of these is better than none, but a student's line is better.
bool is_shared_header(std::string_view path) {
  return lies_in(path, "/common/cuda/") || lies_in(path, "/include/lockstep/lab/");
}

bool is_users(std::string_view path) {
  if (is_shared_header(path)) return true;
  return !path.starts_with("/usr/") && !lies_in(path, "/simt/include/") &&
         !lies_in(path, "/simt/src/") && !lies_in(path, "/include/lockstep/") &&  // installed
         !lies_in(path, "/cccl/");  // NVIDIA's libraries in source, wherever they are installed
}

// Where a class is defined. To the compiler, the class's own copy constructor and assignment lie
// there.
bool is_class_definition(const SourceLine& place) {
  using Places = std::set<std::string, std::less<>>;
  static const Places& places = []() -> const Places& {  // outlives all users
    auto* const found = new Places;
    for_each_entry([&](char kind, std::string_view text) {
      if (kind == '@') found->emplace(text);
    });
    return *found;
  }();
  return places.contains(place.file + ":" + std::to_string(place.line));
}

// libbacktrace visits the functions inlined at an address from the inside out. What a class's copy
// reads and writes belongs to the line that copies.
int visit_frame(void* data, std::uintptr_t /*pc*/, const char* path, int line, const char*) {
  if (path == nullptr || !is_users(path)) return 0;
  SourceLine& found = *static_cast<SourceLine*>(data);
  const std::string_view view(path);
  if (found.line != 0 && is_shared_header(view)) return 0;
  found = {std::string(view.substr(view.rfind('/') + 1)), line};
  return is_shared_header(view) || is_class_definition(found) ? 0 : 1;
}

// Takes the innermost function only.
int visit_innermost(void* data, std::uintptr_t /*pc*/, const char* path, int, const char*) {
  *static_cast<bool*>(data) = path != nullptr && is_users(path);
  return 1;
}

// Without debug information lines stay unknown, which is not an error of the program.
void ignore_error(void*, const char*, int) {}

backtrace_state* program_state() {
  static backtrace_state* const state =
      backtrace_create_state(program_path(), 0, ignore_error, nullptr);
  return state;
}

// The call itself ends one byte before the address it returns to.
std::uintptr_t address_of_call(const void* return_address) {
  return reinterpret_cast<std::uintptr_t>(return_address) - 1;
}

void visit_frames(const void* return_address, backtrace_full_callback visit, void* data) {
  backtrace_pcinfo(program_state(), address_of_call(return_address), visit, ignore_error, data);
}

void take_symbol(void* data, std::uintptr_t /*pc*/, const char* /*name*/, std::uintptr_t begin,
                 std::uintptr_t size_bytes) {
  *static_cast<CodeRange*>(data) = {begin, size_bytes};
}

struct Visit {
  int (*callback)(dl_phdr_info*, std::size_t, void*);
  void* data;
};

int visit_program(dl_phdr_info* object, std::size_t size, void* data) {
  const Visit& visit = *static_cast<const Visit*>(data);
  visit.callback(object, size, visit.data);
  return 1;  // the program comes first: leave the libraries out
}

}  // namespace

// libbacktrace reads the debug information of every library of the process as soon as it looks for
// one line. Where that of the C library is installed, this took most of the time of a short
// judgement. A student's line lies in the program itself, so the linker redirects libbacktrace's
// query for loaded objects to this function (--wrap).
extern "C" {
int __real_dl_iterate_phdr(int (*callback)(dl_phdr_info*, std::size_t, void*), void* data);

int __wrap_dl_iterate_phdr(int (*callback)(dl_phdr_info*, std::size_t, void*), void* data) {
  Visit visit{callback, data};
  return __real_dl_iterate_phdr(visit_program, &visit);
}
}

const SourceLine& source_line(const void* return_address) {
  static auto& known = *new std::unordered_map<const void*, SourceLine>;  // outlives all users
  const auto [entry, is_new] = known.try_emplace(return_address);
  if (is_new && return_address != nullptr)
    visit_frames(return_address, visit_frame, &entry->second);
  return entry->second;
}

bool is_students_own(const void* return_address) {
  bool is_own = false;
  visit_frames(return_address, visit_innermost, &is_own);
  return is_own;
}

bool lies_in_folder(const void* return_address, std::string_view folder) {
  struct Search {
    std::string_view folder;
    bool found = false;
  } search{folder};
  const auto look = [](void* data, std::uintptr_t, const char* path, int, const char*) {
    auto& wanted = *static_cast<Search*>(data);
    wanted.found |=
        path != nullptr && std::string_view(path).find(wanted.folder) != std::string_view::npos;
    return wanted.found ? 1 : 0;
  };
  visit_frames(return_address, look, &search);
  return search.found;
}

std::string variable_at(std::uintptr_t address) {
  std::string symbol;
  const auto take_name = [](void* data, std::uintptr_t, const char* name, std::uintptr_t,
                            std::uintptr_t) {
    if (name != nullptr) *static_cast<std::string*>(data) = name;
  };
  backtrace_syminfo(program_state(), address, take_name, ignore_error, &symbol);
  return symbol;
}

CodeRange function_of(const void* return_address) {
  CodeRange range;
  backtrace_syminfo(program_state(), address_of_call(return_address), take_symbol, ignore_error,
                    &range);
  return range;
}

bool is_same_line(const void* return_address, const void* other) {
  const SourceLine& a = source_line(return_address);
  const SourceLine& b = source_line(other);
  return a.line == b.line && a.file == b.file;
}

std::string line_name(const void* return_address, const std::string& file) {
  const SourceLine& found = source_line(return_address);
  if (found.line == 0) return "an unknown line";
  std::string name = "line " + std::to_string(found.line);
  if (found.file != file) name += " of " + found.file;
  return name;
}

}  // namespace simt::device
