// SPDX-License-Identifier: MIT
// Runs launches: the only door from `serve` into this room.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "code/program.h"
#include "memory/book.h"
#include "run/monitor.h"
#include "run/warp.h"

namespace run {

enum class Outcome {
  kEnded,         // all blocks have ended, or a fault has (its finding is reported)
  kWaitsForHost,  // all threads wait, and one of them polls memory that the host may write
};

// What the presented device is. docs/counters.md, occupancy.
inline constexpr int kMaxThreadsPerBlock = 1024;
inline constexpr std::uint32_t kMaxSharedBytesPerBlock = 227 << 10;
inline constexpr std::uint32_t kDefaultSharedBytesPerBlock = 48 << 10;

// Blocks of a valid launch that the device holds at a time.
std::uint64_t max_resident_blocks(const Launch& launch);

// What a kernel launches. It begins when that kernel has ended.
struct NestedLaunch {
  const code::Function* kernel = nullptr;  // null: what the kernel named is none
  Dim grid, block;
  std::uint32_t dynamic_shared_bytes = 0;
  std::uint64_t stream = 0;  // as the kernel named it
  std::vector<std::byte> parameters;
  memory::HostPlace at;  // in the kernel
};
// Returns the error that the kernel gets.
using Launcher = std::function<int(NestedLaunch nested)>;

class Machine {
 public:
  explicit Machine(const code::Program& program);
  ~Machine();
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  // Watchers of the launches that begin from now on, in this order: a check comes before a counter.
  void set_monitors(std::vector<Monitor*> monitors);

  // Order of lanes, warps and blocks; 0: the natural one.
  void set_schedule(std::uint64_t seed);
  // Gets what kernels print, piece by piece.
  void set_printer(std::function<void(std::string_view)> print);
  void set_launcher(Launcher launcher);  // without: kernels cannot launch kernels
  void set_step_limit(std::uint64_t basic_blocks_without_change);
  void set_time_limit(double processor_seconds);  // a kernel that takes longer ends with a finding

  // Runs a valid launch (limits are checked by the caller) and returns its error: 0, or the sticky
  // one. A launch that waits for the host is resumed by proceed().
  Outcome launch(std::unique_ptr<Launch> launch);
  Outcome proceed();
  // The host will not write what the waiting launch polls: a deadlock. `why` ends the message.
  void give_up(const std::string& why);
  bool is_waiting() const;
  int error() const;  // of the last launch that ended: 0 = cudaSuccess

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace run
