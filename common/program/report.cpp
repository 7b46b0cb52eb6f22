// SPDX-License-Identifier: MIT
// A program with a main() of its own: takes the settings from the environment, and reports what the
// emulator finds as soon as it is found, so that nothing is lost when the program crashes or is
// ended. `./lab run` names a file, which gets one JSON object a line; docs/emulator.md describes
// them. Without such a file people read the findings on stderr.
#include <cuda_runtime.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "fixture/json.h"
#include "measure/counters_json.h"
#include "simt/call_stack.h"
#include "simt/checks.h"
#include "simt/cores.h"
#include "simt/counters.h"
#include "simt/error_state.h"
#include "simt/finding.h"
#include "simt/host_crash.h"
#include "simt/launch.h"
#include "simt/memory.h"
#include "simt/progress.h"
#include "simt/recording.h"
#include "simt/schedule.h"
#include "worker/counters_cpu.h"

namespace program {
namespace {

int report_file = -1;
bool people_read = false;  // there is no such file
int num_findings = 0;
pid_t started_as = 0;  // a child process has findings of its own, and writes none

void write_line(const char* name, const std::string& value) {
  if (report_file < 0 || getpid() != started_as) return;
  const std::string line = json::object({{name, value}}) + "\n";
  std::size_t written = 0;
  while (written < line.size()) {
    const ssize_t now = write(report_file, line.data() + written, line.size() - written);
    if (now <= 0) return;
    written += static_cast<std::size_t>(now);
  }
}

void print_finding(const simt::Finding& finding) {
  std::string text = simt::finding_kind_name(finding.kind);
  if (finding.line != 0) text += "  " + finding.file + ":" + std::to_string(finding.line);
  std::fprintf(stderr, "%s\n  %s\n", text.c_str(), finding.message.c_str());
}

void write_finding(const simt::Finding& finding) {
  if (getpid() != started_as) return;
  ++num_findings;
  if (people_read) return print_finding(finding);
  write_line("finding", json::object({{"kind", json::quote(simt::finding_kind_name(finding.kind))},
                                      {"file", json::quote(finding.file)},
                                      {"line", std::to_string(finding.line)},
                                      {"kernel", json::quote(finding.kernel)},
                                      {"message", json::quote(finding.message)}}));
}

// A launch or call that failed, while the program never asked for the error.
void report_unchecked_error() {
  const cudaError_t error = cudaPeekAtLastError();
  if (error == cudaSuccess || simt::sticky_error() != cudaSuccess) return;
  const simt::ErrorOrigin& origin = simt::last_error_origin();
  const simt::SourcePlace place = simt::program_place(origin.stack);
  simt::report({simt::FindingKind::kLaunchError, place.file, place.line, origin.kernel,
                (origin.what.empty() ? "a CUDA call" : origin.what) + " failed with " +
                    cudaGetErrorName(error) + " (" + cudaGetErrorString(error) +
                    "), and the program never asked for the error: check what each CUDA call "
                    "returns, and cudaGetLastError() after each launch"});
}

// Its own text is JSON already.
void write_recording(const std::string& text) { write_line("recording", text); }

void write_launches() {
  std::vector<std::string> kernels;
  for (const std::string& kernel : simt::launches_seen()) kernels.push_back(json::quote(kernel));
  write_line("launches", json::array(kernels));
}

// Memory of the device that is still allocated; the end of the process frees it.
void write_leaks() {
  std::vector<std::string> leaks;
  for (const simt::Allocation* allocation : simt::live_allocations()) {
    const bool is_leak = allocation->kind == simt::Allocation::Kind::kDevice ||
                         allocation->kind == simt::Allocation::Kind::kManaged ||
                         allocation->kind == simt::Allocation::Kind::kDeviceHeap;
    if (!is_leak) continue;
    const simt::SourcePlace place = simt::program_place(allocation->made_by);
    leaks.push_back(json::object({{"file", json::quote(place.file)},
                                  {"line", std::to_string(place.line)},
                                  {"size_bytes", std::to_string(allocation->size_bytes)}}));
  }
  write_line("leaks", json::array(leaks));
}

// `./lab run` reads the file while the program runs.
void share_progress(const char* path) {
  const int file = open(path, O_RDWR | O_CLOEXEC);
  if (file < 0) return;
  void* const shared =
      mmap(nullptr, sizeof(simt::Progress), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (shared != MAP_FAILED) simt::show_progress(static_cast<simt::Progress*>(shared));
}

// What a program returns is not known to its destructors, and only _Exit() can change it here.
[[noreturn]] void end_with_findings() {
  std::fflush(nullptr);
  std::fprintf(stderr, "lockstep: %d finding%s\n", num_findings, num_findings == 1 ? "" : "s");
  std::_Exit(1);
}

std::uint64_t number_of(const char* variable) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? 0 : std::strtoull(text, nullptr, 10);
}

// That this process may use, unless the user says how many.
int number_of_cores() {
  constexpr std::uint64_t kMost = 64;
  if (const char* const text = std::getenv("LOCKSTEP_CORES")) {
    const std::uint64_t wanted = number_of("LOCKSTEP_CORES");
    if (wanted >= 1 && wanted <= kMost) return static_cast<int>(wanted);
    std::fprintf(stderr, "lockstep: LOCKSTEP_CORES is '%s': give a number from 1 to 64\n", text);
    std::_Exit(2);
  }
  cpu_set_t allowed;
  return sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed) : 1;
}

// The linker puts it after the emulator and before the program: so it lives longer than all that
// the program has, whose destructors may use the device, and the emulator longer still.
struct Run {
  Run() {
    started_as = getpid();
    if (const char* const path = std::getenv("LOCKSTEP_REPORT")) {
      report_file = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
    } else {
      people_read = true;
    }
    if (const char* const path = std::getenv("LOCKSTEP_PROGRESS")) share_progress(path);
    simt::set_finding_listener(write_finding);
    simt::explain_host_crashes(nullptr);
    if (const char* const checks = std::getenv("LOCKSTEP_CHECKS")) {
      const std::string_view level = checks;
      simt::set_checks(level == "none"     ? simt::Checks::kNone
                       : level == "memory" ? simt::Checks::kMemory
                                           : simt::Checks::kAll);
    }
    // A program may know that it has the device for itself.
    simt::set_schedule(number_of("LOCKSTEP_SEED") & ~simt::kBusyDevice);
    simt::set_cores(number_of_cores());
    simt::set_counting(number_of("LOCKSTEP_PROFILE") != 0);
    simt::allow_nested_launches(true);
    if (const char* const kernel = std::getenv("LOCKSTEP_RECORD")) {
      simt::record_launch(kernel, write_recording);
    }
  }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  ~Run() {
    if (getpid() != started_as) return;
    static_cast<void>(cudaDeviceSynchronize());  // no host will write what a kernel still polls
    report_unchecked_error();
    write_leaks();
    if (std::getenv("LOCKSTEP_RECORD") != nullptr) write_launches();
    if (number_of("LOCKSTEP_PROFILE") != 0) {
      write_line("kernels", judge::kernels_json(worker::take_counters()));
    }
    if (people_read && num_findings > 0) end_with_findings();
  }
} run;

}  // namespace
}  // namespace program
