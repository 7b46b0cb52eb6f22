// SPDX-License-Identifier: MIT
// Streams, events and graphs: the order that the program asks for. Work is done when it is issued.
#include <utility>

#include "memory/book.h"
#include "serve/cuda_errors.h"
#include "serve/device.h"

namespace serve {
namespace {

constexpr std::size_t kMaxStreams = 10'000;
constexpr std::size_t kMaxEvents = 1'000'000;

}  // namespace

bool Device::is_stream(std::uint64_t stream) const {
  return stream == kLegacyStream || stream == kPerThreadStream || streams_.contains(stream);
}

bool Device::is_behind(std::uint64_t stream) {
  return waiting_ != nullptr && streams().is_behind_unfinished(stream);
}

int Device::check_stream(std::uint64_t stream) {
  if (!is_stream(stream)) return kInvalidResourceHandle;
  return is_behind(stream) ? kNotReady : kSuccess;  // the worker waits for the kernel first
}

// The program's own, and no caller's, has to be destroyed.
std::uint64_t Device::make_handle(std::string_view what, std::string_view destroyed_by,
                                  const Place& at) {
  ++last_handle_;
  if (at.line != 0 && !is_callers_turn_) {
    made_.insert({last_handle_, {what, destroyed_by, host_place(at)}});
  }
  return last_handle_;
}

void Device::wait_as_asked(std::uint32_t waits, std::uint32_t which, std::uint64_t stream) {
  if ((waits & which) != 0) host_waits_for(stream);
}

bool Device::host_can_reach(std::uint64_t address) const {
  const memory::Allocation* const found = memory::find(address);
  return found != nullptr && found->live && found->contains(address) && found->is_hosts_too();
}

int Device::handle(const AddStream& command, AddStream::Result& result, Call&) {
  if (streams_.size() == kMaxStreams) return kMemoryAllocation;
  result.stream = make_handle("stream", "cudaStreamDestroy", command.at);
  streams_.insert(result.stream);
  streams().add_stream(result.stream, command.is_blocking != 0);
  return kSuccess;
}

int Device::handle(const RemoveStream& command, Nothing&, Call&) {
  if (!streams_.contains(command.stream)) return kInvalidResourceHandle;
  if (is_behind(command.stream)) return kNotReady;
  streams_.erase(command.stream);
  made_.erase(command.stream);
  streams().remove_stream(command.stream);
  return kSuccess;
}

int Device::handle(const WaitForStream& command, Nothing&, Call&) {
  if (const int error = check_stream(command.stream); error != kSuccess) return error;
  host_waits_for(command.stream);
  return kSuccess;
}

int Device::handle(const WaitForAll&, Nothing&, Call&) {
  if (waiting_ != nullptr) return kNotReady;
  host_waits_for_all();
  return kSuccess;
}

int Device::handle(const AskStream& command, AskStream::Result& result, Call&) {
  if (!is_stream(command.stream)) return kInvalidResourceHandle;
  result.is_behind = is_behind(command.stream) ? 1 : 0;
  return kSuccess;
}

int Device::handle(const AddEvent& command, AddEvent::Result& result, Call&) {
  if (events_.size() == kMaxEvents) return kMemoryAllocation;
  result.event = make_handle("event", "cudaEventDestroy", command.at);
  events_.try_emplace(result.event);
  return kSuccess;
}

int Device::handle(const RemoveEvent& command, Nothing&, Call&) {
  made_.erase(command.event);
  return events_.erase(command.event) != 0 ? kSuccess : kInvalidResourceHandle;
}

int Device::handle(const RecordEvent& command, Nothing&, Call&) {
  const auto event = events_.find(command.event);
  if (event == events_.end() || !is_stream(command.stream)) return kInvalidResourceHandle;
  check::StreamClock clock = streams().record_event(command.stream);
  const double ms = timeline_.time_of(clock);
  event->second = {std::move(clock), ms};
  return kSuccess;
}

int Device::handle(const WaitForEvent& command, Nothing&, Call&) {
  const auto event = events_.find(command.event);
  if (event == events_.end()) return kInvalidResourceHandle;
  if (waiting_ != nullptr && streams().is_behind_unfinished(event->second.clock)) return kNotReady;
  if (command.had_waited != 0) streams().host_reads_flag();
  streams().host_waits_for(event->second.clock);
  timeline_.host_waits(event->second.clock);
  return kSuccess;
}

int Device::handle(const AskEvent& command, AskEvent::Result& result, Call&) {
  const auto event = events_.find(command.event);
  if (event == events_.end()) return kInvalidResourceHandle;
  const bool is_behind = waiting_ != nullptr && streams().is_behind_unfinished(event->second.clock);
  result.is_behind = is_behind ? 1 : 0;
  result.has_clock = has_clock() ? 1 : 0;
  result.is_known = streams().host_knows(event->second.clock) ? 1 : 0;
  result.ms = event->second.ms;
  return kSuccess;
}

int Device::handle(const AddGraph& command, AddGraph::Result& result, Call&) {
  if (made_.size() >= kMaxEvents) return kMemoryAllocation;
  const bool is_executable = command.is_executable != 0;
  result.graph =
      make_handle(is_executable ? "executable graph" : "graph",
                  is_executable ? "cudaGraphExecDestroy" : "cudaGraphDestroy", command.at);
  return kSuccess;
}

int Device::handle(const RemoveGraph& command, Nothing&, Call&) {
  made_.erase(command.graph);
  return kSuccess;
}

int Device::handle(const StreamWaits& command, Nothing&, Call&) {
  const auto event = events_.find(command.event);
  if (event == events_.end() || !is_stream(command.stream)) return kInvalidResourceHandle;
  streams().stream_waits_for(command.stream, event->second.clock);
  return kSuccess;
}

int Device::handle(const HostFunction& command, Nothing&, Call&) {
  const bool begins = command.begins != 0;
  if (begins == is_hosts_function_) return kInvalidValue;
  if (begins) {
    if (const int error = check_stream(command.stream); error != kSuccess) return error;
    streams().begin_host_function(command.stream);
  } else {
    streams().end_host_function();
  }
  is_hosts_function_ = begins;
  return kSuccess;
}

int Device::handle(const CallersTurn& command, Nothing&, Call&) {
  is_callers_turn_ = command.begins != 0;
  return kSuccess;
}

int Device::handle(const CallersWork& command, Nothing&, Call&) {
  if (const int error = check_stream(command.stream); error != kSuccess) return error;
  begin_work(command.stream, {}).kind = report::CopyKind::kCallers;
  for (const Region& region : regions_) {
    watchers_.checker().caller_uses(region.address, region.size_bytes, command.writes != 0);
  }
  streams().end_work();
  return kSuccess;
}

}  // namespace serve
