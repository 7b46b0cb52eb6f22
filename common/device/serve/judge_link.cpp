// SPDX-License-Identifier: MIT
#include "serve/judge_link.h"

#include <unistd.h>

#include <stdexcept>
#include <utility>

#include "memory/book.h"
#include "report/finding.h"
#include "serve/counters_to_wire.h"

namespace serve {
namespace {

// Of the processor time after which the judge ends the worker. A kernel ends earlier, with a
// finding that names its line.
constexpr double kShareOfTime = 0.8;

}  // namespace

JudgeLink::JudgeLink(Device& device, Server& server, Ring& ring)
    : device_(device), server_(server), ring_(ring) {}

void JudgeLink::greet() {
  wire::write_message(wire::kSocketFd, wire::Header{}, {});
  thread_ = std::thread([this] { listen(); });
}

void JudgeLink::listen() {
  try {
    Message message;
    while (wire::read_message(wire::kSocketFd, message.header, message.payload)) {
      std::unique_lock lock(mutex_);
      message_ = message;
      is_busy_ = true;
      ring_.bell.fetch_add(1, std::memory_order_seq_cst);
      wake(ring_.bell);
      changed_.wait(lock, [&] { return !is_busy_; });
    }
  } catch (const std::exception&) {  // the judge ends what it cannot talk to
  }
  _exit(0);
}

bool JudgeLink::take_message() {
  std::optional<Message> message;
  {
    const std::lock_guard lock(mutex_);
    message = std::exchange(message_, std::nullopt);
  }
  if (!message) return false;
  answer(message->header, handle(*message));
  return true;
}

void JudgeLink::answer(wire::Header header, std::string_view payload) {
  header.code = 0;
  wire::write_message(wire::kSocketFd, header, payload);
  const std::lock_guard lock(mutex_);
  is_busy_ = false;
  changed_.notify_one();
}

std::string JudgeLink::handle(const Message& message) {
  switch (static_cast<wire::DeviceKind>(message.header.code)) {
    case wire::DeviceKind::kHello: {
      const wire::DeviceHello hello = wire::decode_device_hello(message.payload);
      arena_ = memory::map_arena(wire::kArenaFd, hello.arena_bytes);
      arena_bytes_ = hello.arena_bytes;
      batch_seconds_ = hello.batch_seconds;
      return wire::encode(wire::DevicePlaces{arena_});
    }
    case wire::DeviceKind::kBegin: {
      const wire::Batch batch = wire::decode_batch(message.payload);
      Batch begun;
      begun.schedule_seed = batch.schedule_seed;
      begun.scratch_bytes = batch.scratch_bytes;
      begun.seconds = kShareOfTime * batch_seconds_;
      begun.posed = batch.posed;
      for (const wire::Region& region : batch.regions) {
        if (region.offset_bytes > arena_bytes_ ||
            region.size_bytes > arena_bytes_ - region.offset_bytes) {
          throw std::runtime_error("a region that is not in the arena");
        }
        begun.regions.push_back({region.name, arena_ + region.offset_bytes, region.size_bytes,
                                 region.initialized != 0});
      }
      device_.watchers().set_counting(batch.count != 0);
      device_.watchers().timer().set_watching(batch.shapes != 0);
      recording_.clear();
      const auto keep = [this](const std::string& text) { recording_ = text; };
      device_.watchers().recorder().record_launch(
          batch.kernel, batch.record != 0 ? record::Recorder::Listener(keep) : nullptr,
          batch.record == wire::kFirstWithFinding ? record::Recorder::Which::kFirstWithFinding
                                                  : record::Recorder::Which::kFirst);
      device_.begin(begun);
      server_.set_open(true);
      return {};
    }
    case wire::DeviceKind::kEnd: {
      const wire::BatchEnd end = wire::decode_batch_end(message.payload);
      device_.end(end.threw != 0);
      server_.set_open(false);
      if (end.has_no_worker != 0) server_.forget_command();
      return wire::encode(report());
    }
  }
  throw std::runtime_error("a message of the judge that is not known");
}

wire::Report JudgeLink::report() {
  const auto to_wire_findings = [](const std::vector<report::Finding>& all) {
    std::vector<wire::Finding> findings;
    for (const report::Finding& finding : all) {
      findings.push_back({report::name_of(finding.kind), finding.file,
                          static_cast<std::int32_t>(finding.line), finding.kernel,
                          finding.message});
    }
    return findings;
  };
  wire::Report report;
  report.findings = to_wire_findings(report::take_findings());
  report.notes = to_wire_findings(report::take_notes());
  report.kernels = to_wire(device_.watchers().counter().take());
  report.shapes = to_wire(device_.watchers().timer().take());
  report.launches = device_.launches();
  report.recording = std::exchange(recording_, {});
  report.num_allocations = device_.num_allocations();
  report.timeline = device_.timeline();
  report.printed = device_.printed_in_batch();
  report.fault = server_.fault();
  wire::bound(report);
  return report;
}

}  // namespace serve
