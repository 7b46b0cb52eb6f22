// SPDX-License-Identifier: MIT
// The device that commands act on: programs, memory, streams, and those who watch. Whatever the
// worker asks, a command ends with an error at worst.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "check/checker.h"
#include "check/timeline.h"
#include "code/program.h"
#include "count/watcher.h"
#include "protocol/wire.h"
#include "run/image.h"
#include "run/machine.h"
#include "serve/asked_bytes.h"
#include "serve/commands.h"
#include "serve/cuda_errors.h"
#include "serve/decode.h"
#include "serve/watchers.h"

namespace serve {

// What goes back to the worker.
struct Answered {
  Answer head;
  std::vector<std::byte> result;  // the command's Result, then the tail
};

// A named piece of the judge's arena.
struct Region {
  std::string name;
  std::uint64_t address = 0;
  std::uint64_t size_bytes = 0;
  bool is_initialised = false;
};

struct Batch {
  std::vector<Region> regions;
  std::uint64_t schedule_seed = 0;
  std::uint64_t scratch_bytes = 0;  // of each call
  double seconds = 0;  // of processor time, after which a kernel ends with a finding; 0: none
  wire::Posed posed;
};

class Device {
 public:
  // takes_modules: the worker sends the program's kernels; else load() gives them.
  explicit Device(bool takes_modules);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  // A program's PTX, of one file or of several. Throws what ptx::parse and code::load throw.
  void load(std::string_view ptx);

  // `data`: Ring::data, kDataBytes; `printed`: Ring::printed, kPrintedBytes.
  Answered act(const Decoded& decoded, std::span<std::byte> data, std::span<std::byte> printed);

  // A kernel waits for the host, which executes code of its own: gives the kernel a turn. Returns
  // whether anything has changed.
  bool take_idle_turn();
  bool is_waiting() const { return waiting_ != nullptr; }

  // Allocations of the program that are still there, oldest first.
  enum class Pinned { kLeaks, kDoesNotLeak };
  std::vector<const memory::Allocation*> leaks(Pinned pinned = Pinned::kDoesNotLeak) const;

  void begin(const Batch& batch);
  // threw: a call of the batch ended by an exception. Reports leaks.
  void end(bool threw);

  // For a program with a main() of its own.
  void set_schedule(std::uint64_t seed);
  void finish();  // no host will write what a kernel still polls

  Watchers& watchers() { return watchers_; }
  // The kernels of the launches, each once.
  const std::vector<std::string>& launches() const { return launches_; }
  std::uint64_t num_launches() const { return num_launches_; }
  // How many allocations the batch has asked for.
  std::uint32_t num_allocations() const { return num_allocations_; }
  // When the engines worked in the batch; empty without a posed clock.
  std::string timeline() const { return timeline_.text(); }
  // What the kernels of the batch have printed.
  const std::string& printed_in_batch() const { return printed_in_batch_; }

 private:
  struct Module {
    std::uint32_t number = 0;
    std::unique_ptr<code::Program> program;
    std::unique_ptr<run::Machine> machine;
    std::uint64_t constant_bytes = 0;  // of its __constant__ variables, until they were reported
  };
  struct Kernel {
    Module* module;
    const code::Function* function;
    std::uint32_t dynamic_limit;  // of shared memory
    std::uint32_t cluster_limit = memory::kMaxPortableClusterSize;
  };
  // What a kernel has launched.
  struct Nested {
    Module* module;
    std::unique_ptr<run::Launch> launch;
    int depth;
    bool is_tail;
  };
  struct Event {
    check::StreamClock clock = {};
    double ms = 0;  // when it was recorded, by the posed clock
  };
  // What the program has made and must destroy: a stream, an event or a graph.
  struct Made {
    std::string_view what;
    std::string_view destroyed_by;
    memory::HostPlace at;
    auto operator<=>(const Made&) const = default;
  };
  struct Freed {
    check::StreamClock by;  // what has to be done before it is free
    std::uint64_t size_bytes;
  };
  // A copy to or from the host whose bytes are still on their way.
  struct Transfer {
    Box box;
    Extent extent;
    std::uint64_t size_bytes = 0;
    bool to_host = false;
  };

  // What a handler gets besides the command, and what it says besides its result.
  struct Call {
    std::span<const std::byte> tail;
    std::span<std::byte> data;
    std::vector<std::byte> answer_tail;
    bool is_malformed = false;

