// SPDX-License-Identifier: MIT
#include "process/child.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <utility>

#include "process/family.h"

namespace judge {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kKeptOutputBytes = 4096;
constexpr std::size_t kMaxLogBytes = std::size_t{16} << 20;
constexpr auto kMaxAfterlife = std::chrono::seconds(10);
constexpr int kPollMs = 50;

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> result;
  result.reserve(strings.size() + 1);
  for (std::string& string : strings) result.push_back(string.data());
  result.push_back(nullptr);
  return result;
}

}  // namespace

Child::Child(Start start)
    : sandboxed_(start.sandboxed),
      log_file_(std::move(start.log_file)),
      max_output_bytes_(start.output_bytes) {
  int sockets[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0) {
    throw std::runtime_error("cannot make a socket for the worker");
  }
  channel_.emplace(sockets[0], start.patience_seconds);
  int pipes[2];
  if (pipe2(pipes, O_CLOEXEC | O_NONBLOCK) != 0) {
    close(sockets[1]);
    throw std::runtime_error("cannot make a pipe for the worker");
  }
  // A socket, not a pipe: /proc/PID/fd opens another process's pipe, but no socket.
  int logs[2] = {-1, -1};
  if (!log_file_.empty() && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, logs) != 0) {
    for (const int fd : {sockets[1], pipes[0], pipes[1]}) close(fd);
    throw std::runtime_error("cannot make a socket for the checker");
  }
  std::vector<std::string> env_strings = environment_of_child();
  const std::vector<char*> argv = pointers(start.command);
  const std::vector<char*> envp = pointers(env_strings);
  // The child's end must block: a student's printf that fails with EAGAIN would lose text.
  fcntl(pipes[1], F_SETFL, 0);
  pid_ = fork();
  if (pid_ == 0) {
    if (start.memory_door >= 0 && write(start.memory_door, "0", 1) != 1) _exit(127);
    become_child(argv.data(), envp.data(), sockets[1], start.shared, pipes[1], logs[1]);
  }
  close(sockets[1]);
  close(pipes[1]);
  if (logs[1] >= 0) close(logs[1]);
  log_fd_ = logs[0];
  output_fd_ = pipes[0];
  if (pid_ < 0) {
    close(output_fd_);
    if (log_fd_ >= 0) close(log_fd_);
    throw std::runtime_error("cannot start a process for the worker");
  }
  setpgid(pid_, pid_);  // in both parent and child, so that neither order loses
  pid_fd_ = static_cast<int>(syscall(SYS_pidfd_open, pid_, 0));
}

Child::~Child() {
  try {
    kill();
  } catch (const std::runtime_error&) {
    // A caller that needs to know about a failure calls kill() first.
  }
  close(output_fd_);
  drain_log();
  if (log_fd_ >= 0) close(log_fd_);
  if (pid_fd_ >= 0) close(pid_fd_);
}

std::vector<pid_t> Child::family() const {
  return is_running() ? judge::family(pid_) : std::vector<pid_t>{};
}

void Child::send(int signal) const {
  for (const pid_t pid : family()) ::kill(pid, signal);
}

void Child::await_end(double seconds) {
  const auto deadline = Clock::now() + std::chrono::duration<double>(seconds);
  pollfd gone{pid_fd_, POLLIN, 0};
  while (is_running() && Clock::now() < deadline && poll(&gone, 1, kPollMs) == 0) {
    drain_output();
    drain_log();
  }
}

void Child::kill() {
  if (!is_running()) return;
  // Look at how it ended before the group is killed, or every death would read "Killed". WNOWAIT
  // keeps the zombie, and with it the group's number, until the group is gone.
  siginfo_t info{};
  if (waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
      info.si_pid == pid_) {
    describe_death(info.si_code, info.si_status);
  }
  // A sandbox that has only just started may not have arranged yet that the program, in a group of
  // its own, dies with it. One that we do not see yet finds the end of its channel.
  send(SIGKILL);
  ::kill(-pid_, SIGKILL);
  channel_->finish_sending();
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  await_silence();
}

// If a sandbox is killed, the processes in it die a moment later. They must be gone before the next
// program starts, or they could write to shared memory. Each holds its end of the pipe as long as
// it lives, so the pipe shows when the last one ends.
void Child::await_silence() {
  const auto deadline = Clock::now() + kMaxAfterlife;
  pollfd pipe{output_fd_, POLLIN, 0};
  while (Clock::now() < deadline) {
    const int num_ready = poll(&pipe, 1, kPollMs);
    if (num_ready < 0 && errno != EINTR) break;
    drain_output();
    drain_log();
    if (num_ready > 0 && (pipe.revents & POLLHUP) != 0) return;
  }
  throw std::runtime_error("a process of the worker's outlives being killed");
}

// A sandbox reports the death of the program in it as shells do: exit status 128 + N for signal N.
void Child::describe_death(int code, int status) {
  if (sandboxed_ && code == CLD_EXITED && status > 128) {
    code = CLD_KILLED;
    status -= 128;
  }
  if (code == CLD_EXITED) {
    death_.status = status;
    death_.how = "exited with status " + std::to_string(status);
    return;
  }
  const char* const name = strsignal(status);
  death_.signal = status;
  death_.how = "was killed by signal " + std::to_string(status) + " (" +
               (name == nullptr ? "unknown" : name) +
               (status == SIGFPE ? ": an integer is divided by 0)" : ")");
}

bool Child::drain_output() {
  char chunk[65536];
  for (;;) {
    const ssize_t got = read(output_fd_, chunk, sizeof chunk);
    if (got == 0) is_output_open_ = false;
    if (got <= 0) return true;
    output_bytes_ += static_cast<std::size_t>(got);
    if (output_.size() < kKeptOutputBytes) {
      output_.append(chunk,
                     std::min(static_cast<std::size_t>(got), kKeptOutputBytes - output_.size()));
    }
    if (output_bytes_ > max_output_bytes_) return false;
  }
}

std::string Child::take_output() {
  drain_output();
  return std::exchange(output_, {});
}

void Child::drain_log() {
  if (log_fd_ < 0) return;
  std::ofstream file(log_file_, std::ios::app | std::ios::binary);
  char chunk[65536];
  for (;;) {
    const ssize_t got = recv(log_fd_, chunk, sizeof chunk, MSG_DONTWAIT);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return;
    if (got == 0) break;  // the checker and all that it started are gone
    if (log_bytes_ < kMaxLogBytes) file.write(chunk, got);
    log_bytes_ += static_cast<std::size_t>(got);
  }
  close(log_fd_);
  log_fd_ = -1;
}

}  // namespace judge
