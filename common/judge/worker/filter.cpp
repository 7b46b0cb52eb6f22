// SPDX-License-Identifier: MIT
#include "worker/filter.h"

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cstddef>
#include <string_view>

namespace worker {
namespace {

constexpr std::size_t kMaxInstructions = 256;
constexpr int kNotInstalled = 3;  // the status of a worker that cannot begin, as main()'s
constexpr std::string_view kProblem =
    "worker: cannot install the filter of system calls that LOCKSTEP_FILTER names\n";

// Dynamic linking is done, but no library's own initialiser has run: only system calls work surely.
bool install(const char* name) {
  sock_filter program[kMaxInstructions];
  const int file = open(name, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  const ssize_t got = read(file, program, sizeof program);
  close(file);
  if (got <= 0) return false;
  const sock_fprog whole{
      static_cast<unsigned short>(static_cast<std::size_t>(got) / sizeof(sock_filter)), program};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &whole) == 0;
}

}  // namespace

void take_filter(int, char**, char** environment) {
  constexpr std::string_view kName = "LOCKSTEP_FILTER=";
  for (; *environment != nullptr; ++environment) {
    if (!std::string_view(*environment).starts_with(kName)) continue;
    if (install(*environment + kName.size())) continue;
    [[maybe_unused]] const auto written = write(STDERR_FILENO, kProblem.data(), kProblem.size());
    _exit(kNotInstalled);
  }
}

}  // namespace worker
