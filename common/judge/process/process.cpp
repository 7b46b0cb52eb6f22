// SPDX-License-Identifier: MIT
#include "process/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <utility>

#include "process/become_worker.h"
#include "process/family.h"

namespace judge {
namespace {

constexpr std::size_t kKeptOutputBytes = 4096;
// What the driver maps for every program, before the rung asks for anything, is less than this. The
// rung's initialisers run before the first look, and must not raise what counts as the driver's.
constexpr std::size_t kMaxDriversOwnBytes = std::size_t{1} << 30;
constexpr std::size_t kMaxLogBytes = std::size_t{16} << 20;
constexpr auto kMaxSpin = std::chrono::seconds(2);
constexpr auto kMaxAfterlife = std::chrono::seconds(10);
constexpr auto kMaxDying = std::chrono::seconds(5);  // from its last descriptor to its end
constexpr int kWatchIntervalMs = 50;                 // how often CPU time and memory are looked at

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> result;
  result.reserve(strings.size() + 1);
  for (std::string& string : strings) result.push_back(string.data());
  result.push_back(nullptr);
  return result;
}

}  // namespace

WorkerProcess::WorkerProcess(const std::vector<std::string>& command, int arena_fd,
                             std::size_t shared_bytes, const Limits& limits)
    : limits_(limits),
      arena_fd_(arena_fd),
      shared_bytes_(shared_bytes),
      memory_group_(limits.memory_group, limits.memory_bytes),
      drivers_own_bytes_(kMaxDriversOwnBytes) {
  int sockets[2];
  int pipes[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0) {
    throw std::runtime_error("cannot make a socket for the worker");
  }
  if (pipe2(pipes, O_CLOEXEC | O_NONBLOCK) != 0) {
    close(sockets[0]);
    close(sockets[1]);
    throw std::runtime_error("cannot make a pipe for the worker");
  }
  // A socket, not a pipe: /proc/PID/fd opens another process's pipe, but no socket.
  int logs[2] = {-1, -1};
  if (!limits_.checker_log.empty() &&
      socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, logs) != 0) {
    for (const int fd : {sockets[0], sockets[1], pipes[0], pipes[1]}) close(fd);
    throw std::runtime_error("cannot make a socket for the checker");
  }
  std::vector<std::string> argv_strings = command;
  std::vector<std::string> env_strings = worker_environment();
  const std::vector<char*> argv = pointers(argv_strings);
  const std::vector<char*> envp = pointers(env_strings);
  // The child's end must block: a student's printf that fails with EAGAIN would lose text.
  fcntl(pipes[1], F_SETFL, 0);
  pid_ = fork();
  if (pid_ == 0) {
    if (memory_group_.door_fd() >= 0 && write(memory_group_.door_fd(), "0", 1) != 1) _exit(127);
    become_worker(argv.data(), envp.data(), sockets[1], arena_fd, pipes[1], logs[1]);
  }
  close(sockets[1]);
  close(pipes[1]);
  if (logs[1] >= 0) close(logs[1]);
  log_fd_ = logs[0];
  if (pid_ < 0) {
    close(sockets[0]);
    close(pipes[0]);
    if (log_fd_ >= 0) close(log_fd_);
    throw std::runtime_error("cannot start a process for the worker");
  }
  socket_fd_ = sockets[0];
  output_fd_ = pipes[0];
  // A worker that does not read must not block us: a request waits for room as long as for a reply.
  const timeval patience{static_cast<time_t>(std::ceil(limits_.call_wall_seconds)), 0};
  setsockopt(socket_fd_, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
  setpgid(pid_, pid_);  // in both parent and child, so that neither order loses
  pid_fd_ = static_cast<int>(syscall(SYS_pidfd_open, pid_, 0));
}

void WorkerProcess::send(int signal) const {
  if (pid_ <= 0) return;
  for (const pid_t pid : family(pid_)) kill(pid, signal);
}
void WorkerProcess::pause() const { send(SIGSTOP); }
void WorkerProcess::resume() const { send(SIGCONT); }

void WorkerProcess::end() {
  say_farewell();
  kill_group();
}

WorkerProcess::~WorkerProcess() {
  try {
    end();
  } catch (const std::runtime_error&) {
    // A caller that needs to know about a failure calls end() first.
  }
  close(socket_fd_);
  close(output_fd_);
  drain_log();
  if (log_fd_ >= 0) close(log_fd_);
  if (pid_fd_ >= 0) close(pid_fd_);
}

void WorkerProcess::say_farewell() {
  if (pid_ <= 0 || limits_.farewell_seconds <= 0) return;
  shutdown(socket_fd_, SHUT_RDWR);  // the worker's next read finds the end, so it returns
  const auto deadline = Clock::now() + std::chrono::duration<double>(limits_.farewell_seconds);
  pollfd gone{pid_fd_, POLLIN, 0};
  while (Clock::now() < deadline && poll(&gone, 1, kWatchIntervalMs) == 0) {
    drain_output();
    drain_log();
  }
}

