// SPDX-License-Identifier: MIT
// What the rewriter has written into the program about its source: entries that end with ';', whose
// first character is their kind.
#pragma once

#include <string>
#include <string_view>

// The linker's bounds of the table, which a program that was not rewritten lacks.
extern "C" [[gnu::weak]] const char __start_simt_names[];
extern "C" [[gnu::weak]] const char __stop_simt_names[];

namespace simt::device {

// Calls visit(kind, text) for each entry.
//   ':'  the name of a __device__ or __shared__ variable, or of a function; "*": others may follow
//   '~'  the name of a __managed__ variable
//   '='  the name of a __constant__ variable
//   '@'  FILE:LINE, where a class is defined
template <class Visit>
void for_each_entry(Visit visit) {
  if (__start_simt_names == nullptr) return;
  std::string entry;
  for (const char* c = __start_simt_names; c != __stop_simt_names; ++c) {
    if (*c == ';' && !entry.empty()) visit(entry[0], std::string_view(entry).substr(1));
    if (*c == ';' || *c == '\0') {
      entry.clear();
    } else {
      entry += *c;
    }
  }
}

}  // namespace simt::device
