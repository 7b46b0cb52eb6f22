// SPDX-License-Identifier: MIT
#include "report/report_at.h"

#include <string_view>
#include <utility>

#include "program/source_line.h"

namespace simt::device {

SourcePlace place_in_kernel(const void* pc, const LaunchSite& site) {
  const SourceLine& where = source_line(pc);
  if (where.line != 0) return {where.file, where.line};
  const std::string_view path(site.file);
  return {std::string(path.substr(path.rfind('/') + 1)), site.line};
}

void report_at(FindingKind kind, const void* pc, const LaunchSite& site, std::string message) {
  SourcePlace where = place_in_kernel(pc, site);
  report({kind, std::move(where.file), where.line, site.kernel, std::move(message)});
}

SourcePlace place_in_host_code(const void* pc) {
  const SourcePlace where = {source_line(pc).file, source_line(pc).line};
  return where.line != 0 ? where : program_place(capture_call_stack());
}

}  // namespace simt::device
