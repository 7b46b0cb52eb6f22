// SPDX-License-Identifier: MIT
// What the host and the engines do, in batches for which the judge poses a clock: timed by it, and
// counted. Without one there is nothing to compare the host's calls with.
#include <algorithm>
#include <cmath>

#include "serve/cuda_errors.h"
#include "serve/device.h"

namespace serve {

using count::Counter;

void Device::count_host(const Place& at, Counter counter, std::uint64_t number) {
  if (has_clock()) watchers_.counter().host_does(host_place(at), counter, number);
}

// A launch, a copy, a fill or a cudaMalloc of the program; the pieces of a graph are no calls of
// the host's.
void Device::host_calls(const Place& at) {
  if (graph_depth_ != 0 || is_callers_turn_) return;
  timeline_.host_works(posed_.call_ms);
  count_host(at, Counter::kHostCalls);
}

void Device::host_waits_for(std::uint64_t stream) {
  timeline_.host_waits(streams().record_event(stream));
  streams().host_waits_for(stream);
}

void Device::host_waits_for_all() {
  timeline_.host_waits_for_all();
  streams().host_waits_for_all();
}

void Device::spend(check::Engine engine, double ms) {
  if (!has_clock()) return;
  const auto before = static_cast<double>(timeline_.num_on(engine));
  timeline_.add(streams().current_stream(), streams().current_clock(), engine,
                ms * (1 + posed_.drift * before));
}

// An allocation after all that a clock lists. What was freed by other work has not been, for all
// that the program knows.
void Device::note_allocated(const Place& at, std::uint64_t size_bytes,
                            const check::StreamClock& before) {
  if (!has_clock()) return;
  std::erase_if(freed_, [&](const Freed& freed) { return streams().host_knows(freed.by); });
  allocated_bytes_ += size_bytes;
  std::uint64_t held = allocated_bytes_ + variable_bytes();
  for (const Freed& freed : freed_) {
    if (!check::lists(before, freed.by)) held += freed.size_bytes;
  }
  count_host(at, Counter::kAllocatedMaxBytes, held);
}

void Device::note_freed(std::uint64_t size_bytes) {
  allocated_bytes_ -= std::min(allocated_bytes_, size_bytes);
  if (has_clock()) freed_.push_back({streams().current_clock(), size_bytes});
}

void Device::note_pinned(const Place& at, std::uint64_t size_bytes) {
  pinned_bytes_ += size_bytes;
  count_host(at, Counter::kPinnedMaxBytes, pinned_bytes_);
}

// Of the program's __device__ variables, which it holds all the time. Constants of the compiler's
// have initial values.
std::uint64_t Device::variable_bytes() const {
  std::uint64_t bytes = 0;
  for (const auto& module : modules_) {
    for (const code::Symbol& symbol : module->program->symbols) {
      if (symbol.space == ptx::Space::kGlobal && symbol.variable->initial.empty())
        bytes += symbol.size_bytes;
    }
  }
  return bytes;
}

// The host's own waits after the batch are the judge's.
void Device::end_clock() {
  if (has_clock()) count_host({}, Counter::kAllocatedMaxBytes, variable_bytes());
  const double ns = 1e6 * timeline_.length_ms();
  count_host({}, Counter::kTimelineNs, static_cast<std::uint64_t>(std::llround(ns)));
}

int Device::handle(const HostWaits& command, Nothing&, Call&) {
  count_host(command.at, Counter::kHostWaits);
  return kSuccess;
}

int Device::handle(const GraphCall& command, Nothing&, Call&) {
  if (!has_clock()) return kSuccess;
  timeline_.host_works(posed_.call_ms * static_cast<double>(command.num_nodes));
  count_host(command.at, Counter::kHostCalls);
  return kSuccess;
}

int Device::handle(const GraphTurn& command, Nothing&, Call&) {
  if (command.begins == 0) {
    if (graph_depth_ != 0) --graph_depth_;
    return kSuccess;
  }
  host_calls(command.at);
  ++graph_depth_;
  count_host(command.at, Counter::kGraphLaunches);
  return kSuccess;
}

}  // namespace serve
