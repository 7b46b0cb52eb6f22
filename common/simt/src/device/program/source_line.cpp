// SPDX-License-Identifier: MIT
#include "program/source_line.h"

#include <backtrace.h>
#include <link.h>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_map>

#include "program/program_path.h"

namespace simt::device {
namespace {

bool is_users(std::string_view path) {
  const auto lies_in = [&](std::string_view part) {
    return path.find(part) != std::string_view::npos;
  };
  return !path.starts_with("/usr/") && !lies_in("/simt/include/") && !lies_in("/simt/src/");
}

// Headers that rungs share: a student's line is better, one of these is better than none.
bool is_shared_header(std::string_view path) {
  return path.find("/common/cuda/") != std::string_view::npos;
}

// libbacktrace visits the functions inlined at an address from the inside out.
int visit_frame(void* data, std::uintptr_t /*pc*/, const char* path, int line, const char*) {
  if (path == nullptr || !is_users(path)) return 0;
  SourceLine& found = *static_cast<SourceLine*>(data);
  const std::string_view view(path);
  if (found.line != 0 && is_shared_header(view)) return 0;
  found = {std::string(view.substr(view.rfind('/') + 1)), line};
  return is_shared_header(view) ? 0 : 1;
}

// Takes the innermost function only.
int visit_innermost(void* data, std::uintptr_t /*pc*/, const char* path, int, const char*) {
  *static_cast<bool*>(data) = path != nullptr && is_users(path);
  return 1;
}

// Without debug information lines stay unknown, which is no error of the program.
void ignore_error(void*, const char*, int) {}

void visit_frames(const void* return_address, backtrace_full_callback visit, void* data) {
  static backtrace_state* const state =
      backtrace_create_state(program_path(), 0, ignore_error, nullptr);
  // The call itself ends one byte before the address it returns to.
  const std::uintptr_t pc = reinterpret_cast<std::uintptr_t>(return_address) - 1;
  backtrace_pcinfo(state, pc, visit, ignore_error, data);
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
// judgement. A student's line lies in the program itself, so the linker sends libbacktrace's
// question for what is loaded here (--wrap).
extern "C" {
int __real_dl_iterate_phdr(int (*callback)(dl_phdr_info*, std::size_t, void*), void* data);

int __wrap_dl_iterate_phdr(int (*callback)(dl_phdr_info*, std::size_t, void*), void* data) {
  Visit visit{callback, data};
  return __real_dl_iterate_phdr(visit_program, &visit);
}
}

const SourceLine& source_line(const void* return_address) {
  static std::unordered_map<const void*, SourceLine> known;
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
