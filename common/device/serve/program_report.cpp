// SPDX-License-Identifier: MIT
#include "serve/program_report.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <vector>

#include "fixture/json.h"
#include "measure/counters_json.h"
#include "serve/counters_to_wire.h"

namespace serve {
namespace {

constexpr int kMaxFindings = 100;

}  // namespace

ProgramReport::ProgramReport(const char* path) : people_read_(path == nullptr) {
  if (path != nullptr) file_ = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
}

void ProgramReport::write_line(const char* name, const std::string& value) const {
  if (file_ < 0) return;
  const std::string line = json::object({{name, value}}) + "\n";
  std::size_t written = 0;
  while (written < line.size()) {
    const ssize_t now = write(file_, line.data() + written, line.size() - written);
    if (now <= 0) return;
    written += static_cast<std::size_t>(now);
  }
}

void ProgramReport::write_finding(const report::Finding& finding) {
  if (num_findings_ == kMaxFindings ||
      !known_.emplace(finding.kind, finding.file, finding.line, finding.error).second) {
    return;
  }
  ++num_findings_;
  if (people_read_) {
    std::string text = report::name_of(finding.kind);
    if (finding.line != 0) text += "  " + finding.file + ":" + std::to_string(finding.line);
    std::fprintf(stderr, "%s\n  %s\n", text.c_str(), finding.message.c_str());
    return;
  }
  write_line("finding", json::object({{"kind", json::quote(report::name_of(finding.kind))},
                                      {"file", json::quote(finding.file)},
                                      {"line", std::to_string(finding.line)},
                                      {"kernel", json::quote(finding.kernel)},
                                      {"message", json::quote(finding.message)}}));
}

void ProgramReport::write_note(const report::Finding& note) {
  if (!known_notes_.emplace(note.file, note.line).second) return;
  if (people_read_) {
    std::fprintf(stderr, "note  %s:%u\n  %s\n", note.file.c_str(), note.line, note.message.c_str());
    return;
  }
  write_line("note", json::object({{"file", json::quote(note.file)},
                                   {"line", std::to_string(note.line)},
                                   {"message", json::quote(note.message)}}));
}

void ProgramReport::write_findings() {
  for (const report::Finding& note : report::take_notes()) write_note(note);
  for (const report::Finding& finding : report::take_findings()) write_finding(finding);
}

void ProgramReport::write_end(Device& device, bool is_profiled, bool is_recorded) {
  write_findings();
  std::vector<std::string> leaks;
  for (const memory::Allocation* const allocation : device.leaks()) {
    leaks.push_back(json::object({{"file", json::quote(allocation->made_at.file)},
                                  {"line", std::to_string(allocation->made_at.line)},
                                  {"size_bytes", std::to_string(allocation->size_bytes)}}));
  }
  write_line("leaks", json::array(leaks));
  if (is_recorded) {
    std::vector<std::string> kernels;
    for (const std::string& kernel : device.launches()) kernels.push_back(json::quote(kernel));
    write_line("launches", json::array(kernels));
  }
  if (is_profiled) {
    write_line("kernels", judge::kernels_json(to_wire(device.watchers().counter().take())));
    write_line("shapes", judge::shapes_json(to_wire(device.watchers().timer().take())));
  }
}

}  // namespace serve
