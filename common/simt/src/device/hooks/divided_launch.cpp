// SPDX-License-Identifier: MIT
#include "hooks/divided_launch.h"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "check/memory_check.h"
#include "check/order.h"
#include "check/part_memory.h"
#include "check/way.h"
#include "report/debugger.h"
#include "run/part.h"
#include "run/running.h"
#include "run/signal_guard.h"
#include "simt/cores.h"
#include "simt/finding.h"
#include "simt/memory.h"

namespace simt {
namespace {

int g_num_cores = 1;

// When the first blocks have taken so long, the rest may be divided, if it takes at least so long.
double g_first_seconds = 0.02;
double g_least_seconds = 0.3;

std::uint64_t g_num_divided = 0;

}  // namespace

void set_cores(int num_cores) { g_num_cores = std::max(num_cores, 1); }

std::uint64_t num_divided_launches() { return g_num_divided; }

namespace device {
namespace {

constexpr std::uint64_t kFirstBlocks = 8;  // of which the checks at a launch's end know more
constexpr int kMostParts = 64;

// Kernels whose blocks were not independent.
std::set<std::string, std::less<>> g_dependent;

bool may_be_divided(const Launch& launch) {
  return g_num_cores > 1 && is_alone && checks_made == Checks::kAll && !launch.is_traced &&
         !launch.config.cooperative && launch.schedule.interruptions == 0 &&
         !launch.schedule.holds_publications && !launch.schedule.is_device_busy &&
         !launch.loses_updates && simt_debug_attached == 0;
}

// Another thread may write to the memory of the host that kernels use.
bool has_other_threads() {
  std::error_code error;
  const std::filesystem::directory_iterator tasks("/proc/self/task", error);
  return error || std::distance(begin(tasks), end(tasks)) != 1;
}

// How many parts there is memory for, if each accesses all of the device's: a copy of that and of
// its records, which are ten times as large, and both once more in files.
std::uint64_t most_parts_in_memory() {
  constexpr std::uint64_t kBytesPerByte = 24;
  std::ifstream info("/proc/meminfo");
  for (std::string name, unit; info >> name;) {
    std::uint64_t kibibytes = 0;
    info >> kibibytes;
    std::getline(info, unit);
    if (name == "MemAvailable:") {
      return (kibibytes << 10) / (kBytesPerByte * std::max<std::uint64_t>(used_bytes(), 1));
    }
  }
  return 0;
}

// The same, for what takes longer to find out.
bool can_be_divided(const Launch& launch) {
  return !has_other_threads() && !g_dependent.contains(std::string_view(launch.site.kernel)) &&
         !has_unpoisoned_memory() && sees_changed_pages() && most_parts_in_memory() >= 2;
}

double seconds_now() {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Part {
  PartMemory memory;
  std::uint64_t first = 0;  // of the launch's blocks
  std::uint64_t end = 0;
};

[[noreturn]] void run_part(Kernel& kernel, const Part& part, std::uint64_t patience,
                           Running::Clock& took) {
  is_part = true;
  set_finding_listener([](const Finding&) { give_up_part(); });
  const Running::Clock before = running.clock();
  skip_ordinals(static_cast<std::uint32_t>(part.first - kernel.grid.num_started()));
  kernel.grid.take_part(part.first, part.end);
  const SignalGuard guard;  // a child has no timer
  kernel.grid.run(patience);
  if (kernel.launch.fault || kernel.grid.waits_for_host()) give_up_part();
  if (!save_part_memory(part.memory)) give_up_part();
  const Running::Clock now = running.clock();
  took = {now.steps - before.steps, now.changes - before.changes, now.switches - before.switches};
  _exit(EXIT_SUCCESS);
}

std::vector<Part> divide(std::uint64_t first, std::uint64_t end) {
  const auto most = static_cast<std::uint64_t>(std::min(g_num_cores, kMostParts));
  const std::uint64_t count =
      std::max<std::uint64_t>(1, std::min({most, end - first, most_parts_in_memory()}));
  std::vector<Part> parts(count);
  const std::uint32_t ordinal = next_ordinal();
  for (std::uint64_t i = 0; i < count; ++i) {
    Part& part = parts[i];
    part.first = first + (end - first) * i / count;
    part.end = first + (end - first) * (i + 1) / count;
    part.memory.first_block = ordinal + static_cast<std::uint32_t>(part.first - first);
    part.memory.end_block = ordinal + static_cast<std::uint32_t>(part.end - first);
    for (int& file : part.memory.files) file = memfd_create("lockstep", MFD_CLOEXEC);
  }
  return parts;
}

bool have_files(const std::vector<Part>& parts) {
  return std::all_of(parts.begin(), parts.end(), [](const Part& part) {
    return std::all_of(part.memory.files.begin(), part.memory.files.end(),
                       [](int file) { return file >= 0; });
  });
}

void close_files(const std::vector<Part>& parts) {
  for (const Part& part : parts) {
    for (const int file : part.memory.files) {
      if (file >= 0) close(file);
    }
  }
}

enum class State { kRuns, kHasEnded, kHasFailed };

State state_of(pid_t process) {
  int status = 0;
  const pid_t ended = waitpid(process, &status, WNOHANG);
  if (ended == 0 || (ended < 0 && errno == EINTR)) return State::kRuns;
  const bool is_good = ended == process && WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS;
  return is_good ? State::kHasEnded : State::kHasFailed;
}

// Waits for all of them. Whether all ended well; the first that does not ends the others. (The
// program may have children of its own, so this cannot wait for any.)
bool wait_for(std::vector<pid_t> processes, bool are_good) {
  constexpr timespec kTick = {.tv_sec = 0, .tv_nsec = 1'000'000};
  while (!processes.empty()) {
    std::erase_if(processes, [&](pid_t process) {
      if (!are_good) kill(process, SIGKILL);
      const State state = state_of(process);
      are_good = are_good && state != State::kHasFailed;
      return state != State::kRuns;
    });
    if (!processes.empty()) nanosleep(&kTick, nullptr);
  }
  return are_good;
}

// Whether all parts ran to their end.
bool run_parts(Kernel& kernel, const std::vector<Part>& parts, std::uint64_t patience,
               Running::Clock* took) {
  const pid_t parent = getpid();
  std::vector<pid_t> processes;
  for (const Part& part : parts) {
    const pid_t process = fork();
    if (process == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (getppid() != parent) give_up_part();
      run_part(kernel, part, patience, took[&part - parts.data()]);
    }
    if (process < 0) return wait_for(std::move(processes), false);
    processes.push_back(process);
  }
  return wait_for(std::move(processes), true);
}

// Whether the kernel's other blocks have run in parts.
bool run_rest(Kernel& kernel, std::uint64_t patience) {
  const std::uint64_t first = kernel.grid.num_started();
  const std::uint64_t end = kernel.grid.num_blocks();
  std::vector<Part> parts = divide(first, end);
  const std::size_t shared_bytes = parts.size() * sizeof(Running::Clock);
  void* const shared =
      mmap(nullptr, shared_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  auto* const took = static_cast<Running::Clock*>(shared);
  bool is_done = false;
  if (shared != MAP_FAILED) {
    std::vector<PartMemory> memories;
    for (const Part& part : parts) memories.push_back(part.memory);
    is_done = have_files(parts) && run_parts(kernel, parts, patience, took) &&
              merge_part_memory(memories);
    for (std::size_t i = 0; is_done && i < parts.size(); ++i) {
      running.steps += took[i].steps;
      running.changes += took[i].changes;
      running.switches += took[i].switches;
    }
    munmap(shared, shared_bytes);
  }
  close_files(parts);
  if (is_done) {
    skip_ordinals(static_cast<std::uint32_t>(end - first));
    kernel.grid.end_part();
    ++g_num_divided;
  }
  return is_done;
}

}  // namespace

void proceed_on_cores(Kernel& kernel, std::uint64_t patience) {
  Grid& grid = kernel.grid;
  if (!may_be_divided(kernel.launch)) return grid.run(patience);
  const double begin = seconds_now();
  bool is_decided = false;
  const bool is_paused = grid.run_with_pause(patience, [&] {
    if (is_decided || grid.num_ended() < kFirstBlocks) return false;
    const double seconds = seconds_now() - begin;
    if (seconds < g_first_seconds) return false;
    is_decided = true;
    const auto rest = static_cast<double>(grid.num_blocks() - grid.num_ended());
    return rest * seconds / static_cast<double>(grid.num_ended()) >= g_least_seconds &&
           can_be_divided(kernel.launch);
  });
  if (!is_paused || run_rest(kernel, patience)) return;
  g_dependent.insert(kernel.launch.site.kernel);
  grid.run(patience);
}

}  // namespace device

void set_division(double first_seconds, double least_seconds) {
  g_first_seconds = first_seconds;
  g_least_seconds = least_seconds;
  device::g_dependent.clear();
}

}  // namespace simt
