// SPDX-License-Identifier: MIT
#include "process/submission.h"

#include <signal.h>

#include <algorithm>
#include <chrono>
#include <sstream>
#include <utility>

namespace judge {
namespace {

std::string seconds_text(double seconds) {
  return std::to_string(static_cast<int>(seconds)) + " s";
}

// `is_over_budget`: all calls together took too long, not this one.
Failure explain(const Exchange& exchange, const Limits& limits, bool is_over_budget) {
  switch (exchange.ending) {
    case Ending::kTimedOut:
      if (is_over_budget) {
        return {kind::kTimeout, "its calls took more than " +
                                    seconds_text(limits.all_calls_seconds) +
                                    " in all: does each of them wait for something?"};
      }
      if (limits.names_slow_kernels && exchange.cpu_seconds > limits.call_cpu_seconds) {
        return {kind::kTimeout,
                "gave no answer within " + seconds_text(limits.call_cpu_seconds) +
                    " of CPU time: a loop of the host's code that does not end, or does too much. "
                    "A kernel that takes so long is named, with its line"};
      }
      return {kind::kTimeout, "gave no answer within " + seconds_text(limits.call_cpu_seconds) +
                                  " of CPU time (" + seconds_text(limits.call_wall_seconds) +
                                  " on the clock): an endless loop, or a wait that nothing ends"};
    case Ending::kFlooded:
      return {kind::kCrash, "printed more than " + std::to_string(limits.output_bytes >> 10) +
                                " KiB and was stopped: is a printf left in a kernel or a loop?"};
    case Ending::kMemoryExceeded:
      return {kind::kOutOfMemory,
              "used more than " + std::to_string(limits.memory_bytes >> 20) + " MiB of memory"};
    case Ending::kMalformed:
      return {kind::kForbidden,
              "the judge's channel was written to, or closed, by something other than the worker"};
    case Ending::kDied:
    case Ending::kDeviceDied:
    case Ending::kReplied:
      break;
  }
  if (exchange.death.signal == SIGKILL) {  // see Submission::account_for
    return {kind::kOutOfMemory, "was ended by the system while it held " +
                                    std::to_string(exchange.memory_bytes >> 20) +
                                    " MiB of memory, far more than a rung needs"};
  }
  if (exchange.death.signal == SIGSYS) {
    return {kind::kForbidden,
            "made a system call that no kernel needs "
            "(a new thread or process, a socket, another process's memory, ...), "
            "and was stopped by the sandbox: let the function's own thread do the work"};
  }
  if (exchange.death.status == wire::kTamperingStatus) {
    return {
        kind::kForbidden,
        "the code reached for what is not its own (a function by its address, the device's "
        "variables and records, or a return address), and was stopped; the output names the line"};
  }
  return {kind::kCrash, "the program " + exchange.death.how +
                            (exchange.death.signal == 0 ? " in the middle of a call" : "")};
}

Failure explain(const wire::Reply& reply, const wire::Batch& batch) {
  const bool is_call = reply.failed_call < batch.calls.size();  // else an error of the whole batch
  const std::string function = is_call ? batch.calls[reply.failed_call].function : "the call";
  switch (reply.status) {
    case wire::Status::kTodo:
      return {kind::kTodo, reply.text};
    case wire::Status::kCudaError:
      if (reply.text.starts_with("cudaErrorMemoryAllocation"))
        return {kind::kOutOfMemory, reply.text};
      return {kind::kLaunchError, function + " failed with " + reply.text};
    case wire::Status::kUncheckedError:
      return {
          kind::kLaunchError,
          function + " ignored an error: " + reply.text +
              ". Ask for the error after each launch, as check_launch() does, and put check() around "
              "each CUDA call"};
    case wire::Status::kNoError:
      return {kind::kLaunchError, function +
                                      " returned as if it had worked, but it cannot have: "
                                      "it had to throw lab::CudaError with " +
                                      (is_call ? batch.calls[reply.failed_call].error : "")};
    case wire::Status::kErrorLeft:
      return {kind::kLaunchError,
              function +
                  " reported an error but did not clear it, so the next check reports it again: " +
                  reply.text +
                  ". cudaGetLastError() returns and clears it, "
                  "cudaPeekAtLastError() only returns it"};
    case wire::Status::kScratchUsedUp:
      return {kind::kOutOfMemory, function + " asked for more memory than there is: " +
                                      std::to_string(batch.scratch_bytes) +
                                      " bytes of scratch were given. An allocation in each "
                                      "round of a loop or a recursion that does not end "
                                      "uses them up, too"};
    case wire::Status::kUndefined:
      return {kind::kCompileError, "the file does not define lab::" + reply.text +
                                       " with the signature that the lab's header declares"};
    case wire::Status::kException:
      return {kind::kCrash,
              function +
                  " threw an exception that its contract does not allow (a CUDA call that failed "
                  "is reported by its code: throw CudaError(error)): " +
                  reply.text};
    case wire::Status::kCrashed:
      return {kind::kCrash, function + " crashed: " + reply.text};
    default:
      // Either the judge is wrong or the rung lies. A mistake of the judge is found early: no
      // solution would pass.
      return {kind::kForbidden, "the worker refused the judge's request for " + function + " (" +
                                    reply.text +
                                    "). A lab's own requests are never refused: has the rung "
                                    "written to the judge's channel?"};
  }
}

// What the C++ library prints for an exception that nothing may catch. The worker catches all
// others.
constexpr const char* kUncaught = "terminate called after throwing";

// Whether `error`, a Call::error, lists the code of this name.
bool names(const std::string& error, const std::string& name) {
  std::istringstream words(error);
  for (std::string word; words >> word;) {
    if (word == name) return true;
  }
  return false;
}

// What the buffers hold that the calls take as host memory.
std::vector<wire::HostData> host_data(const std::vector<wire::Call>& calls, const Arena& arena) {
  std::vector<wire::HostData> all;
  for (const wire::Region& region : arena.regions()) {
    const bool is_taken = std::ranges::any_of(calls, [&](const wire::Call& call) {
      return std::ranges::any_of(call.args, [&](const wire::Arg& arg) {
        return arg.is_hosts() && arg.bits == region.offset_bytes;
      });
    });
    if (!is_taken) continue;
    std::string bytes(region.size_bytes + 2 * wire::kGuardBytes, '\0');
    arena.memory().read(region.offset_bytes - wire::kGuardBytes, bytes.data(), bytes.size());
    all.push_back({region.offset_bytes, std::move(bytes)});
  }
  return all;
}

// Puts what the calls left of them into the arena. False: these are not the buffers that were sent.
bool take_back(const std::vector<wire::HostData>& sent, const std::vector<std::string>& left,
               Arena& arena) {
  const auto has_size = [](const wire::HostData& data, const std::string& bytes) {
    return data.bytes.size() == bytes.size();
  };
  if (!std::ranges::equal(sent, left, has_size)) return false;
  for (std::size_t i = 0; i < sent.size(); ++i) {
    arena.memory().write(sent[i].offset_bytes - wire::kGuardBytes, left[i].data(), left[i].size());
  }
  return true;
}

// Whether each call that must throw threw the right error.
std::optional<Failure> compare_errors(const wire::Batch& batch, const wire::Reply& reply) {
  std::size_t num_errors = 0;
  for (const wire::Call& call : batch.calls) {
    if (call.error.empty()) continue;
    const std::string thrown =
        num_errors < reply.errors.size() ? reply.errors[num_errors] : "nothing";
    ++num_errors;
    if (!names(call.error, thrown.substr(0, thrown.find(':')))) {
      const bool was_cleared = thrown.starts_with("cudaSuccess");
      return Failure{
          kind::kLaunchError,
          call.function + " had to throw lab::CudaError with " + call.error + ", and threw " +
              thrown +
              (was_cleared ? ". The first cudaGetLastError() clears the error: keep what "
                             "it returns in a variable"
                           : "")};
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Failure> cause_of(const Outcome& outcome) {
  const auto& failure = outcome.failure;
  if (failure && failure->kind == kind::kCrash) {
    // The host's code used a pointer to the device's memory, which the device has named.
    const auto pointer = std::ranges::find_if(outcome.findings, [&](const wire::Finding& finding) {
      return finding.kind == kind::kHostPointer && failure->message.ends_with(finding.message);
    });
    return pointer == outcome.findings.end() ? failure : Failure{pointer->kind, pointer->message};
  }
  if (!failure || failure->kind != kind::kLaunchError) return failure;
  // A leak is not the cause: it may be a consequence of the error.
  const auto cause = std::ranges::find_if(
      outcome.findings, [](const wire::Finding& finding) { return finding.kind != kind::kLeak; });
  return cause == outcome.findings.end() ? failure : Failure{cause->kind, cause->message};
}

Submission::Submission(Commands commands, Arena& arena, Limits limits)
    : commands_(std::move(commands)), arena_(arena), limits_(std::move(limits)) {}

void Submission::end() {
  if (process_ == nullptr) return;
  is_ready_ = false;
  std::unique_ptr<WorkerProcess> ended;
  ended.swap(process_);
  output_ += ended->take_output();
  ended->end();
}

void Submission::pause() {
  if (process_ != nullptr) process_->pause();
}

void Submission::resume() {
  if (process_ != nullptr) process_->resume();
}

Exchange Submission::account_for(const std::function<Exchange()>& make) {
  const auto begin = std::chrono::steady_clock::now();
  const bool has_started = is_ready_;
  Exchange exchange = make();
  spent_seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (exchange.ending != Ending::kReplied) end();
  if (!exchange.report.fault.empty()) {
    throw std::runtime_error("the device process failed: " + exchange.report.fault);
  }
  const bool has_died = exchange.ending == Ending::kDied || exchange.ending == Ending::kDeviceDied;
  const bool is_killed = has_died && exchange.death.signal == SIGKILL;
  if (is_killed && exchange.memory_bytes <= limits_.greedy_bytes) throw WorkerKilled();
  if (exchange.ending != Ending::kDeviceDied || is_killed) return exchange;
  if (exchange.death.status == wire::kRingBrokenStatus) {
    exchange.ending = Ending::kMalformed;  // not by the rung's CUDA calls
    return exchange;
  }
  const std::string& how = exchange.death.how;
  throw std::runtime_error(std::string("the device process ") +
                           (has_started ? "" : "did not start: it ") +
                           (how.empty() ? "broke its protocol" : how) + ": " + output_);
}

void Submission::record(std::uint32_t which, std::string kernel, std::uint64_t schedule_seed) {
  records_ = which;
  recorded_kernel_ = std::move(kernel);
  recorded_order_ = schedule_seed;
}

Outcome Submission::run(wire::Batch batch) {
  const bool records = records_ != 0 && is_recording_;
  if (records) {
    batch.record = records_;
    batch.kernel = recorded_kernel_;
    if (records_ == wire::kFirst) {
      batch.count = batch.shapes = 0;
      batch.schedule_seed = recorded_order_;
    }
  }
  batch.regions = arena_.regions();
  batch.host_data = host_data(batch.calls, arena_);
  Outcome outcome = run_batch(batch);
  if (records) keep_recording(outcome);
  return outcome;
}

void Submission::keep_recording(Outcome& outcome) {
  for (std::string& kernel : outcome.launches) {
    auto& known = recorded_.launches;
    if (std::ranges::find(known, kernel) == known.end()) known.push_back(std::move(kernel));
  }
  if (records_ == wire::kFirst) {
    if (outcome.recording.size() > recorded_.text.size()) {
      recorded_.text = std::move(outcome.recording);
    }
    if (!outcome.failure || recorded_.failure) return;
    recorded_.failure = cause_of(outcome);
    recorded_.findings = outcome.findings;
  } else if (is_new_fault(outcome)) {
    faults_.push_back(
        {std::move(outcome.recording), recorded_.launches, cause_of(outcome), outcome.findings});
  } else if (faults_.empty() && !outcome.recording.empty()) {
    recorded_.text = std::move(outcome.recording);
  }
}

bool Submission::is_new_fault(const Outcome& outcome) const {
  constexpr std::size_t kMaxFaults = 20;
  if (faults_.size() == kMaxFaults) return false;
  if (outcome.failure && faults_.empty()) return true;
  return std::ranges::any_of(outcome.findings, [&](const wire::Finding& finding) {
    return std::ranges::none_of(faults_, [&](const Recorded& fault) {
      return std::ranges::any_of(fault.findings, [&](const wire::Finding& known) {
        return known.kind == finding.kind && known.line == finding.line;
      });
    });
  });
}

// Of an exchange without a reply.
Outcome Submission::end_of(Exchange exchange) const {
  Outcome outcome;
  const bool is_over_budget = spent_seconds_ > limits_.all_calls_seconds;
  outcome.failure = explain(exchange, limits_, is_over_budget);
  outcome.findings = std::move(exchange.report.findings);
  outcome.notes = std::move(exchange.report.notes);
  outcome.recording = std::move(exchange.report.recording);
  outcome.launches = std::move(exchange.report.launches);
  if (exchange.death.signal == SIGABRT && output_.find(kUncaught) != std::string::npos) {
    outcome.failure->message +=
        ", as an exception left a destructor or a noexcept function: a destructor must not throw, "
        "so call cudaFree there without check()";
  }
  // Filling the memory takes long, too, and smaller sizes are likely to do the same.
  outcome.fatal = exchange.ending == Ending::kTimedOut ||
                  exchange.ending == Ending::kMemoryExceeded || exchange.death.signal == SIGKILL;
  return outcome;
}

void Submission::launch() {
  if (process_ != nullptr) return;
  process_ = std::make_unique<WorkerProcess>(commands_, arena_.memory(), limits_);
}

void Submission::wait_until_ready() {
  launch();
  if (!is_ready_) greet();  // a rung that ends its worker here does so again in the first batch
}

std::optional<Outcome> Submission::greet() {
  // A worker may greet at any time. If it never does, its end is the machine's fault.
  Exchange hello = account_for([&] { return process_->greet(); });
  if (hello.ending != Ending::kReplied && !hello.greeted) {
    throw std::runtime_error("the worker did not start: it " +
                             (hello.death.how.empty() ? "gave no sign of life" : hello.death.how) +
                             ": " + output_);
  }
  if (hello.ending != Ending::kReplied) return end_of(std::move(hello));
  process_->begin_counting_pinned();
  is_ready_ = true;
  return std::nullopt;
}

// A call may fail late each time, as a loop does that the device ends. All failures together may
// take as long as one call.
bool Submission::has_wasted(double cpu_seconds) {
  wasted_seconds_ += cpu_seconds;
  return wasted_seconds_ > limits_.call_cpu_seconds;
}

Outcome Submission::run_batch(const wire::Batch& batch) {
  launch();
  if (!is_ready_) {
    if (auto ended = greet()) return *ended;
  }
  arena_.memory().settle();
  const Wait wait = batch.timed != 0 ? Wait::kSpinning : Wait::kAsleep;
  const double seconds_left = limits_.all_calls_seconds - spent_seconds_;
  Exchange reply = account_for([&] { return process_->run(batch, wait, seconds_left); });
  if (reply.ending != Ending::kReplied) {
    const double cpu_seconds = reply.cpu_seconds;
    Outcome ended = end_of(std::move(reply));
    if (has_wasted(cpu_seconds)) ended.fatal = true;
    return ended;
  }
  Outcome outcome;
  wire::Report& report = reply.report;
  outcome.recording = std::move(report.recording);
  outcome.launches = std::move(report.launches);
  outcome.findings = std::move(report.findings);
  outcome.notes = std::move(report.notes);
  outcome.kernels = std::move(report.kernels);
  outcome.shapes = std::move(report.shapes);
  outcome.num_allocations = report.num_allocations;
  outcome.timeline = std::move(report.timeline);
  outcome.printed = std::move(report.printed);
  outcome.wall_ms = reply.wall_ms;
  outcome.events_ms = reply.reply.events_ms;
  if (reply.reply.status == wire::Status::kOk) {
    if (take_back(batch.host_data, reply.reply.host_data, arena_)) {
      outcome.failure = compare_errors(batch, reply.reply);
    } else {
      Exchange malformed;
      malformed.ending = Ending::kMalformed;
      outcome.failure = explain(malformed, limits_, false);
      end();
    }
    return outcome;
  }

  outcome.failure = explain(reply.reply, batch);
  outcome.fatal = reply.reply.status == wire::Status::kTodo ||
                  reply.reply.status == wire::Status::kUndefined || has_wasted(reply.cpu_seconds);
  end();  // a CUDA error may be sticky, an exception may leave a mess: the next call starts clean
  return outcome;
}

std::string Submission::take_output() {
  if (process_ != nullptr) output_ += process_->take_output();
  return std::exchange(output_, {});
}

}  // namespace judge
