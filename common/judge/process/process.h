// SPDX-License-Identifier: MIT
// One worker process under limits. It starts with this object, and ends with it at the latest.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <vector>

#include "process/memory_group.h"
#include "protocol/wire.h"

namespace judge {

struct Limits {
  double call_cpu_seconds = 10;
  double call_wall_seconds = 60;
  // Wall-clock time over all calls of a submission. It ends well before the grader's time limit for
  // the judge, so that a slow rung gets a verdict.
  double all_calls_seconds = 450;
  std::size_t memory_bytes = std::size_t{3} << 30;  // without the shared buffers
  // Far more than any rung needs. When a system runs out of memory, it kills a process; one that
  // holds this much has used up the memory itself.
  std::size_t greedy_bytes = std::size_t{1} << 30;
  std::size_t output_bytes = std::size_t{1} << 20;
  double farewell_seconds = 0;  // to end by itself after the last request; then it is killed
  bool sandboxed = false;       // the command is a sandbox: see WorkerProcess::describe_death
  // File to which what a checker around the worker prints is added; empty: there is none.
  std::string checker_log = {};
  bool names_slow_kernels = false;  // the worker ends a kernel before call_cpu_seconds, see wire.h
  std::string memory_group = {};    // in which each worker gets its MemoryGroup; empty: none
  bool counts_pinned = false;       // host memory that NVIDIA's driver maps counts as the worker's
};

// How one exchange with the worker ended.
enum class Ending { kReplied, kDied, kTimedOut, kFlooded, kMemoryExceeded, kMalformed };

struct Exchange {
  Ending ending = Ending::kReplied;
  wire::Reply reply;             // kReplied only
  std::string how_died;          // kDied only: "was killed by signal 6 (Aborted)"
  int signal = 0;                // kDied only: the signal, if it was one
  int status = 0;                // kDied only: the exit status, if it was none
  std::size_t memory_bytes = 0;  // kDied only: the last value measured
  double cpu_seconds = 0;        // of the worker, when it was last looked at
  bool greeted = true;           // not kReplied: whether the worker had begun, see wire.h
  double wall_ms = 0;            // from request to reply, on the judge's clock
};

// How to wait for a reply. A sleeping thread wakes up some 50 to 100 us late, by chance: too much
// for a clock that must be right within a percent of a few milliseconds.
enum class Wait { kAsleep, kSpinning };

class WorkerProcess {
 public:
  // Starts `command` (argv) with the socket and, unless arena_fd is -1, the arena as open
  // descriptors. `shared_bytes` of its shared pages are the arena's. Throws std::runtime_error if
  // no process can be started.
  WorkerProcess(const std::vector<std::string>& command, int arena_fd, std::size_t shared_bytes,
                const Limits& limits);
  ~WorkerProcess();  // end(), whose failure is not reported
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  // Sends a request and waits for its reply, at most `seconds` or the limit of a call, whichever is
  // less. After any outcome except kReplied the process is dead.
  Exchange exchange(wire::Kind kind, const std::string& payload, Wait wait, double seconds);

  // From now on what the driver has mapped more than now is the rung's.
  void begin_counting_pinned();

  // Stops all threads of the worker and of the processes around it, and lets them go on.
  void pause() const;
  void resume() const;

  // Closes the socket, kills the process group and reaps it. Throws std::runtime_error if one of
  // its processes survives, since that might write to the arena.
  void end();

  // What the worker has printed so far, at most 4 KiB of it, raw. Clears it.
  std::string take_output();

 private:
  using Clock = std::chrono::steady_clock;
  Exchange finish(Ending ending);
  Exchange wait_for_reply(Clock::time_point begin, Wait wait, double seconds);
  void drain_log();
  bool drain_output();      // false once the output limit is passed
  bool receive(Exchange&);  // reads what the socket has; true once a whole reply is there
  bool read_socket();       // false: the other end is closed
  bool has_unread_reply() const;
  void send(int signal) const;       // to the process and all below it
  double cpu_seconds() const;        // of the process and all below it
  std::size_t memory_bytes() const;  // the same, without the arena
  std::size_t driver_bytes() const;
  std::size_t pinned_bytes() const;
  void say_farewell();
  void kill_group();
  void await_silence();
  void describe_death(int code, int status);

  Limits limits_;
  int arena_fd_;  // not ours to close
  std::size_t shared_bytes_ = 0;
  MemoryGroup memory_group_;
  std::size_t drivers_own_bytes_;  // of all that the driver maps, not asked for by the rung
  std::size_t seen_memory_bytes_ = 0;
  double seen_cpu_seconds_ = 0;  // of the running exchange
  pid_t pid_ = -1;
  int pid_fd_ = -1;
  int socket_fd_ = -1;
  int output_fd_ = -1;
  int log_fd_ = -1;  // the judge's end of the checker's standard output
  std::size_t log_bytes_ = 0;
  bool greeted_ = false;
  bool socket_open_ = true;
  std::uint32_t sequence_ = 0;
  std::string received_;
  std::string output_;
  std::size_t output_bytes_ = 0;
  std::string how_died_;
  int death_signal_ = 0;
  int exit_status_ = 0;
};

}  // namespace judge
