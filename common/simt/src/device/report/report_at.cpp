// SPDX-License-Identifier: MIT
#include "report/report_at.h"

#include <utility>

#include "program/source_line.h"

namespace simt::device {

void report_at(FindingKind kind, const void* pc, const char* kernel, std::string message) {
  const SourceLine& where = source_line(pc);
  report({kind, where.file, where.line, kernel, std::move(message)});
}

SourcePlace place_in_host_code(const void* pc) {
  const SourcePlace where = {source_line(pc).file, source_line(pc).line};
  return where.line != 0 ? where : program_place(capture_call_stack());
}

}  // namespace simt::device
