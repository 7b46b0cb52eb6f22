// SPDX-License-Identifier: MIT
// Lines of the program, for what the device reports.
#pragma once

#include "serve/commands.h"

namespace runtime {

// The line in a user's file that a caller's return address leads to; line 0: it leads to none. Of a
// header that rungs share, the line that called it.
serve::Place place_of(const void* return_address);

// The innermost caller that is the user's; a header that rungs share, if there is none.
serve::Place place_of_callers();

inline bool is_same(const serve::Place& a, const serve::Place& b) {
  return a.line == b.line && __builtin_strcmp(a.file, b.file) == 0;
}

}  // namespace runtime
