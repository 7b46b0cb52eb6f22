// SPDX-License-Identifier: MIT
// A program that the judge starts and asks, with the processes around it and below it. It ends with
// this object at the latest.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "process/become_child.h"
#include "process/channel.h"

namespace judge {

class Child {
 public:
  // What it prints goes to a pipe of ours.
  struct Start {
    std::vector<std::string> command;
    Inherited shared;              // descriptors besides its socket
    int memory_door = -1;          // of a MemoryGroup, which it enters; -1: none
    bool sandboxed = false;        // see Limits
    std::string log_file;          // see Limits::checker_log
    std::size_t output_bytes = 0;  // more are a flood
    double patience_seconds = 0;   // of its channel
  };
  explicit Child(Start start);  // throws std::runtime_error if no process can be started
  ~Child();                     // kill(), whose failure is not reported
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  Channel& channel() { return *channel_; }
  bool is_running() const { return pid_ > 0; }
  std::vector<pid_t> family() const;  // empty once it has been killed
  void send(int signal) const;        // to the process and all below it

  // To wait for; -1 once there is nothing more to wait for.
  int pid_fd() const { return pid_fd_; }
  int output_fd() const { return is_output_open_ ? output_fd_ : -1; }
  int log_fd() const { return log_fd_; }

  // Takes in what it has printed. False: more than it may print.
  bool drain_output();
  void drain_log();
  std::string take_output();  // so far, at most 4 KiB of it, raw; clears it

  // Waits until it ends by itself, for so long.
  void await_end(double seconds);
  // Kills it and those around it, and reaps it. Throws std::runtime_error if one of the processes
  // survives, since that might write to shared memory.
  void kill();

  struct Death {
    std::string how;  // "was killed by signal 6 (Aborted)"; empty: by kill()
    int signal = 0;   // if it was one
    int status = 0;   // else the exit status
  };
  const Death& death() const { return death_; }

 private:
  void describe_death(int code, int status);
  void await_silence();

  std::optional<Channel> channel_;
  bool sandboxed_;
  std::string log_file_;
  std::size_t max_output_bytes_;
  pid_t pid_ = -1;
  int pid_fd_ = -1;
  int output_fd_ = -1;
  bool is_output_open_ = true;
  int log_fd_ = -1;  // our end of the checker's standard output
  std::size_t log_bytes_ = 0;
  std::string output_;
  std::size_t output_bytes_ = 0;
  Death death_;
};

}  // namespace judge
