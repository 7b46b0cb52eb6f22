// SPDX-License-Identifier: MIT
// From code addresses to lines of source. A caller in a kernel holds Untraced (run/untraced.h),
// because the tables here are not the kernel's data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace simt::device {

struct SourceLine {
  std::string file;  // without folders; empty if unknown
  int line = 0;
};

// The line that holds the call that returns to `return_address`. Of the functions inlined there,
// takes the innermost that is neither the emulator's nor a system header's: the student's line.
// Remembered; the first call reads the program's debug information.
const SourceLine& source_line(const void* return_address);

// Whether the code there is the student's own, and no function inlined from elsewhere.
bool is_students_own(const void* return_address);

// Whether the code there, or a function inlined there, is of a file in such a folder
// ("/cccl/thrust/").
bool lies_in_folder(const void* return_address, std::string_view folder);

// Whether both calls are in the same line, as far as known: compilers make copies of calls.
bool is_same_line(const void* return_address, const void* other);

// "line 12", or "line 12 of helper.cuh" if that is another file than `file`; "an unknown line".
std::string line_name(const void* return_address, const std::string& file);

// The code of one function.
struct CodeRange {
  std::uintptr_t begin = 0;
  std::size_t size_bytes = 0;

  bool contains(const void* pc) const {
    return reinterpret_cast<std::uintptr_t>(pc) - begin < size_bytes;
  }
};

// The symbol of the variable that holds the address; empty if unknown.
std::string variable_at(std::uintptr_t address);

// The function that holds the call; empty without a symbol table.
CodeRange function_of(const void* return_address);

}  // namespace simt::device
