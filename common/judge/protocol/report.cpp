// SPDX-License-Identifier: MIT
#include "protocol/report.h"

#include <stdexcept>
#include <utility>

#include "protocol/bytes.h"
#include "protocol/finding_kinds.h"

namespace wire {

void encode(Writer& out, const Report& report) {
  out.put(static_cast<std::uint32_t>(report.findings.size()));
  for (const Finding& finding : report.findings) {
    out.put(std::string_view(finding.kind)).put(std::string_view(finding.file)).put(finding.line);
    out.put(std::string_view(finding.kernel)).put(std::string_view(finding.message));
  }
  encode(out, report.kernels);
  out.put(std::string_view(report.recording));
  out.put(static_cast<std::uint32_t>(report.launches.size()));
  for (const std::string& kernel : report.launches) out.put(std::string_view(kernel));
}

Report decode_report(Reader& in) {
  Report report;
  // push_back, not resize: a forged count must not allocate.
  for (auto count = in.get<std::uint32_t>(); count > 0; --count) {
    Finding finding;
    finding.kind = in.text();
    if (!judge::kind::is_known(finding.kind)) throw std::runtime_error("unknown kind of finding");
    finding.file = in.text();
    finding.line = in.get<std::int32_t>();
    finding.kernel = in.text();
    finding.message = in.text();
    report.findings.push_back(std::move(finding));
  }
  report.kernels = decode_counters(in);
  report.recording = in.long_text();
  for (auto count = in.get<std::uint32_t>(); count > 0; --count) {
    report.launches.push_back(in.text());
  }
  return report;
}

}  // namespace wire
