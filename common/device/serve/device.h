// SPDX-License-Identifier: MIT
// The device that commands act on: a program, its memory, the machine and those who watch it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "check/checker.h"
#include "code/program.h"
#include "count/watcher.h"
#include "run/machine.h"
#include "serve/commands.h"

namespace serve {

// A named piece of the judge's arena.
struct Region {
  std::string name;
  std::uint64_t address = 0;
  std::uint64_t size_bytes = 0;
  bool is_initialized = false;
};

struct Batch {
  std::vector<Region> regions;
  std::uint64_t schedule_seed = 0;
  std::uint64_t scratch_bytes = 0;  // of each call
  bool counts = false;
  double seconds = 0;  // of processor time, after which a kernel ends with a finding; 0: none
};

class Device {
 public:
  // Throws what ptx::parse and code::load throw.
  explicit Device(const std::string& ptx);
  ~Device();

  // One request. `data`: kDataBytes for what comes with it and what goes back. Returns a cudaError.
  int act(Command command, const Request& request, std::byte* data, Reply& reply);

  void begin(const Batch& batch);
  // threw: one of the batch's calls ended by an exception. Reports leaks.
  void end(bool threw);

  // The kernels of the batch's launches, each once.
  const std::vector<std::string>& launches() const { return launches_; }
  run::Machine& machine() { return machine_; }
  check::Checker& checker() { return checker_; }
  count::Watcher& counter() { return counter_; }

 private:
  int allocate(const Request& request, Reply& reply);
  int free(const Request& request);
  int transfer(Command command, const Request& request, std::byte* data, Reply& reply);
  int fill(const Request& request);
  int launch(const Request& request, const std::byte* data, Reply& reply);
  int find_symbol(std::string_view name, Reply& reply) const;
  int find_function(std::string_view name, std::byte* data, Reply& reply) const;
  int order(Command command, const Request& request, Reply& reply);
  int scratch(Command command, const Request& request, const std::byte* data, Reply& reply);
  void retire_scratch();
  void report_host(const Request& request, const std::byte* data);
  void finish_waiting(const std::string& why);
  void report_leaks(bool threw) const;
  bool is_usable(std::uint64_t address, std::uint64_t size_bytes) const;

  std::unique_ptr<code::Program> program_;
  run::Machine machine_;
  check::Checker checker_;
  count::Watcher counter_;
  std::string printed_;
  std::size_t dropped_bytes_ = 0;
  int sticky_error_ = 0;
  std::uint64_t shared_limit_ = run::kDefaultSharedBytesPerBlock;
  std::map<std::uint64_t, check::StreamClock> events_;
  std::vector<std::uint64_t> streams_;
  std::uint64_t scratch_room_ = 0;  // of the running call, whose pieces are ...
  std::uint64_t scratch_bytes_ = 0;
  std::vector<std::uint64_t> scratch_;
  std::vector<Region> regions_;
  std::vector<std::string> launches_;
  std::uint64_t last_id_ = 0;  // allocations up to this number existed before the batch
};

}  // namespace serve
