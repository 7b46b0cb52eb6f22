// SPDX-License-Identifier: MIT
#include "waiting.h"

#include <chrono>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "call.h"
#include "connection.h"

namespace runtime {
namespace {

// How long the kernel waits for other threads of the host to write what it polls, and how often
// they may use the device meanwhile.
constexpr std::chrono::seconds kHostsTime{5};
constexpr std::chrono::microseconds kMoment{200};

std::vector<std::function<void()>>& behind() {
  static auto* const operations = new std::vector<std::function<void()>>;  // outlives all users
  return *operations;
}

bool kernel_waits() { return Connection::exists() && Connection::get().kernel_waits(); }

void run_what_waited() {
  if (kernel_waits() || behind().empty()) return;
  std::vector<std::function<void()>> operations = std::exchange(behind(), {});
  for (std::function<void()>& operation : operations) {
    if (kernel_waits()) {  // one of them waits for the host, too
      behind().push_back(std::move(operation));
    } else {
      operation();
    }
  }
}

void give_up(bool had_time) {
  const serve::Place& place = caller_place();
  std::string why;
  if (place.line != 0) {
    why = "; the host waits for this kernel in line " + std::to_string(place.line) + " of " +
          place.file;
  }
  if (had_time) why += "; no other thread of the host wrote that memory within 5 s";
  ask(serve::GiveUp{static_cast<std::uint32_t>(why.size())}, why);
  run_what_waited();
}

}  // namespace

bool is_stream_behind(std::uint64_t stream) {
  if (!kernel_waits()) return false;
  const bool is_behind = ask(serve::AskStream{stream}).result.is_behind != 0;
  run_what_waited();
  return is_behind;
}

bool is_event_behind(std::uint64_t event) {
  if (!kernel_waits()) return false;
  const bool is_behind = ask(serve::AskEvent{event}).result.is_behind != 0;
  run_what_waited();
  return is_behind;
}

void finish_waiting() {
  const DeviceLock lock;
  const auto deadline = std::chrono::steady_clock::now() + kHostsTime;
  bool has_waited = false;
  while (kernel_waits()) {
    ask(serve::Proceed{has_waited ? 0U : 1U});
    run_what_waited();
    if (!kernel_waits()) break;
    if (!has_other_threads() || std::chrono::steady_clock::now() > deadline) {
      give_up(has_waited);
    } else {
      const DeviceLoan loan;
      std::this_thread::sleep_for(kMoment);
      has_waited = true;
    }
  }
}

void try_waiting() {
  if (!kernel_waits()) return;
  ask(serve::Proceed{});
  run_what_waited();
}

void run_behind_waiting(std::function<void()> operation) {
  behind().push_back(std::move(operation));
}

void look_after_waiting() {
  if (!kernel_waits()) return;
  ask(serve::AskStream{serve::kLegacyStream});  // its answer says whether the kernel still waits
  run_what_waited();
}

}  // namespace runtime
