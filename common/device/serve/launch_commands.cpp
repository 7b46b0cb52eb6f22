// SPDX-License-Identifier: MIT
// Launches: their check against the device's limits, and kernels that wait for the host.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "memory/book.h"
#include "run/schedule.h"
#include "serve/cuda_errors.h"
#include "serve/device.h"

namespace serve {
namespace {

constexpr Size kMaxBlockDim = {1024, 1024, 64};
constexpr Size kMaxGridDim = {2147483647, 65535, 65535};

// So many basic blocks without a change end a turn that the kernel gets while the host is at work.
constexpr std::uint64_t kPatienceOfTurn = 1 << 16;

std::uint64_t count(const Size& size) { return std::uint64_t{size.x} * size.y * size.z; }

bool is_empty(const Size& size) { return size.x == 0 || size.y == 0 || size.z == 0; }

bool fits(const Size& size, const Size& limits) {
  return !is_empty(size) && size.x <= limits.x && size.y <= limits.y && size.z <= limits.z;
}

std::string shape(const Size& size) {
  return std::to_string(size.x) + " x " + std::to_string(size.y) + " x " + std::to_string(size.z);
}

run::Dim dim(const Size& size) { return {size.x, size.y, size.z}; }

bool divides(const Size& cluster, const Size& grid) {
  return !is_empty(cluster) && grid.x % cluster.x == 0 && grid.y % cluster.y == 0 &&
         grid.z % cluster.z == 0;
}

bool is_larger(const Size& cluster, std::uint64_t limit) {
  return std::uint64_t{cluster.x} * cluster.y > limit || count(cluster) > limit;
}

Size own_cluster(const code::Function& kernel) {
  return {kernel.cluster[0], kernel.cluster[1], kernel.cluster[2]};
}

// A launch that names no cluster has the kernel's own.
Size cluster_of(const Launch& command, const code::Function& kernel) {
  return count(command.cluster) != 1 ? command.cluster : own_cluster(kernel);
}

// After "with clusters of 4 x 1 x 1 blocks"; empty: no problem.
std::string problem_with_cluster(const Size& cluster, const Launch& command,
                                 const code::Function& kernel, std::uint32_t limit) {
  if (is_larger(cluster, memory::kMaxClusterSize)) {
    return " (at most " + std::to_string(memory::kMaxClusterSize) + " blocks)";
  }
  if (is_larger(cluster, limit)) {
    return " (more than " + std::to_string(limit) +
           " need cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1))";
  }
  const Size own = own_cluster(kernel);
  if (count(own) != 1 && shape(own) != shape(cluster)) {
    return " (its __cluster_dims__ says " + shape(own) + ")";
  }
  if (divides(cluster, command.grid)) return "";
  return " in a grid of " + shape(command.grid) +
         " (in each direction, the grid must be a multiple of the cluster)";
}

}  // namespace

// What no GPU takes, after "the launch of NAME". Empty: too little to say. Nothing: no problem.
std::optional<Device::LaunchProblem> Device::problem_with(const Launch& command,
                                                          const Kernel& kernel) const {
  const bool has_few_threads =
      fits(command.block, {UINT32_MAX, UINT32_MAX, UINT32_MAX}) &&
      std::uint64_t{command.block.x} * command.block.y <= run::kMaxThreadsPerBlock &&
      count(command.block) <= run::kMaxThreadsPerBlock;
  if (!is_empty(command.block) && !has_few_threads) {
    __extension__ using Wide = unsigned __int128;
    const Wide threads = Wide{command.block.x} * command.block.y * command.block.z;
    const std::string number = threads > UINT64_MAX
                                   ? "more than 2^64"
                                   : std::to_string(static_cast<std::uint64_t>(threads));
    const std::uint64_t blocks = count(command.grid);
    const bool looks_swapped = blocks % run::kWarpSize == 0 && blocks != 0 &&
                               blocks <= run::kMaxThreadsPerBlock &&
                               fits(command.grid, kMaxBlockDim);
    return " with blocks of " + shape(command.block) + " = " + number + " threads (at most " +
           std::to_string(run::kMaxThreadsPerBlock) + ")" +
           (looks_swapped ? " and a grid of " + shape(command.grid) +
                                " blocks (are the two swapped in <<<grid, block>>>?)"
                          : "");
  }
  if (!fits(command.grid, kMaxGridDim)) {
    return " with a grid of " + shape(command.grid) + " blocks" +
           (is_empty(command.grid)
                ? " (at least 1 in each direction: round a division up, and launch nothing for 0 "
                  "items)"
                : "");
  }
  if (!fits(command.block, kMaxBlockDim)) {
    return " with blocks of " + shape(command.block) + " threads";
  }
  const std::uint32_t bound = kernel.function->max_threads;
  if (bound != 0 && count(command.block) > bound) {
    return " with blocks of " + std::to_string(count(command.block)) + " threads (at most " +
           std::to_string(bound) + ", by its __launch_bounds__)";
  }
  if (command.dynamic_shared_bytes > kernel.dynamic_limit) {
    return " with " + std::to_string(command.dynamic_shared_bytes) +
           " bytes of dynamic shared memory (at most " + std::to_string(kernel.dynamic_limit) +
           (kernel.dynamic_limit + kernel.function->shared_bytes <= run::kDefaultSharedBytesPerBlock
                ? " without cudaFuncSetAttribute)"
                : ")");
  }
  const Size cluster = cluster_of(command, *kernel.function);
  const std::string problem =
      problem_with_cluster(cluster, command, *kernel.function, kernel.cluster_limit);
  if (!problem.empty()) {
    return LaunchProblem(" with clusters of " + shape(cluster) + " blocks" + problem,
                         kInvalidClusterSize);
  }
  return std::nullopt;
}

// As CUDA 13 does; CUDA 12 said cudaErrorInvalidConfiguration of all but the shared memory.
int Device::check_launch(const Launch& command, const Kernel& kernel, Call& call) {
  const std::string launch = "the launch of " + kernel.function->readable;
  if (sticky_ != kSuccess) return call.explain(sticky_, launch);
  if (!is_stream(command.stream)) return call.explain(kInvalidResourceHandle, launch);
  if (const auto problem = problem_with(command, kernel)) {
    return call.explain(problem->error, launch + problem->text);
  }
  if (command.parameter_bytes < kernel.function->parameter_bytes && command.checks_only == 0) {
    return call.explain(kInvalidValue, launch);
  }
  return kSuccess;
}

int Device::handle(const SetKernelLimits& command, Nothing&, Call&) {
  if (command.kernel == 0 || command.kernel > kernels_.size()) return kInvalidDeviceFunction;
  Kernel& kernel = kernels_[command.kernel - 1];
  const std::uint64_t all =
      std::uint64_t{command.dynamic_shared_bytes} + kernel.function->shared_bytes;
  if (all > run::kMaxSharedBytesPerBlock || command.cluster_blocks > memory::kMaxClusterSize) {
    return kInvalidValue;
  }
  kernel.dynamic_limit = command.dynamic_shared_bytes;
  kernel.cluster_limit = command.cluster_blocks;
  return kSuccess;
}

namespace {

// nvcc refuses a program with more. `size_bytes`: 0 once it was reported.
void check_constants(std::uint64_t& size_bytes, const std::string& kernel,
                     const memory::HostPlace& at) {
  constexpr std::uint64_t kMaxConstantBytes = 64 << 10;
  if (size_bytes <= kMaxConstantBytes) return;
  report::report({report::Kind::kLaunchError, at.file, at.line, kernel,
                  "the program's __constant__ variables take " + std::to_string(size_bytes) +
                      " bytes, of which nvcc accepts at most " +
                      std::to_string(kMaxConstantBytes)});
  size_bytes = 0;
}

}  // namespace

std::unique_ptr<run::Launch> Device::make_launch(const Launch& command,
                                                 const Kernel& kernel) const {
  auto launch = std::make_unique<run::Launch>();
  launch->program = kernel.module->program.get();
  launch->images = &images_;
  if (!host_variables_.empty()) launch->host_variables = &host_variables_;
  launch->kernel = kernel.function;
  launch->grid = dim(command.grid);
  launch->block = dim(command.block);
  launch->cluster = dim(cluster_of(command, *kernel.function));
  launch->dynamic_shared_bytes = static_cast<std::uint32_t>(command.dynamic_shared_bytes);
  launch->is_cooperative = command.is_cooperative != 0;
  if (posed_.num_multiprocessors != 0) launch->num_multiprocessors = posed_.num_multiprocessors;
  launch->stream = command.stream;
  launch->is_counted = watchers_.is_counting();
  launch->loses_updates =
      !launch->is_counted && watchers_.checker().has_races(kernel.function->readable);
  const memory::HostPlace at = host_place(command.at);
  launch->host_file = at.file;
  launch->host_line = at.line;
  return launch;
}

int Device::handle(const Launch& command, Nothing&, Call& call) {
  if (command.kernel == 0 || command.kernel > kernels_.size()) return kInvalidDeviceFunction;
  const Kernel& kernel = kernels_[command.kernel - 1];
  if (const int error = check_launch(command, kernel, call); error != kSuccess) return error;
  std::unique_ptr<run::Launch> launch = make_launch(command, kernel);
  launch->parameters.assign(call.tail.begin(), call.tail.end());
  if (launch->is_cooperative && launch->grid.count() > run::max_resident_blocks(*launch)) {
    return call.explain(kCooperativeLaunchTooLarge, "the launch of " + kernel.function->readable);
  }
  if (command.checks_only != 0) return kSuccess;
  if (waiting_ != nullptr) return kNotReady;  // one kernel at a time
  check_constants(kernel.module->constant_bytes, kernel.function->readable, host_place(command.at));
  host_launch_ = command;
  nested_depth_ = 0;
  start(*kernel.module, std::move(launch));
  start_nested();
  return kSuccess;  // as of an asynchronous launch
}

void Device::start(Module& module, std::unique_ptr<run::Launch> launch) {
  run::Machine& machine = *module.machine;
  std::vector<run::Monitor*> monitors = watchers_.monitors();
  if (has_clock()) monitors.push_back(&asked_bytes_);
  machine.set_monitors(std::move(monitors));
  machine.set_schedule(seed_);
  if (seconds_ > 0) machine.set_time_limit(seconds_);
  host_calls(host_launch_.at);
  begin_work(host_launch_.stream, host_launch_.at);
  note_launch(launch->kernel->readable);
  if (machine.launch(std::move(launch)) == run::Outcome::kWaitsForHost) {
    streams().set_work_aside();
    waiting_ = &module;
    return;
  }
  end_kernel();
  sticky_ = machine.error();
}

void Device::end_kernel() {
  spend(check::Engine::kCompute,
        launch_ms_ + posed_.kernel_byte_ms * static_cast<double>(asked_bytes_.of_launch()));
  streams().end_work();
}

void Device::end_waiting() {
  end_kernel();
  sticky_ = std::exchange(waiting_, nullptr)->machine->error();
  start_nested();
}

run::Outcome Device::proceed() {
  streams().resume_work();
  watchers_.counter().host_had_a_turn();
  const run::Outcome outcome = waiting_->machine->proceed();
  if (outcome == run::Outcome::kWaitsForHost) {
    streams().set_work_aside();
  } else {
    end_waiting();
  }
  return outcome;
}

bool Device::take_idle_turn() {
  if (waiting_ == nullptr) return false;
  run::Machine& machine = *waiting_->machine;
  machine.set_step_limit(kPatienceOfTurn);
  const run::Outcome outcome = proceed();
  machine.set_step_limit(run::kDefaultStepLimit);
  return outcome == run::Outcome::kEnded;
}

void Device::finish_waiting(const std::string& why) {
  if (waiting_ == nullptr || proceed() == run::Outcome::kEnded) return;
  streams().resume_work();
  waiting_->machine->give_up(why);
  end_waiting();
}

int Device::handle(const Proceed& command, Nothing&, Call&) {
  if (waiting_ == nullptr) return kSuccess;
  if (command.is_last != 0) {
    proceed();
  } else {
    take_idle_turn();
  }
  return kSuccess;
}

int Device::handle(const GiveUp&, Nothing&, Call& call) {
  if (waiting_ == nullptr) return kSuccess;
  streams().resume_work();
  waiting_->machine->give_up(std::string(call.text()));
  end_waiting();
  return kSuccess;
}

}  // namespace serve
