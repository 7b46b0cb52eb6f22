// SPDX-License-Identifier: MIT
// A program with a main() of its own starts the device for itself, and lets it say at the end what
// was found: see common/device/serve/program_report.h. Linked whole: no function calls it.
//
// The device is no child of the program, which may wait for its own. A socket tells each that the
// other has ended.
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "call.h"
#include "connection.h"
#include "lockstep_runtime.h"
#include "memory/address_map.h"
#include "registry.h"
#include "serve/ring.h"
#include "shared_pages.h"

#ifndef LOCKSTEP_DEVICE_PROGRAM
#define LOCKSTEP_DEVICE_PROGRAM "lockstep_device"
#endif

// Of a program that an installed lockstep-run has built.
extern "C" const char lockstep_device_path[] __attribute__((weak));

namespace program {
namespace {

constexpr int kLifeFd = 3;  // of the device, as the judge's socket
constexpr int kFirstFree = 64;

[[noreturn]] void give_up(const char* what) {
  std::fprintf(stderr, "lockstep: cannot start the device: %s: %s\n", what, std::strerror(errno));
  std::_Exit(3);
}

const char* device_program() {
  const char* const named = std::getenv("LOCKSTEP_DEVICE");
  if (named != nullptr && *named != '\0') return named;
  return lockstep_device_path != nullptr ? lockstep_device_path : LOCKSTEP_DEVICE_PROGRAM;
}

// A file in memory that no process can shrink, out of the way of the descriptors that programs get.
int make_memory(const char* name, std::size_t size_bytes) {
  const int low = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (low < 0 || ftruncate(low, static_cast<off_t>(size_bytes)) != 0 ||
      fcntl(low, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
    give_up("no memory to share");
  }
  const int high = fcntl(low, F_DUPFD_CLOEXEC, kFirstFree);
  if (high < 0) return low;
  close(low);
  return high;
}

// In a child between fork and exec.
[[noreturn]] void become_device(const char* file, int life, int ring, int shared) {
  setsid();  // Ctrl-C is for the program
  for (const auto& [from, to] : {std::array{life, kLifeFd}, std::array{ring, serve::kRingFd},
                                 std::array{shared, serve::kSharedWithHostFd}}) {
    if (dup2(from, to) < 0) _exit(127);
  }
  const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (nothing >= 0) dup2(nothing, STDIN_FILENO);
  if (nothing >= 0) dup2(nothing, STDOUT_FILENO);
  char name[] = "lockstep_device";
  char option[] = "--program";
  char* const arguments[] = {name, option, nullptr};
  execv(file, arguments);
  _exit(127);
}

void start_device() {
  std::array<int, 2> life;
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, life.data()) != 0) give_up("no socket");
  const int own_life = fcntl(life[0], F_DUPFD_CLOEXEC, kFirstFree);
  const int their_life = fcntl(life[1], F_DUPFD_CLOEXEC, kFirstFree);
  const int ring = make_memory("lockstep-ring", serve::kRingBytes);
  const int shared = make_memory("lockstep-shared", memory::kSharedWithHostBytes);
  const char* const file = device_program();
  if (access(file, X_OK) != 0) give_up(file);
  const pid_t between = fork();
  if (between < 0) give_up("fork");
  if (between == 0) {
    const pid_t device = fork();
    if (device == 0) become_device(file, their_life, ring, shared);
    _exit(device < 0 ? 1 : 0);
  }
  int status = 0;
  while (waitpid(between, &status, 0) < 0 && errno == EINTR) {
  }
  close(life[0]);
  close(life[1]);
  close(their_life);
  runtime::Connection::use_own_device(own_life, ring, shared);
}

// What a program returns is not known to its destructors, and only _Exit() can change it here.
[[noreturn]] void end_with_findings(unsigned num_findings) {
  std::fflush(nullptr);
  std::fprintf(stderr, "lockstep: %u finding%s\n", num_findings, num_findings == 1 ? "" : "s");
  std::_Exit(1);
}

// The linker puts it before the program: so it lives longer than all that the program has, whose
// destructors may use the device.
struct Run {
  Run() {
    started_as = getpid();
    start_device();
    pthread_atfork(nullptr, nullptr, [] {
      runtime::take_variables_back();
      runtime::Connection::abandon();
    });
    // An error that the program ignored may be the cause.
    runtime::explain_host_crashes([](const std::string&) { runtime::report_unchecked_errors(); });
    runtime::share_managed_variables();
  }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  ~Run() {
    if (getpid() != started_as) return;          // a child process has findings of its own
    static_cast<void>(cudaDeviceSynchronize());  // no host will write what a kernel still polls
    runtime::report_unchecked_errors();
    const unsigned num_findings = runtime::ask(serve::End{}).result.num_findings;
    if (std::getenv("LOCKSTEP_REPORT") == nullptr && num_findings > 0) {
      end_with_findings(num_findings);
    }
  }

  pid_t started_as = 0;
} run;

}  // namespace
}  // namespace program
