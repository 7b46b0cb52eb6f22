// SPDX-License-Identifier: MIT
#include "place.h"

#include <backtrace.h>
#include <link.h>
#include <sys/auxv.h>
#include <unwind.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <string_view>
#include <unordered_map>

namespace runtime {
namespace {

constexpr int kMaxFrames = 64;

bool lies_in(std::string_view path, std::string_view part) {
  return path.find(part) != std::string_view::npos;
}

// Headers that rungs share: a line of these is better than none, but a student's line is better.
bool is_shared_header(std::string_view path) {
  const bool is_contract = lies_in(path, "/labs/") && path.ends_with(".cuh");
  return is_contract || lies_in(path, "/common/cuda/lab/") ||
         lies_in(path, "/include/lockstep/lab/");
}

bool is_users(std::string_view path) {
  if (is_shared_header(path)) return true;
  constexpr std::array<std::string_view, 11> kLibraries = {
      "/cuda/toolkit/",     "/common/runtime/", "/common/device/", "/common/judge/",
      "/include/lockstep/",  // installed
      "/ziglang/",          "/lib/include/",    "/lib/clang/",     "/cccl/",
      "/include/thrust/",   "/include/cub/"};
  if (path.starts_with("/usr/")) return false;
  if (lies_in(path, "/tests/")) return true;
  for (const std::string_view library : kLibraries) {
    if (lies_in(path, library)) return false;
  }
  return true;
}

struct Known {
  serve::Place place;
  bool is_shared_header = false;
};

// libbacktrace visits the functions inlined at an address from the inside out. Line 0 is of one
// that clang made up, around a trap.
int visit_inlined(void* data, std::uintptr_t, const char* path, int line, const char*) {
  if (path == nullptr || line == 0 || !is_users(path)) return 0;
  auto& found = *static_cast<Known*>(data);
  const std::string_view view(path);
  if (found.place.line != 0 && is_shared_header(view)) return 0;
  found = {{}, is_shared_header(view)};
  view.substr(view.rfind('/') + 1).copy(found.place.file, sizeof found.place.file - 1);
  found.place.line = static_cast<std::uint32_t>(line);
  return found.is_shared_header ? 0 : 1;
}

// Without debug information lines stay unknown, which is not an error of the program.
void ignore_error(void*, const char*, int) {}

// The file of the running program, as it was started. Not /proc/self/exe: a sandbox has no /proc.
const char* program_path() { return reinterpret_cast<const char*>(getauxval(AT_EXECFN)); }

backtrace_state* program_state() {
  static backtrace_state* const state =
      backtrace_create_state(program_path(), 0, ignore_error, nullptr);
  return state;
}

struct Walk {
  Known found;
  int num_frames = 0;
};

const Known& find(const void* return_address);

_Unwind_Reason_Code visit_caller(_Unwind_Context* context, void* data) {
  Walk& walk = *static_cast<Walk*>(data);
  if (++walk.num_frames > kMaxFrames) return _URC_END_OF_STACK;
  int is_instruction = 0;  // of a frame that a signal has interrupted
  const auto address = static_cast<std::uintptr_t>(_Unwind_GetIPInfo(context, &is_instruction));
  const Known& known = find(reinterpret_cast<const void*>(address + (is_instruction != 0 ? 1 : 0)));
  const bool is_better = known.place.line != 0 && !known.is_shared_header;
  if (is_better || walk.found.place.line == 0) walk.found = known;
  return is_better ? _URC_END_OF_STACK : _URC_NO_REASON;
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

namespace {

const Known& find(const void* return_address) {
  static auto& known = *new std::unordered_map<const void*, Known>;  // outlives all users
  static auto& mutex = *new std::recursive_mutex;
  const std::lock_guard lock(mutex);
  const auto [entry, is_new] = known.try_emplace(return_address);
  if (is_new && return_address != nullptr) {
    // The call itself ends one byte before the address it returns to.
    backtrace_pcinfo(program_state(), reinterpret_cast<std::uintptr_t>(return_address) - 1,
                     visit_inlined, ignore_error, &entry->second);
  }
  return entry->second;
}

}  // namespace

serve::Place place_of(const void* return_address) {
  const Known& known = find(return_address);
  return known.is_shared_header ? place_of_callers() : known.place;
}

serve::Place place_of_callers() {
  Walk walk;
  _Unwind_Backtrace(visit_caller, &walk);
  return walk.found.place;
}

}  // namespace runtime
