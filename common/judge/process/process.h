// SPDX-License-Identifier: MIT
// One worker process under limits and, for the machine, its device process. They start with this
// object, and end with it at the latest. The limits hold for both together.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "process/child.h"
#include "process/limits.h"
#include "process/memory_group.h"
#include "protocol/arena.h"
#include "protocol/device_wire.h"
#include "protocol/shared_memory.h"
#include "protocol/wire.h"

namespace judge {

// What to start: programs with their arguments.
struct Commands {
  // NOLINTBEGIN(google-explicit-constructor): most have only a worker
  Commands(std::initializer_list<std::string> worker_words) : worker(worker_words) {}
  Commands(std::vector<std::string> worker_words, std::vector<std::string> device_words = {})
      : worker(std::move(worker_words)), device(std::move(device_words)) {}
  // NOLINTEND(google-explicit-constructor)

  std::vector<std::string> worker;
  std::vector<std::string> device;  // of the machine; empty: kernels run elsewhere
};

// How one exchange with the worker ended.
enum class Ending {
  kReplied,
  kDied,
  kTimedOut,
  kFlooded,
  kMemoryExceeded,
  kMalformed,
  kDeviceDied  // the device process, and not by a limit
};

struct Exchange {
  Ending ending = Ending::kReplied;
  wire::Reply reply;             // kReplied only
  wire::Report report;           // what was seen up to the end
  Child::Death death;            // kDied: the worker's; kDeviceDied: of the device process
  std::size_t memory_bytes = 0;  // not kReplied: the most that was measured
  double cpu_seconds = 0;        // of all processes, when they were last looked at
  bool greeted = true;           // not kReplied: whether the worker had begun, see wire.h
  double wall_ms = 0;            // from request to reply, on the judge's clock
};

// How to wait for a reply. A sleeping thread wakes up some 50 to 100 us late, by chance: too much
// for a clock that must be right within a percent of a few milliseconds.
enum class Wait { kAsleep, kSpinning };

class WorkerProcess {
 public:
  // `arena` must outlive this object. Throws std::runtime_error if no process can be started.
  WorkerProcess(const Commands& commands, const Memory& arena, const Limits& limits);
  ~WorkerProcess();  // end(), whose failure is not reported
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  // Has the processes open the arena. After any outcome except kReplied they are dead, as after
  // run(). Throws std::runtime_error if the device process does not start.
  Exchange greet();
  // Sends the batch and waits for its reply, at most `seconds` or the limit of a call, whichever is
  // less.
  Exchange run(const wire::Batch& batch, Wait wait, double seconds);

  // From now on what the driver has mapped more than now is the rung's.
  void begin_counting_pinned();

  // Stops all threads of the worker and of the processes around it, and lets them go on.
  void pause() const;
  void resume() const;

  // Ends all processes and reaps them. Throws std::runtime_error if one of them survives, since
  // that might write to the arena.
  void end();

  // What the worker has printed so far, at most 4 KiB of it, raw. Clears it.
  std::string take_output();

 private:
  using Clock = std::chrono::steady_clock;
  // One exchange with the worker, and what goes with it.
  struct Turn {
    Clock::time_point begin;
    double seconds;       // that it may take by the clock
    double cpu_at_start;  // of all processes
    Wait wait;
  };
  Turn begin_turn(Wait wait, double seconds);
  Exchange converse(wire::Kind kind, const std::string& payload, Turn& turn);
  Exchange finish(Ending ending);
  std::optional<Ending> end_batch(const wire::BatchEnd& end, Turn& turn, wire::Report& report);
  // These ask and wait for a reply. Nothing: it is there.
  std::optional<Ending> ask_device(wire::DeviceKind kind, const std::string& payload, Turn& turn);
  std::optional<Ending> ask(Child& program, std::uint32_t code, const std::string& payload,
                            Turn& turn);
  std::optional<Ending> wait_for(Child& program, Turn& turn);
  std::optional<Ending> look_at_limits(const Turn& turn);

  bool drain_output();  // false once the output limit is passed
  double cpu_seconds() const;
  std::size_t memory_bytes() const;  // without the arena
  std::size_t driver_bytes() const;
  std::size_t pinned_bytes() const;

  Limits limits_;
  const Memory& arena_;
  std::unique_ptr<SharedMemory> ring_;    // between the two; null without a device process
  std::unique_ptr<SharedMemory> shared_;  // device memory that the host's code uses, too
  MemoryGroup memory_group_;
  std::size_t drivers_own_bytes_;      // of all that the driver maps, not asked for by the rung
  std::size_t seen_memory_bytes_ = 0;  // of the running exchange
  double seen_cpu_seconds_ = 0;
  Child worker_;
  std::unique_ptr<Child> device_;  // null: kernels run elsewhere
  bool is_batch_begun_ = false;    // on the device
};

}  // namespace judge
