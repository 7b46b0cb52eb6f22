// SPDX-License-Identifier: MIT
// A launch from its check against the device's limits to the report of its fault.
#include "simt/launch.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "check/launch_checks.h"
#include "check/races.h"
#include "check/way.h"
#include "count/publications.h"
#include "count/tally.h"
#include "hooks/divided_launch.h"
#include "hooks/kernel.h"
#include "hooks/nested_launch.h"
#include "hooks/print.h"
#include "hooks/types.h"
#include "program/device_variables.h"
#include "program/source_line.h"
#include "record/recorder.h"
#include "report/report_at.h"
#include "run/built_ins.h"
#include "run/device_heap.h"
#include "run/device_lock.h"
#include "run/launch.h"
#include "run/path.h"
#include "run/poll.h"
#include "run/progress.h"
#include "run/running.h"
#include "run/running_thread.h"
#include "run/scheduler.h"
#include "run/set_aside.h"
#include "run/signal_guard.h"
#include "run/stream_order.h"
#include "run/untraced.h"
#include "simt/capture.h"
#include "simt/closure.h"
#include "simt/error_state.h"
#include "simt/finding.h"
#include "simt/properties.h"

namespace simt {
namespace {

using device::Kernel;
using device::Launch;
using device::running;

std::size_t g_dynamic_shared_limit = kDefaultSharedBytesPerBlock;

bool fits(dim3 dim, const unsigned (&limits)[3]) {
  return dim.x >= 1 && dim.x <= limits[0] && dim.y >= 1 && dim.y <= limits[1] && dim.z >= 1 &&
         dim.z <= limits[2];
}

cudaError_t check(const LaunchConfig& config, std::uint64_t max_resident) {
  const std::uint64_t num_threads = std::uint64_t{config.block.x} * config.block.y * config.block.z;
  if (sticky_error() != cudaSuccess) return sticky_error();
  if (running.launch != nullptr && !device::may_nest()) return cudaErrorNotSupported;
  if (!is_valid_stream(config.stream) && !device::is_stream_of_kernels(config.stream)) {
    return cudaErrorInvalidResourceHandle;
  }
  // As CUDA 13 does; CUDA 12 said cudaErrorInvalidConfiguration of all but the shared memory.
  if (num_threads > kMaxThreadsPerBlock || !fits(config.grid, kMaxGridDim) ||
      !fits(config.block, kMaxBlockDim) || config.shared_bytes > g_dynamic_shared_limit) {
    return cudaErrorInvalidValue;
  }
  const std::uint64_t num_blocks = std::uint64_t{config.grid.x} * config.grid.y * config.grid.z;
  if (config.cooperative && num_blocks > max_resident) return cudaErrorCooperativeLaunchTooLarge;
  return cudaSuccess;
}

// Blocks of this launch that the device holds at a time. Meaningful for valid launches only.
std::uint64_t max_resident_blocks(const LaunchConfig& config) {
  const std::uint64_t num_threads = std::uint64_t{config.block.x} * config.block.y * config.block.z;
  if (num_threads > kMaxThreadsPerBlock) return 0;
  return static_cast<std::uint64_t>(kNumMultiprocessors) *
         static_cast<std::uint64_t>(
             blocks_per_multiprocessor(static_cast<int>(num_threads), config.shared_bytes));
}

device::Schedule schedule_for(const LaunchConfig& config) {
  const unsigned num_threads = config.block.x * config.block.y * config.block.z;
  return device::Schedule::for_grid(std::uint64_t{config.grid.x} * config.grid.y * config.grid.z,
                                    static_cast<int>((num_threads + kWarpSize - 1) / kWarpSize));
}

void report_fault(const LaunchSite& site, const device::Fault& fault) {
  const SourcePlace where = device::place_in_kernel(fault.pc, site);
  report({*fault.kind, where.file, where.line, site.kernel, fault.message});
  set_sticky_error(fault.error);
}

// At the line of the launch, about `kernel`.
void report_at_launch(const LaunchSite& site, const char* kernel, std::string message) {
  const std::string_view path(site.file);
  report({FindingKind::kLaunchError, std::string(path.substr(path.rfind('/') + 1)), site.line,
          kernel, std::move(message)});
}

// nvcc refuses the program.
void check_constants(const Launch& launch) {
  const std::size_t size_bytes = device::constant_bytes();
  if (size_bytes <= kConstantBytes) return;
  report_at_launch(launch.site, launch.site.kernel,
                   "the program's __constant__ variables take " + std::to_string(size_bytes) +
                       " bytes, of which nvcc accepts at most " + std::to_string(kConstantBytes));
}

// A device knows a kernel's declarations before the launch; the emulator knows them only
// afterwards.
void check_static_shared(const Launch& launch) {
  std::size_t static_bytes = 0;
  std::string names;
  for (const device::SharedVariable* const variable : device::written_shared_variables()) {
    static_bytes += variable->size_bytes;
    names += (names.empty() ? "" : ", ") + variable->name;
  }
  const std::size_t dynamic_bytes = launch.config.shared_bytes;
  const bool is_raised = g_dynamic_shared_limit > kDefaultSharedBytesPerBlock;
  const std::size_t most = is_raised ? kMaxSharedBytesPerBlock : kDefaultSharedBytesPerBlock;
  std::string message =
      "the __shared__ variables (" + names + ") take " + std::to_string(static_bytes) + " bytes";
  if (static_bytes > kDefaultSharedBytesPerBlock) {
    message += ", of which nvcc accepts at most " + std::to_string(kDefaultSharedBytesPerBlock) +
               ": more has to be dynamic shared memory";
  } else if (static_bytes > 0 && static_bytes + dynamic_bytes > most) {
    message += ", the launch's dynamic shared memory " + std::to_string(dynamic_bytes) +
               ": together more than the " + std::to_string(most) + " that a block may have" +
               (is_raised ? "" : " without cudaFuncSetAttribute") + "; a GPU refuses the launch";
  } else {
    return;
  }
  report_at_launch(launch.site, launch.site.kernel, std::move(message));
}

// Whether its own first thread has refused it, before anything has happened.
bool is_refused(const Launch& launch) { return launch.fault && !launch.fault->kind; }

// nvcc does not compile it with the options that labs use.
void report_nested(const LaunchSite& site) {
  if (std::exchange(running.launch->has_nested, true)) return;
  const device::Untraced untraced;
  report_at_launch(site, running.launch->site.kernel,
                   device::running_thread_name() + " launches " + site.kernel +
                       " from a kernel, and nothing was launched: launch kernels from the host");
}

std::string shape(dim3 size) {
  return std::to_string(size.x) + " x " + std::to_string(size.y) + " x " + std::to_string(size.z);
}

// A number of threads or blocks that no GPU takes; empty if it is something else.
std::string impossible_shape(const LaunchConfig& config) {
  const std::uint64_t num_threads = std::uint64_t{config.block.x} * config.block.y * config.block.z;
  if (num_threads > kMaxThreadsPerBlock) {
    return " with blocks of " + shape(config.block) + " = " + std::to_string(num_threads) +
           " threads (at most " + std::to_string(kMaxThreadsPerBlock) + ")";
  }
  if (!fits(config.grid, kMaxGridDim)) {
    const bool is_empty = config.grid.x == 0 || config.grid.y == 0 || config.grid.z == 0;
    return " with a grid of " + shape(config.grid) + " blocks" +
           (is_empty
                ? " (at least 1 in each direction: round a division up, and launch nothing for 0 items)"
                : "");
  }
  if (!fits(config.block, kMaxBlockDim)) {
    return " with blocks of " + shape(config.block) + " threads";
  }
  return "";
}

cudaError_t refuse(const LaunchSite& site, const LaunchConfig& config, cudaError_t error) {
  const device::Untraced untraced;
  set_last_error(error);
  explain_last_error("the launch of " + std::string(site.kernel) + impossible_shape(config),
                     site.kernel);
  return error;
}

}  // namespace

void raise_dynamic_shared_limit(std::size_t size_bytes) {
  g_dynamic_shared_limit = std::clamp(size_bytes, g_dynamic_shared_limit, kMaxSharedBytesPerBlock);
}

namespace device {

// Between kernels the device's clock stands still, whatever the host does; and each thread of the
// host has its own Running.
void give_device_to(Launch* launch) {
  static Running::Clock clock;
  if (launch == nullptr) {
    clock = running.clock();
    running.alarm_step = UINT64_MAX;
  } else {
    running.set_clock(clock);
  }
  running.launch = launch;
  running.holds_writes_back = launch != nullptr && launch->loses_updates;
  running.holds_publications = launch != nullptr && launch->schedule.holds_publications;
  running.is_silent = launch != nullptr && code_is_silent && !launch->is_traced;
  running.path = launch != nullptr ? &kernel_path : &host_path;
  choose_way();
}

void proceed(Kernel& kernel, std::uint64_t patience) {
  block_dim = kernel.launch.config.block;
  grid_dim = kernel.launch.config.grid;
  doubtful_reference = 0;
  reset_alarm();
  const SignalGuard guard;
  proceed_on_cores(kernel, patience);
}

void end(Kernel& kernel) {
  const Launch& launch = kernel.launch;
  end_checks();
  if (launch.is_counted) tally().end_launch(written_shared_variables(), launch.most_sectors);
  if (launch.fault) {
    abandon_fibers();
    release_device_heap();
    if (!is_refused(launch)) report_fault(launch.site, *launch.fault);
  } else {
    check_static_shared(launch);
    check_constants(launch);
  }
  flush_prints();
  give_device_to(nullptr);
  show_no_launch();
  if (is_recording()) end_recording();
}

}  // namespace device

namespace {

void begin(Launch& launch) {
  const dim3& grid = launch.config.grid;
  device::show_launch(launch.site.kernel, std::uint64_t{grid.x} * grid.y * grid.z);
  device::give_device_to(&launch);
  device::take_fibers();
  device::open_device_heap();
  device::begin_checks(launch);
}

cudaError_t run(const Launch& launch, std::uint64_t max_resident) {
  auto kernel = std::make_unique<Kernel>(launch, max_resident);
  begin(kernel->launch);
  device::proceed(*kernel, device::step_limit());
  if (kernel->grid.waits_for_host()) {
    device::set_aside(std::move(kernel));
    return cudaSuccess;
  }
  device::end(*kernel);
  device::run_nested(kernel->launch);
  return is_refused(kernel->launch) ? kernel->launch.fault->error : cudaSuccess;
}

cudaError_t start(const LaunchSite& site, const LaunchConfig& config,
                  const detail::Closure& closure) {
  const std::uint64_t max_resident = max_resident_blocks(config);
  const cudaError_t error = check(config, max_resident);
  if (error != cudaSuccess) return refuse(site, config, error);
  const bool is_counted = is_counting();
  if (is_counted) {
    device::tally().begin_launch(site, config, closure.size_bytes);
    device::forget_publications();
  }
  device::begin_recording(site, config);
  const bool is_traced = is_counted || device::is_recording();
  Launch launch = {site, config, closure, is_counted, is_traced, schedule_for(config)};
  launch.loses_updates = !is_traced && device::has_races(site.kernel);
  const bool has_all_room = config.cooperative || !launch.schedule.is_device_busy;
  const cudaError_t outcome =
      run(launch, has_all_room ? max_resident : max_resident / kNumMultiprocessors);
  return outcome == cudaSuccess ? cudaSuccess : refuse(site, config, outcome);
}

// A launch into a stream whose kernel waits for the host.
cudaError_t start_later(const LaunchSite& site, const LaunchConfig& config,
                        detail::Closure closure) {
  const cudaError_t error = check(config, max_resident_blocks(config));
  if (error != cudaSuccess) return refuse(site, config, error);
  closure.object = detail::keep(closure);
  internal::run_behind_set_aside([site, config, closure] {
    start(site, config, closure);
    detail::drop(closure);
  });
  return cudaSuccess;
}

// A launch by a thread of the running kernel.
cudaError_t start_nested(const LaunchSite& site, const LaunchConfig& config,
                         const detail::Closure& closure) {
  cudaError_t error = check(config, max_resident_blocks(config));
  if (error == cudaSuccess) {
    const device::Untraced untraced;  // what it keeps is not the kernel's
    error = device::launch_nested({site, config, closure});
  }
  return error == cudaSuccess ? cudaSuccess : refuse(site, config, error);
}

}  // namespace

void device::start_kept(const NestedLaunch& nested) {
  start(nested.site, nested.config, nested.closure);
}

cudaError_t detail::run_grid(const LaunchSite& site, const LaunchConfig& config,
                             const Closure& closure) {
  const internal::DeviceLock lock;
  if (running.launch != nullptr && device::may_nest()) return start_nested(site, config, closure);
  if (running.launch != nullptr) report_nested(site);
  if (running.launch == nullptr && is_valid_stream(config.stream)) {
    if (const cudaError_t error = check_legacy_stream(config.stream); error != cudaSuccess) {
      return refuse(site, config, error);
    }
    if (is_capturing(config.stream)) {
      const cudaError_t error = check(config, max_resident_blocks(config));
      if (error != cudaSuccess) return refuse(site, config, error);
      return set_last_error(capture_kernel(site, config, closure));
    }
  }
  if (running.launch == nullptr && device::is_one_set_aside() && is_valid_stream(config.stream)) {
    if (internal::is_behind_unfinished(config.stream)) return start_later(site, config, closure);
    internal::finish_set_aside();  // one kernel at a time
  }
  return start(site, config, closure);
}

cudaError_t detail::check_launch(const LaunchConfig& config) {
  const internal::DeviceLock lock;
  return check(config, max_resident_blocks(config));
}

void check_launch_bounds(unsigned max_threads) noexcept {
  if (running.launch == nullptr) return;
  const dim3& block = running.launch->config.block;
  if (max_threads == 0 || block.x * block.y * block.z <= max_threads) return;
  const device::Untraced untraced;
  device::end_kernel({cudaErrorInvalidValue, std::nullopt, "", nullptr});
}

}  // namespace simt