void WorkerProcess::kill_group() {
  if (pid_ <= 0) return;
  // Look at how it ended before the group is killed, or every death would read "Killed". WNOWAIT
  // keeps the zombie, and with it the group's number, until the group is gone.
  siginfo_t info{};
  if (waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
      info.si_pid == pid_) {
    describe_death(info.si_code, info.si_status);
  }
  // A sandbox that has only just started may not have arranged yet that the worker, in a group of
  // its own, dies with it. One that we do not see yet finds the end of its channel.
  send(SIGKILL);
  kill(-pid_, SIGKILL);
  shutdown(socket_fd_, SHUT_WR);
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  await_silence();
}

// If a sandbox is killed, the processes in it die a moment later. They must be gone before the next
// worker starts, or they could write to the arena. Each holds its end of the pipe as long as it
// lives, so the pipe shows when the last one ends.
void WorkerProcess::await_silence() {
  const auto deadline = Clock::now() + kMaxAfterlife;
  pollfd pipe{output_fd_, POLLIN, 0};
  while (Clock::now() < deadline) {
    const int num_ready = poll(&pipe, 1, kWatchIntervalMs);
    if (num_ready < 0 && errno != EINTR) break;
    drain_output();
    drain_log();
    if (num_ready > 0 && (pipe.revents & POLLHUP) != 0) return;
  }
  throw std::runtime_error("a process of the worker's outlives being killed");
}

// A sandbox reports the death of the program in it as shells do: exit status 128 + N for signal N.
void WorkerProcess::describe_death(int code, int status) {
  if (limits_.sandboxed && code == CLD_EXITED && status > 128) {
    code = CLD_KILLED;
    status -= 128;
  }
  if (code == CLD_EXITED) {
    exit_status_ = status;
    how_died_ = "exited with status " + std::to_string(status);
    return;
  }
  const char* const name = strsignal(status);
  death_signal_ = status;
  how_died_ = "was killed by signal " + std::to_string(status) + " (" +
              (name == nullptr ? "unknown" : name) +
              (status == SIGFPE ? ": an integer is divided by 0)" : ")");
}

Exchange WorkerProcess::finish(Ending ending) {
  drain_output();
  read_socket();  // there may be only the greeting
  kill_group();
  Exchange exchange;
  exchange.greeted = greeted_;
  const bool took_too_much = ending == Ending::kDied && memory_group_.has_reached_limit();
  exchange.ending = took_too_much ? Ending::kMemoryExceeded : ending;
  exchange.how_died = how_died_;
  exchange.signal = death_signal_;
  exchange.status = exit_status_;
  exchange.memory_bytes = seen_memory_bytes_;
  exchange.cpu_seconds = seen_cpu_seconds_;
  return exchange;
}

Exchange WorkerProcess::exchange(wire::Kind kind, const std::string& payload, Wait wait,
                                 double seconds) {
  // An answer to a request that was not sent yet.
  if (sequence_ > 0 && has_unread_reply()) return finish(Ending::kMalformed);
  const auto begin = Clock::now();
  wire::Header header;
  header.sequence = ++sequence_;
  header.code = static_cast<std::uint32_t>(kind);
  try {
    wire::write_message(socket_fd_, header, payload);
  } catch (const std::runtime_error&) {
    // Let it finish dying, so that we name its own cause of death.
    pollfd gone{pid_fd_, POLLIN, 0};
    return finish(poll(&gone, 1, 1000) == 0 ? Ending::kMalformed : Ending::kDied);
  }
  return wait_for_reply(begin, wait, std::min(seconds, limits_.call_wall_seconds));
}

