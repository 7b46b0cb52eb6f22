// SPDX-License-Identifier: MIT
// What the files of this room share: one running launch and its clock.
#pragma once

#include <bit>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "memory/address_map.h"
#include "report/waiting_text.h"
#include "report/words.h"
#include "run/machine.h"
#include "run/repetition.h"
#include "run/schedule.h"
#include "run/warp.h"

namespace run {

// Errors of CUDA, by their numbers there.
inline constexpr int cudaErrorInvalidValue = 1;
inline constexpr int cudaErrorIllegalAddress = 700;
inline constexpr int cudaErrorLaunchTimeout = 702;
inline constexpr int cudaErrorAssert = 710;
inline constexpr int cudaErrorMisalignedAddress = 716;
inline constexpr int cudaErrorLaunchFailure = 719;
inline constexpr int cudaErrorNotSupported = 801;

// A barrier of a block: number 0 to 15 (bar.sync), and behind them one for each tile of 64 and more
// threads that cooperative_groups can make of a block.
inline constexpr std::uint32_t kNumNamedBarriers = 16;
inline constexpr std::uint32_t kNumTileBarriers = 31;
struct Barrier {
  std::uint32_t expected = 0;                      // threads; 0: all that live
  std::uint32_t arrived = 0;                       // threads
  std::vector<std::uint32_t> lanes;                // that have arrived, by warp
  std::vector<std::uint32_t> passing;              // of these, that do not wait; empty: none
  const code::Instruction* instruction = nullptr;  // of the first to arrive; null: none has
  bool is_mixed = false;                           // others came by another call
  std::uint32_t votes = 0;                         // bar.red: threads whose predicate is true
};

struct RunningBlock : Block {
  std::array<Barrier, kNumNamedBarriers + kNumTileBarriers> barriers;
  std::vector<std::byte> room;                         // shared memory
  std::uint32_t at_grid_barrier = 0;                   // threads
  const code::Instruction* cluster_arrival = nullptr;  // the last one
  bool was_interrupted = false;                        // its turn ended at a barrier
  bool had_long_turn = false;   // its turn ended after many barriers: it may poll between them
  bool holds_back = false;      // a thread of it lets others run before it writes
  std::uint64_t turn = 0;       // number of its last turn
  std::uint32_t next_warp = 0;  // in `order`: whose turn it is
  std::vector<std::uint32_t> order;
};

struct RunningLaunch {
  std::unique_ptr<Launch> launch;
  Schedule schedule;
  std::uint64_t max_resident = 1;
  std::uint64_t num_started = 0;
  std::uint64_t num_ended = 0;
  std::vector<std::unique_ptr<RunningBlock>> resident;  // oldest first
  std::vector<std::unique_ptr<RunningBlock>> spare;
  std::size_t position = 0;  // in resident: whose turn it is
  std::uint64_t num_turns = 0;
  std::uint64_t num_barriers = 0;
  bool wave_is_complete = false;
  std::uint64_t seen_changes = 0;
  std::uint64_t idle_rounds = 0;
};

struct Engine {
  const code::Program& program;
  std::vector<Monitor*> monitors;
  std::vector<Monitor*> stepping;   // those that want each op
  std::vector<Monitor*> entering;   // those that want each block
  std::vector<Monitor*> at_locals;  // those that want each access to a thread's own variables
  std::function<void(std::string_view)> print = [](std::string_view) {};
  Launcher launcher = [](const NestedLaunch&) { return cudaErrorNotSupported; };
  int nested_error = 0;  // of the last nested launch that failed
  std::unique_ptr<RunningLaunch> running;
  const std::vector<HostVariable>* host_variables = nullptr;  // of the launch
  int error = 0;
  std::uint64_t num_launches = 0;

  std::uint64_t seed = 0;
  std::uint64_t step_limit = kDefaultStepLimit;
  double time_limit = 0;  // seconds of the process from time_begin on; 0: none
  double time_begin = 0;
  std::uint64_t turn = 0;  // number of the turn in which the last alarm came
  double turn_begin = 0;   // when the first alarm of that turn came

