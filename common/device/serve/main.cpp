// SPDX-License-Identifier: MIT
// The device process.
//
//   lockstep_device --ptx=FILE [--written=FILE] [--cpu-seconds=N]   started by the judge, next to a
//                                                                  worker: see judge_link.h
//   lockstep_device --program                                      started by a program with a
//                                                                  main() of its own
//
// Descriptors: 3 the judge's socket, or one that ends with the program; 4 the judge's arena; 5 the
// ring; 6 the memory that the host maps, too.
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <variant>

#include "debug/channel.h"
#include "debug/debugger.h"
#include "memory/book.h"
#include "protocol/wire.h"
#include "run/schedule.h"
#include "serve/device.h"
#include "serve/judge_link.h"
#include "serve/processor.h"
#include "serve/program_report.h"
#include "serve/progress.h"
#include "serve/ring.h"
#include "serve/server.h"

namespace {

// This file is compiled for any processor, the rest of the device for DEVICE_LEVEL. So this comes
// before the initialisers of the others, and uses no library that they may have instances of.
[[gnu::constructor(101)]] void check_processor() {
  const char* const missing = serve::missing_feature(DEVICE_LEVEL, serve::has_feature);
  if (missing == nullptr) return;
  dprintf(STDERR_FILENO,
          "device: it was built for processors of the level " DEVICE_LEVEL
          ", and this one lacks %s; configure again with -DLAB_DEVICE_LEVEL=portable, and build\n",
          missing);
  _exit(3);
}

constexpr const char* kUsage =
    "usage: lockstep_device --ptx=FILE [--written=FILE] [--cpu-seconds=N], or --program";

struct Options {
  std::string ptx;
  bool is_program = false;
  rlim_t cpu_seconds = RLIM_INFINITY;
};

Options read_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    const std::string value(argument.substr(std::min(argument.find('=') + 1, argument.size())));
    if (argument.starts_with("--ptx=")) {
      options.ptx = value;
    } else if (argument.starts_with("--cpu-seconds=")) {
      options.cpu_seconds = std::strtoull(value.c_str(), nullptr, 10);
    } else if (argument == "--program") {
      options.is_program = true;
    } else if (!argument.starts_with("--written=")) {
      throw std::runtime_error(kUsage);
    }
  }
  if (options.is_program == !options.ptx.empty()) throw std::runtime_error(kUsage);
  return options;
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  if (!file) throw std::runtime_error("cannot read " + path);
  return text.str();
}

// It ends with the judge that started it, and holds only what is its own. In judgement it is in a
// sandbox already, whose filter ends what makes some of these calls. A program's device has another
// parent, which ends at once: a socket says when the program has ended (see watch_program).
void withdraw(const Options& options) {
  if (options.cpu_seconds != RLIM_INFINITY) {
    const rlimit cpu = {options.cpu_seconds, options.cpu_seconds};
    setrlimit(RLIMIT_CPU, &cpu);
  }
  if (!options.is_program) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_DUMPABLE, 0);  // no other process of this user may read or change our memory
    return;
  }
  for (const int signal : {SIGINT, SIGQUIT, SIGHUP}) ::signal(signal, SIG_IGN);  // the program's
  syscall(SYS_close_range, serve::kSharedWithHostFd + 1, ~0U, 0);
  const rlimit core = {0, 0};
  setrlimit(RLIMIT_CORE, &core);
}

// LOCKSTEP_DEBUG: a socket at which `./lab debug` waits. Neither the judge nor a program passes the
// variable on to a worker that is confined.
void debug_if_asked(serve::Device& device) {
  const char* const path = std::getenv("LOCKSTEP_DEBUG");
  if (path == nullptr || *path == '\0') return;
  auto& channel = *new debug::SocketChannel(path);
  auto& debugger = *new debug::Debugger(channel);
  device.watchers().add(debugger);
  debugger.greet();
}

// The objects live as long as the process: threads use them.
[[noreturn]] void serve_judge(const Options& options) {
  auto& device = *new serve::Device(false);
  device.load(read_file(options.ptx));
  serve::Ring& ring = serve::map_ring(serve::kRingFd, true);
  auto& server = *new serve::Server(device, ring);
  auto& judge = *new serve::JudgeLink(device, server, ring);
  server.set_other_work([&] { return judge.take_message(); });
  debug_if_asked(device);
  judge.greet();
  const bool is_over = false;
  for (;;) server.run_until(is_over);
}

std::uint64_t number_of(const char* variable) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? 0 : std::strtoull(text, nullptr, 10);
}

check::Checks checks_of(const char* text) {
  const std::string_view level = text == nullptr ? "all" : text;
  if (level == "none") return check::Checks::kNone;
  return level == "memory" ? check::Checks::kMemory : check::Checks::kAll;
}

// Ends this process when the program has closed its end, whatever a kernel does.
void watch_program() {
  std::thread([] {
    char nothing = 0;
    while (read(wire::kSocketFd, &nothing, 1) > 0) {
    }
    _exit(0);
  }).detach();
}

[[noreturn]] void serve_program() {
  watch_program();
  auto& device = *new serve::Device(true);
  serve::Ring& ring = serve::map_ring(serve::kRingFd, false);
  auto& server = *new serve::Server(device, ring);
  auto& report = *new serve::ProgramReport(std::getenv("LOCKSTEP_REPORT"));
  auto& progress = *new serve::Progress(std::getenv("LOCKSTEP_PROGRESS"));
  const bool is_profiled = number_of("LOCKSTEP_PROFILE") != 0;
  const char* const recorded = std::getenv("LOCKSTEP_RECORD");  // a kernel; empty: the first
  device.watchers().set_checks(checks_of(std::getenv("LOCKSTEP_CHECKS")));
  device.watchers().set_counting(is_profiled);
  device.watchers().timer().set_watching(is_profiled);
  if (recorded != nullptr) {
    device.watchers().recorder().record_launch(
        recorded, [&](const std::string& text) { report.write_recording(text); });
  }
  if (progress.is_shown()) device.watchers().add(progress);
  debug_if_asked(device);
  // A program may know that it has the device for itself.
  device.set_schedule(number_of("LOCKSTEP_SEED") & ~run::kBusyDevice);
  server.set_listener([&, is_recorded = recorded != nullptr](const serve::Decoded& decoded,
                                                             serve::Answered& answered) {
    report.write_findings();
    if (!std::holds_alternative<serve::End>(decoded.command)) return;
    report.write_end(device, is_profiled, is_recorded);
    const serve::End::Result result{static_cast<std::uint32_t>(report.num_findings())};
    std::memcpy(answered.result.data(), &result, sizeof result);
  });
  const bool is_over = false;
  for (;;) server.run_until(is_over);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const Options options = read_options(argc, argv);
    withdraw(options);
    memory::reserve(serve::kSharedWithHostFd);
    if (options.is_program) serve_program();
    serve_judge(options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "device: %s\n", error.what());
    std::fflush(nullptr);
    _exit(3);
  }
}
