// SPDX-License-Identifier: MIT
#include "process/become_child.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>

#include "protocol/wire.h"

namespace judge {
namespace {

void set_limit(__rlimit_resource resource, rlim_t value) {
  const rlimit limit{value, value};
  setrlimit(resource, &limit);
}

}  // namespace

void become_child(char* const* argv, char* const* envp, int socket_fd, Inherited shared,
                  int output_fd, int log_fd) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // it dies with the judge
  set_limit(RLIMIT_CORE, 0);
  set_limit(RLIMIT_FSIZE, rlim_t{16} << 20);
  // Move everything out of the way of the fixed numbers before putting it there.
  constexpr int kOutOfTheWay = wire::kArenaFd + wire::kNumSharedFds;
  socket_fd = fcntl(socket_fd, F_DUPFD, kOutOfTheWay);
  output_fd = fcntl(output_fd, F_DUPFD, kOutOfTheWay);
  log_fd = fcntl(log_fd < 0 ? output_fd : log_fd, F_DUPFD, kOutOfTheWay);
  const int null_fd = open("/dev/null", O_RDONLY);
  if (socket_fd < 0 || output_fd < 0 || log_fd < 0 || null_fd < 0) _exit(127);
  for (int& fd : shared) {
    if (fd >= 0 && (fd = fcntl(fd, F_DUPFD, kOutOfTheWay)) < 0) _exit(127);
  }
  dup2(null_fd, STDIN_FILENO);
  dup2(log_fd, STDOUT_FILENO);  // the worker's own, under a checker: see move_output() there
  dup2(output_fd, STDERR_FILENO);
  dup2(socket_fd, wire::kSocketFd);
  int place = wire::kArenaFd;
  for (const int fd : shared) {
    if (fd >= 0) {
      dup2(fd, place);
    } else {
      close(place);
    }
    ++place;
  }
  syscall(SYS_close_range, kOutOfTheWay, ~0U, 0);
  execve(argv[0], argv, envp);
  _exit(127);
}

std::vector<std::string> environment_of_child() {
  std::vector<std::string> environment;
  environment.reserve(4);
  for (const char* name :
       {"PATH", "LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_MAX_CONNECTIONS"}) {
    if (const char* value = std::getenv(name))
      environment.push_back(std::string(name) + "=" + value);
  }
  return environment;
}

}  // namespace judge
