// SPDX-License-Identifier: MIT
// The loop of the device process: takes commands from the ring, one after another.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "serve/device.h"
#include "serve/ring.h"

namespace serve {

// Maps the file of a ring. Throws std::runtime_error; also for one that its other end could shrink.
Ring& map_ring(int fd, bool is_judges);

class Server {
 public:
  Server(Device& device, Ring& ring) : device_(device), ring_(ring) {}

  // Called in the loop, in its thread, whenever the bell has rung. Returns whether it did anything.
  void set_other_work(std::function<bool()> work) { other_work_ = std::move(work); }
  // Called after each command, before its answer is there.
  void set_listener(std::function<void(const Decoded&, Answered&)> after) {
    after_ = std::move(after);
  }

  // While it is closed, commands wait.
  void set_open(bool is_open) { is_open_ = is_open; }
  // The worker has ended: what it asked for last may be incomplete.
  void forget_command() { seen_ = ring_.asked.load(std::memory_order_acquire); }

  // A fault of ours, in a command that was answered with an error; empty: none so far.
  const std::string& fault() const { return fault_; }

  void run_until(const bool& is_over);
  // One command, if there is one.
  bool take_command();

 private:
  void wait(std::uint32_t bell);
  void answer(std::uint32_t number, const Answered& answered);

  Device& device_;
  Ring& ring_;
  std::function<bool()> other_work_ = [] { return false; };
  std::function<void(const Decoded&, Answered&)> after_ = [](const Decoded&, Answered&) {};
  bool is_open_ = true;
  std::uint32_t seen_ = 0;
  std::string fault_;
  std::vector<std::byte> command_ = std::vector<std::byte>(kCommandBytes);  // not the worker's
  std::uint64_t nap_ns_ = 0;  // between two idle turns of a kernel
};

}  // namespace serve