Exchange WorkerProcess::wait_for_reply(Clock::time_point begin, Wait wait, double seconds) {
  const double cpu_at_start = cpu_seconds();
  seen_cpu_seconds_ = 0;
  bool output_open = true;
  Clock::time_point last_open = begin;
  for (;;) {
    pollfd fds[] = {{socket_open_ ? socket_fd_ : -1, POLLIN, 0},
                    {output_open ? output_fd_ : -1, POLLIN, 0},
                    {pid_fd_, POLLIN, 0},
                    {log_fd_, POLLIN, 0}};
    const bool spins = wait == Wait::kSpinning && Clock::now() - begin < kMaxSpin;
    if (poll(fds, 4, spins ? 0 : kWatchIntervalMs) < 0 && errno != EINTR) {
      return finish(Ending::kDied);
    }
    const std::chrono::duration<double> waited = Clock::now() - begin;
    if (spins && fds[0].revents == 0 && fds[1].revents == 0 && fds[2].revents == 0) continue;

    if (fds[3].revents != 0) drain_log();
    if (fds[1].revents != 0 && !drain_output()) return finish(Ending::kFlooded);
    if ((fds[1].revents & POLLHUP) != 0 && (fds[1].revents & POLLIN) == 0) output_open = false;
    if (fds[0].revents != 0) {
      Exchange exchange;
      exchange.wall_ms = waited.count() * 1e3;
      exchange.cpu_seconds = seen_cpu_seconds_;
      if (receive(exchange)) {
        drain_output();
        return exchange.ending == Ending::kReplied ? exchange : finish(exchange.ending);
      }
    }
    if (fds[2].revents != 0) return finish(Ending::kDied);
    // A process that ends closes its socket a moment before. One that keeps running must not close
    // it.
    if (socket_open_) last_open = Clock::now();
    if (Clock::now() - last_open > kMaxDying) return finish(Ending::kMalformed);
    // Memory first: on a busy machine both limits may have passed since the last look, and taking
    // memory is what took the time.
    const std::size_t held_bytes = memory_bytes();
    if (held_bytes > 0) seen_memory_bytes_ = held_bytes;  // 0: it is ending
    if (held_bytes > limits_.memory_bytes) return finish(Ending::kMemoryExceeded);
    seen_cpu_seconds_ = std::max(seen_cpu_seconds_, cpu_seconds() - cpu_at_start);
    if (waited.count() > seconds || seen_cpu_seconds_ > limits_.call_cpu_seconds) {
      return finish(Ending::kTimedOut);
    }
  }
}

bool WorkerProcess::read_socket() {
  char chunk[65536];
  const ssize_t got = recv(socket_fd_, chunk, sizeof chunk, MSG_DONTWAIT);
  if (got < 0) return errno == EAGAIN || errno == EINTR;
  if (got == 0) return false;
  received_.append(chunk, static_cast<std::size_t>(got));
  const wire::Header greeting;
  if (!greeted_ && received_.size() >= sizeof greeting) {
    greeted_ = std::memcmp(received_.data(), &greeting, sizeof greeting) == 0;
    if (greeted_) received_.erase(0, sizeof greeting);
  }
  return true;
}

bool WorkerProcess::has_unread_reply() const {
  char byte;
  return !received_.empty() || recv(socket_fd_, &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0;
}

bool WorkerProcess::receive(Exchange& exchange) {
  socket_open_ = read_socket();
  wire::Header header;
  if (received_.size() < sizeof header) return false;
  std::memcpy(&header, received_.data(), sizeof header);
  exchange.ending = Ending::kMalformed;
  if (header.magic != wire::kMagic || header.sequence != sequence_ ||
      header.payload_bytes > wire::kMaxPayloadBytes) {
    return true;
  }
  const std::size_t total = sizeof header + header.payload_bytes;
  if (received_.size() < total) return false;
  // More than one reply to one request: another process writes to our socket.
  if (received_.size() > total) return true;
  try {
    exchange.reply = wire::decode_reply(std::string_view(received_).substr(sizeof header),
                                        static_cast<wire::Status>(header.code));
    exchange.ending = Ending::kReplied;
  } catch (const std::runtime_error&) {
    // The outcome stays kMalformed.
  }
  received_.clear();
  return true;
}

void WorkerProcess::drain_log() {
  if (log_fd_ < 0) return;
  std::ofstream file(limits_.checker_log, std::ios::app | std::ios::binary);
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

bool WorkerProcess::drain_output() {
  char chunk[65536];
  for (;;) {
    const ssize_t got = read(output_fd_, chunk, sizeof chunk);
    if (got <= 0) return true;
    output_bytes_ += static_cast<std::size_t>(got);
    if (output_.size() < kKeptOutputBytes) {
      output_.append(chunk,
                     std::min(static_cast<std::size_t>(got), kKeptOutputBytes - output_.size()));
    }
    if (output_bytes_ > limits_.output_bytes) return false;
  }
}

std::string WorkerProcess::take_output() {
  drain_output();
  return std::exchange(output_, {});
}

double WorkerProcess::cpu_seconds() const {
  double sum = 0;
  for (const pid_t pid : family(pid_)) sum += cpu_seconds_of(pid);
  return sum;
}

std::size_t WorkerProcess::memory_bytes() const {
  const std::vector<pid_t> pids = family(pid_);
  std::size_t sum = memory_file_bytes_of(pids, arena_fd_) + pinned_bytes();
  for (const pid_t pid : pids) sum += memory_bytes_of(pid, shared_bytes_);
  return sum;
}

std::size_t WorkerProcess::driver_bytes() const {
  std::size_t sum = 0;
  for (const pid_t pid : family(pid_)) sum += driver_bytes_of(pid);
  return sum;
}

std::size_t WorkerProcess::pinned_bytes() const {
  if (!limits_.counts_pinned) return 0;
  const std::size_t mapped = driver_bytes();
  return mapped - std::min(mapped, drivers_own_bytes_);
}

void WorkerProcess::begin_counting_pinned() {
  if (limits_.counts_pinned) drivers_own_bytes_ = std::min(driver_bytes(), kMaxDriversOwnBytes);
}

}  // namespace judge