    std::string_view text() const {
      return {reinterpret_cast<const char*>(tail.data()), tail.size()};
    }
    int explain(int error, std::string_view why);
  };

  // modules.cpp
  int handle(const Connect&, Connect::Result&, Call&);
  int handle(const LoadModule&, LoadModule::Result&, Call&);
  int handle(const FindKernel&, FindKernel::Result&, Call&);
  int handle(const FindSymbol&, FindSymbol::Result&, Call&);
  int handle(const ShareVariable&, Nothing&, Call&);
  int handle(const Register&, Register::Result&, Call&);
  int handle(const Unregister&, Nothing&, Call&);
  // memory_commands.cpp
  int handle(const Allocate&, Allocate::Result&, Call&);
  int handle(const Free&, Nothing&, Call&);
  int handle(const Find&, Find::Result&, Call&);
  int handle(const AskMemory&, AskMemory::Result&, Call&);
  int handle(const Reset&, Nothing&, Call&);
  int handle(const TakeScratch&, TakeScratch::Result&, Call&);
  int handle(const DeclareScratch&, Nothing&, Call&);
  int handle(const EndScratch&, Nothing&, Call&);
  int handle(const TakeGraphMemory&, TakeGraphMemory::Result&, Call&);
  int handle(const FreeGraphMemory&, Nothing&, Call&);
  // copy_commands.cpp
  int handle(const Copy&, Nothing&, Call&);
  int handle(const CopyMore&, Nothing&, Call&);
  int handle(const Fill&, Nothing&, Call&);
  // stream_commands.cpp
  int handle(const AddStream&, AddStream::Result&, Call&);
  int handle(const RemoveStream&, Nothing&, Call&);
  int handle(const WaitForStream&, Nothing&, Call&);
  int handle(const WaitForAll&, Nothing&, Call&);
  int handle(const AskStream&, AskStream::Result&, Call&);
  int handle(const AddEvent&, AddEvent::Result&, Call&);
  int handle(const RemoveEvent&, Nothing&, Call&);
  int handle(const RecordEvent&, Nothing&, Call&);
  int handle(const WaitForEvent&, Nothing&, Call&);
  int handle(const AskEvent&, AskEvent::Result&, Call&);
  int handle(const StreamWaits&, Nothing&, Call&);
  int handle(const HostFunction&, Nothing&, Call&);
  int handle(const CallersWork&, Nothing&, Call&);
  int handle(const CallersTurn&, Nothing&, Call&);
  // image_commands.cpp
  int handle(const MakeImage&, MakeImage::Result&, Call&);
  int handle(const EndImage&, Nothing&, Call&);
  // launch_commands.cpp
  int handle(const SetKernelLimits&, Nothing&, Call&);
  int handle(const Launch&, Nothing&, Call&);
  int handle(const Proceed&, Nothing&, Call&);
  int handle(const GiveUp&, Nothing&, Call&);
  // time_commands.cpp
  int handle(const HostWaits&, Nothing&, Call&);
  int handle(const GraphTurn&, Nothing&, Call&);
  int handle(const GraphCall&, Nothing&, Call&);
  int handle(const AddGraph&, AddGraph::Result&, Call&);
  int handle(const RemoveGraph&, Nothing&, Call&);
  // host_commands.cpp
  int handle(const Touch&, Nothing&, Call&);
  int handle(const Report&, Nothing&, Call&);
  int handle(const TakePrinted&, Nothing&, Call&);
  int handle(const End&, End::Result&, Call&);

  check::StreamOrder& streams() { return watchers_.checker().streams(); }
  void fill_variables(const Module& module);
  check::Work& begin_work(std::uint64_t stream, const Place& at);
  bool is_stream(std::uint64_t stream) const;
  bool is_behind(std::uint64_t stream);
  // Before work is issued: the stream must exist, and no kernel may have to end before.
  int check_stream(std::uint64_t stream);
  std::uint64_t make_handle(std::string_view what, std::string_view destroyed_by, const Place& at);
  void wait_as_asked(std::uint32_t waits, std::uint32_t which, std::uint64_t stream);
  bool host_can_reach(std::uint64_t address) const;

  struct LaunchProblem {
    LaunchProblem(std::string problem, int code = kInvalidValue)
        : text(std::move(problem)), error(code) {}

