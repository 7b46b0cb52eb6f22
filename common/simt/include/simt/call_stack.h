// SPDX-License-Identifier: MIT
// The callers, kept as addresses, which is cheap. A finding turns them into a source line when it
// needs one.
#pragma once

#include <array>
#include <string>

namespace simt {

struct SourcePlace {
  std::string file;  // without folders; empty if unknown
  int line = 0;      // 0 if unknown
};

struct CallStack {
  std::array<const void*, 16> return_addresses = {};  // the innermost first; null after the last
};

// Of the calling function.
CallStack capture_call_stack();

// The innermost line that is the program's own: neither the emulator's nor a system header's.
SourcePlace program_place(const CallStack& stack);

// "line 12 of scan.cu"; empty if unknown.
std::string program_line_name(const CallStack& stack);

}  // namespace simt
