// SPDX-License-Identifier: MIT
// What is found in a program with a main() of its own, as soon as it is found, so that nothing is
// lost when the program crashes or is ended. `./lab run` names a file, which gets one JSON object a
// line; docs/emulator.md describes them. Without such a file people read the findings on stderr.
#pragma once

#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "report/finding.h"
#include "serve/device.h"

namespace serve {

class ProgramReport {
 public:
  explicit ProgramReport(const char* path);

  // Writes what the checks have reported since.
  void write_findings();
  // Of a launch, as JSON. It may come twice: see record::Recorder::Listener.
  void write_recording(const std::string& text) const { write_line("recording", text); }
  // The program has ended: what is still allocated, what was counted.
  void write_end(Device& device, bool is_profiled, bool is_recorded);

  int num_findings() const { return num_findings_; }

 private:
  void write_line(const char* name, const std::string& value) const;
  void write_finding(const report::Finding& finding);
  void write_note(const report::Finding& note);

  int file_ = -1;
  bool people_read_ = false;
  int num_findings_ = 0;
  std::set<std::tuple<report::Kind, std::string, std::uint32_t, std::uint32_t>> known_;
  std::set<std::pair<std::string, std::uint32_t>> known_notes_;
};

}  // namespace serve