    std::string text;
    int error;
  };
  std::optional<LaunchProblem> problem_with(const Launch& command, const Kernel& kernel) const;
  int check_launch(const Launch& command, const Kernel& kernel, Call& call);
  std::unique_ptr<run::Launch> make_launch(const Launch& command, const Kernel& kernel) const;
  void start(Module& module, std::unique_ptr<run::Launch> launch);
  // nested_launches.cpp
  int take_nested(Module& module, run::NestedLaunch nested);
  void start_nested();
  // From 1 on.
  std::uint32_t number_of(Module& module, const code::Function& kernel);
  run::Outcome proceed();
  void end_waiting();
  void finish_waiting(const std::string& why);
  void move(const Transfer& transfer, std::uint64_t offset, std::span<std::byte> data) const;
  void release_scratch();
  void report_leaks(bool threw) const;
  void report_never_destroyed();
  void print(std::string_view text);
  void hand_out_printed(Answer& head, std::span<std::byte> printed);
  void note_launch(const std::string& kernel);
  void end_kernel();  // the work begun last

  // time_commands.cpp: what the host and the engines do, counted and by the posed clock.
  bool has_clock() const { return posed_.launch_ms > 0; }
  void count_host(const Place& at, count::Counter counter, std::uint64_t number = 1);
  void host_calls(const Place& at);
  void host_waits_for(std::uint64_t stream);
  void host_waits_for_all();
  void spend(check::Engine engine, double ms);  // the work begun last
  void note_allocated(const Place& at, std::uint64_t size_bytes, const check::StreamClock& before);
  void note_freed(std::uint64_t size_bytes);  // by the work begun last
  void note_pinned(const Place& at, std::uint64_t size_bytes);
  std::uint64_t variable_bytes() const;
  void end_clock();

  bool takes_modules_;
  Watchers watchers_;
  std::vector<std::unique_ptr<Module>> modules_;
  std::vector<Kernel> kernels_;  // by number - 1
  std::string incoming_;         // of a module, piece by piece
  std::set<std::uint64_t> managed_variables_;
  std::vector<run::HostVariable> host_variables_;
  run::Images images_;
  Module* waiting_ = nullptr;     // whose launch waits for the host
  Launch host_launch_;            // the last one
  std::deque<Nested> nested_;     // what it has still to run, in this order
  std::vector<Nested> launched_;  // by the kernel that runs
  int nested_depth_ = 0;          // of that kernel
  int sticky_ = 0;
  std::uint32_t num_works_ = 0;
  std::uint64_t seed_ = 0;
  double seconds_ = 0;
  std::uint64_t last_handle_ = 15;      // smaller ones mean something to CUDA
  std::map<std::uint64_t, Made> made_;  // by handle
  std::map<Made, std::size_t> left_;    // how many are left after a batch
  std::set<std::uint64_t> streams_;
  std::map<std::uint64_t, Event> events_;
  std::optional<Transfer> transfer_;
  std::set<std::uint64_t> graph_memory_;
  std::set<std::uint64_t> stream_ordered_;  // memory of cudaMallocAsync
  std::vector<std::uint64_t> scratch_;
  std::uint64_t scratch_room_ = 0;   // of the running call
  std::uint64_t scratch_bytes_ = 0;  // that the judge gives to each
  std::vector<Region> regions_;
  std::string printed_;
  std::uint64_t dropped_bytes_ = 0;
  std::vector<std::string> launches_;
  std::uint64_t num_launches_ = 0;
  std::uint32_t num_allocations_ = 0;
  std::string printed_in_batch_;
  wire::Posed posed_;
  check::Timeline timeline_;           // of the batch, with a posed clock
  AskedBytes asked_bytes_;             // with a posed clock
  double launch_ms_ = 0;               // what it takes besides
  std::uint32_t graph_depth_ = 0;      // of launches of graphs
  bool is_callers_turn_ = false;       // work is the caller's, and not the program's
  bool is_hosts_function_ = false;     // the host is at a function in the order of a stream
  std::uint64_t allocated_bytes_ = 0;  // by the batch, and not freed yet
  std::vector<Freed> freed_;           // that the host does not know to be freed
  std::uint64_t pinned_bytes_ = 0;     // by the batch, and not freed yet
  std::set<std::uint64_t> callers_;    // pinned memory of the caller of a lab's function
  std::uint64_t last_id_ = 0;          // allocations up to this number existed before the batch
  memory::HostPlace failed_allocation_;
  std::string failed_allocation_text_;
};

memory::HostPlace host_place(const Place& place);

// Why a pointer cannot be freed, after the function's name: "cudaFree of ...".
std::string describe_bad_free(std::uint64_t address, const char* function);

}  // namespace serve
