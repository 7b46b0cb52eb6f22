// SPDX-License-Identifier: MIT
#include "process/become_worker.h"

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

void become_worker(char* const* argv, char* const* envp, int socket_fd, int arena_fd, int output_fd,
                   int log_fd) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // the worker dies with the judge
  set_limit(RLIMIT_CORE, 0);
  set_limit(RLIMIT_FSIZE, rlim_t{16} << 20);
  // Move everything out of the way of the fixed numbers before putting it there.
  socket_fd = fcntl(socket_fd, F_DUPFD, 10);
  output_fd = fcntl(output_fd, F_DUPFD, 10);
  arena_fd = fcntl(arena_fd, F_DUPFD, 10);
  log_fd = fcntl(log_fd < 0 ? output_fd : log_fd, F_DUPFD, 10);
  const int null_fd = open("/dev/null", O_RDONLY);
  if (socket_fd < 0 || output_fd < 0 || arena_fd < 0 || log_fd < 0 || null_fd < 0) {
    _exit(127);
  }
  dup2(null_fd, STDIN_FILENO);
  dup2(log_fd, STDOUT_FILENO);  // the worker's own, under a checker: see move_output() there
  dup2(output_fd, STDERR_FILENO);
  dup2(socket_fd, wire::kSocketFd);
  dup2(arena_fd, wire::kArenaFd);
  syscall(SYS_close_range, wire::kArenaFd + 1, ~0U, 0);
  execve(argv[0], argv, envp);
  _exit(127);
}

std::vector<std::string> worker_environment() {
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