  // The clock: blocks entered by parts of warps, and changes of memory or of what threads wait for.
  std::uint64_t steps = 0;
  std::uint64_t changes = 0;
  std::uint64_t accesses = 0;
  std::uint64_t switches = 0;
  std::uint64_t clock_waits = 0;     // what has been added for looks at the clock
  std::uint64_t waiting_reads = 0;   // looks at the clock since the last access
  std::uint64_t waiting_access = 0;  // number of that access
  std::uint64_t next_alarm = 0;
  std::uint64_t alarm_interval = 0;  // steps
  std::uint64_t alarm_changes = 0, alarm_accesses = 0, alarm_switches = 0;
  int alarms_without_activity = 0;
  Repetition repetition;
  std::uint64_t idle_steps = 0;
  std::uint64_t work_at_yield = 0;
  std::uint64_t polled_changes = 0;
  int impatience = 0;

  Access access;  // of the instruction that runs: too large for a stack frame of each handler

  explicit Engine(const code::Program& loaded) : program(loaded) {}
  Launch& launch() { return *running->launch; }
  code::Program::Line line_of(const code::Instruction& instruction) const {
    return program.line_near(instruction);
  }
};

// What Op and Instruction of one function say of each other.
const code::Instruction& instruction_of(const Warp& warp, const code::Op* op);

inline RunningBlock& block_of(const Warp& warp) { return static_cast<RunningBlock&>(*warp.block); }

// What the machine need not do.
inline const code::Op* no_operation(Warp&, const code::Op* op, std::uint32_t) { return op + 1; }

template <class Visit>
void for_each_lane(std::uint32_t lanes, Visit visit) {
  for (; lanes != 0; lanes &= lanes - 1) visit(std::countr_zero(lanes));
}

// Ends the kernel with a finding at the instruction's line.
// Ends the kernel if a part of the warp comes alone to an instruction that all lanes execute.
void require_all_lanes(Warp& warp, const code::Instruction& instruction, std::uint32_t lanes);
[[noreturn]] void end_kernel(Warp& warp, const code::Instruction& instruction, report::Kind kind,
                             std::string message, int error);
// Reports without ending it.
void report_at(Warp& warp, const code::Instruction& instruction, report::Kind kind,
               std::string message);
// "thread 3 of block 0"
std::string thread_name(const Warp& warp, int lane);

// parts.cpp. The part's registers as those that handlers use.
void load_frame(Warp& warp);
Part& new_part(Warp& warp, std::uint32_t lanes, const code::Op* next);  // without frames
void remove_all_parts(Warp& warp);
// Makes a part of the running one with these lanes, which go on at `next` and come together with
// the others at the post-dominator of the block that `op` is in.
Part& split(Warp& warp, const code::Op* op, std::uint32_t lanes, const code::Op* next);
// A split whose sides do not wait for each other.
Part& split_off(Warp& warp, std::uint32_t lanes, const code::Op* next);
void end_lanes(Warp& warp, std::uint32_t lanes);
// Lets lanes that wait for others at a join go on without them. Returns whether there were any.
bool break_joins(Warp& warp);
const code::Op* arrive_at_join(Warp& warp, const code::Op* op);

void reset_joins();  // between launches

// frames.cpp
// Gives the part that runs a frame for the function, on top of its frames, with its constants.
void push_frame(Warp& warp, const code::Function& function, const code::Op* call,
                const code::Op* return_to);
void fill_specials(Warp& warp, const code::Function& function);  // of a kernel or of what it calls
// Local memory. `offset`: from the beginning of the thread's.
inline std::uint32_t& local_word(Warp& warp, std::uint64_t offset, int lane) {
  return warp.local[(offset / 4) * kWarpSize + static_cast<std::size_t>(lane)];
}
void read_local(const Warp& warp, std::uint64_t offset, int lane, void* to, std::size_t size_bytes);
void write_local(Warp& warp, std::uint64_t offset, int lane, const void* from,
                 std::size_t size_bytes);

// unwritten.cpp: registers that hold what nothing has written.
void mark_unwritten(Warp& warp, code::Slot slot, std::uint32_t lanes, bool is_part_of_more,
                    std::size_t element, const std::shared_ptr<const Access>& read);
// Before the op is executed while warp.unwritten is not empty: reports uses, follows copies.
void follow_unwritten(Warp& warp, const code::Op* op, std::uint32_t lanes);

// in_flight.cpp. Before the op is executed while warp.products.registers is not empty: reports the
// use of a sum that is still being computed.
void follow_products(Warp& warp, const code::Op* op, std::uint32_t lanes);

// Values for sentences.
report::ThreadId thread_id(const Warp& warp, int lane);
std::string mixed_barrier_message(const RunningBlock& block, std::uint32_t number);

// barriers.cpp
const code::Op* wait_for_grid(Warp& warp, const code::Op* op, std::uint32_t lanes);
void release_barriers(RunningBlock& block);  // after threads have ended; its cluster's, too
void complete_warp_operations(Warp& warp);   // after lanes have ended
bool release_grid_barrier(RunningLaunch& running);

std::uint32_t own_cluster_rank(const Warp& warp);
// The block of that rank in the warp's cluster, for a lane that executes the instruction; ends the
// kernel if there is none.
Block* cluster_block(Warp& warp, const code::Instruction& instruction, int lane,
                     std::uint32_t rank);
// Where the thread's local memory is in the generic address space.
inline std::uint64_t local_window(const Warp& warp, int lane) {
  const std::uint64_t thread = warp.block->slot % 96 * 1024 + warp.thread_id(lane);
  return memory::kLocalBase + thread * memory::kLocalWindowBytes;
}

// poll.cpp
bool polls(Warp& warp, std::uint64_t address);  // whether the part must let others run first
// Without a change: more of them, the shorter turns are. A block that reads may be at work.
std::uint64_t rounds_of_deadlock(const Engine& engine);
void let_others_run(Warp& warp, const code::Op* next, bool is_idle);
const code::Op* alarm(Warp& warp, const code::Op* op);
void reset_alarm(Engine& engine);
double process_seconds();

// deadlock.cpp. Throws: no thread of the block can go on. `more` ends the message.
[[noreturn]] void end_with_deadlock(const RunningBlock& block, const std::string& more);
bool polls_global_memory(const RunningBlock& block);

// Handlers by name; null: not one of that file's. They may throw std::runtime_error about a form of
// the instruction that they do not know.
code::Handler control_handler(code::Op& op, const code::Instruction& instruction);
code::Handler memory_handler(code::Op& op, const code::Instruction& instruction, code::Function&);
code::Handler atomic_handler(code::Op& op, const code::Instruction& instruction, code::Function&);
code::Handler async_handler(code::Op& op, const code::Instruction& instruction, code::Function&);
code::Handler tensor_copy_handler(code::Op& op, const code::Instruction& instruction,
                                  code::Function&);  // of those that are bulk copies
code::Handler matrix_handler(code::Op& op, const code::Instruction& instruction, code::Function&);
code::Handler product_handler(code::Op& op, const code::Instruction& instruction, code::Function&);
code::Handler warpgroup_handler(code::Op& op, const code::Instruction& instruction,
                                code::Function&);
code::Handler warp_handler(code::Op& op, const code::Instruction& instruction, code::Function&);
code::Handler barrier_handler(code::Op& op, const code::Instruction& instruction, code::Function&);
code::Handler move_handler(code::Op& op, const code::Instruction& instruction, code::Function&);
code::Handler image_handler(code::Op& op, const code::Instruction& instruction, code::Function&);
// sanitizer.cpp: by the name of what the compiler calls.
code::Handler sanitizer_handler(std::string_view name);
std::uint64_t call_argument(Warp& warp, const code::Op* op, std::size_t i, int lane);
// machine_calls.cpp: what kernels call and PTX has no instruction for; null: unknown.
code::Handler machine_call(std::string_view name, code::Op& op,
                           const code::Instruction& instruction, code::Function& function);
code::Handler call_handler(code::Op& op, const code::Instruction& instruction, code::Function&,
                           const code::Program& program);

}  // namespace run
