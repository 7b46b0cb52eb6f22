// SPDX-License-Identifier: MIT
#include "protocol/report.h"

#include <stdexcept>
#include <utility>

#include "protocol/bytes.h"
#include "protocol/finding_kinds.h"

namespace wire {
namespace {

void encode(Writer& out, const std::vector<Finding>& findings) {
  out.put(static_cast<std::uint32_t>(findings.size()));
  for (const Finding& finding : findings) {
    out.put(std::string_view(finding.kind)).put(std::string_view(finding.file)).put(finding.line);
    out.put(std::string_view(finding.kernel)).put(std::string_view(finding.message));
  }
}

std::vector<Finding> decode_findings(Reader& in) {
  std::vector<Finding> findings;
  // push_back, not resize: a forged count must not allocate.
  for (auto count = in.get<std::uint32_t>(); count > 0; --count) {
    Finding finding;
    finding.kind = in.text();
    if (!judge::kind::is_known(finding.kind)) throw std::runtime_error("unknown kind of finding");
    finding.file = in.text();
    finding.line = in.get<std::int32_t>();
    finding.kernel = in.text();
    finding.message = in.text();
    findings.push_back(std::move(finding));
  }
  return findings;
}

}  // namespace

void bound(Report& report) {
  constexpr std::size_t kMaxFindings = 200;
  constexpr std::size_t kMaxLaunches = 1000;
  constexpr std::size_t kMaxNameBytes = 1000;
  const auto cut = [](std::string& text, std::size_t max_bytes) {
    if (text.size() > max_bytes) text.resize(max_bytes);
  };
  for (std::vector<Finding>* const findings : {&report.findings, &report.notes}) {
    if (findings->size() > kMaxFindings) findings->resize(kMaxFindings);
    for (Finding& finding : *findings) {
      cut(finding.file, kMaxNameBytes);
      cut(finding.kernel, kMaxNameBytes);
      cut(finding.message, kMaxTextBytes);
    }
  }
  for (KernelCounters& kernel : report.kernels) {
    cut(kernel.name, kMaxNameBytes);
    for (LineCounters& line : kernel.lines) {
      cut(line.file, kMaxNameBytes);
      for (Pattern& pattern : line.patterns) cut(pattern.base, kMaxNameBytes);
    }
  }
  for (Shape& shape : report.shapes) {
    cut(shape.kernel, kMaxNameBytes);
    for (LineTime& line : shape.lines) cut(line.file, kMaxNameBytes);
  }
  if (report.launches.size() > kMaxLaunches) report.launches.resize(kMaxLaunches);
  for (std::string& kernel : report.launches) cut(kernel, kMaxNameBytes);
  cut(report.printed, kMaxPrintedBytes);
  cut(report.fault, kMaxNameBytes);
}

void encode(Writer& out, const Report& report) {
  encode(out, report.findings);
  encode(out, report.notes);
  encode(out, report.kernels);
  encode(out, report.shapes);
  out.put(std::string_view(report.recording));
  out.put(static_cast<std::uint32_t>(report.launches.size()));
  for (const std::string& kernel : report.launches) out.put(std::string_view(kernel));
  out.put(report.num_allocations).put(std::string_view(report.timeline));
  out.put(std::string_view(report.printed));
  out.put(std::string_view(report.fault));
}

Report decode_report(Reader& in) {
  Report report;
  report.findings = decode_findings(in);
  report.notes = decode_findings(in);
  report.kernels = decode_counters(in);
  report.shapes = decode_shapes(in);
  report.recording = in.long_text();
  for (auto count = in.get<std::uint32_t>(); count > 0; --count) {
    report.launches.push_back(in.text());
  }
  report.num_allocations = in.get<std::uint32_t>();
  report.timeline = in.text();
  report.printed = in.long_text();
  report.fault = in.text();
  return report;
}

}  // namespace wire
