// SPDX-License-Identifier: MIT
#include "serve/device.h"

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <utility>
#include <variant>

#include "report/finding.h"
#include "report/words.h"
#include "serve/cuda_errors.h"
#include "serve/ring.h"

namespace serve {
namespace {

constexpr std::size_t kMaxKept = std::size_t{1} << 20;  // of what kernels print, as on a device
constexpr std::size_t kMaxKernelsKept = 1000;
constexpr std::size_t kMaxAnswerTail = kAnswerBytes - 1024;

void append(std::vector<std::byte>& bytes, const void* from, std::size_t size) {
  const auto* const begin = static_cast<const std::byte*>(from);
  bytes.insert(bytes.end(), begin, begin + size);
}

}  // namespace

memory::HostPlace host_place(const Place& place) {
  return {std::string(place.file, strnlen(place.file, sizeof place.file)), place.line};
}

int Device::Call::explain(int error, std::string_view why) {
  append(answer_tail, why.data(), why.size());
  return error;
}

Device::Device(bool takes_modules) : takes_modules_(takes_modules) {}
Device::~Device() = default;

Answered Device::act(const Decoded& decoded, std::span<std::byte> data,
                     std::span<std::byte> printed) {
  Answered answered;
  Answer& head = answered.head;
  Call call{decoded.tail, data, {}, false};
  std::visit(
      [&](const auto& command) {
        using Command = std::decay_t<decltype(command)>;
        typename Command::Result result;
        head.error = handle(command, result, call);
        append(answered.result, &result, sizeof result);
      },
      decoded.command);
  call.answer_tail.resize(std::min(call.answer_tail.size(), kMaxAnswerTail));
  append(answered.result, call.answer_tail.data(), call.answer_tail.size());
  head.tail_bytes = static_cast<std::uint32_t>(call.answer_tail.size());
  head.is_malformed = call.is_malformed ? 1 : 0;
  head.sticky = sticky_;
  head.waits = waiting_ != nullptr ? 1 : 0;
  if (!streams().work_beside_host().empty()) head.num_racing = std::max(1U, num_works_);
  const bool is_in_handler = std::holds_alternative<Touch>(decoded.command) ||
                             std::holds_alternative<Report>(decoded.command);
  if (!is_in_handler) hand_out_printed(head, printed);  // a signal's handler cannot print
  return answered;
}

check::Work& Device::begin_work(std::uint64_t stream, const Place& at) {
  ++num_works_;
  check::Work& work = streams().begin_work(stream);
  work.issued_at = host_place(at);
  if (is_callers_turn_) work.kind = report::CopyKind::kCallers;
  return work;
}

void Device::print(std::string_view text) {
  printed_in_batch_ += text.substr(0, wire::kMaxPrintedBytes - printed_in_batch_.size());
  const std::size_t kept = std::min(text.size(), kMaxKept - std::min(kMaxKept, printed_.size()));
  printed_.append(text.substr(0, kept));
  dropped_bytes_ += text.size() - kept;
}

void Device::hand_out_printed(Answer& head, std::span<std::byte> printed) {
  if (printed_.empty()) return;
  if (dropped_bytes_ != 0) {
    printed_ += "\n[" + std::to_string(std::exchange(dropped_bytes_, 0)) +
                " more bytes printed by the kernel were dropped]\n";
  }
  const std::size_t size = std::min(printed_.size(), printed.size());
  std::memcpy(printed.data(), printed_.data(), size);
  printed_.erase(0, size);
  head.printed_bytes = static_cast<std::uint32_t>(size);
  head.printed_left = static_cast<std::uint32_t>(printed_.size());
}

// Of the launch begun last.
void Device::note_launch(const std::string& kernel) {
  ++num_launches_;
  const bool is_new = std::ranges::find(launches_, kernel) == launches_.end();
  launch_ms_ = posed_.launch_ms * (is_new ? wire::kColdTimes : 1);
  if (is_new && launches_.size() < kMaxKernelsKept) launches_.push_back(kernel);
}

void Device::set_schedule(std::uint64_t seed) { seed_ = seed; }

void Device::begin(const Batch& batch) {
  seed_ = batch.schedule_seed;
  seconds_ = batch.seconds;
  scratch_bytes_ = batch.scratch_bytes;
  launches_.clear();
  num_allocations_ = 0;
  printed_in_batch_.clear();
  posed_ = batch.posed;
  timeline_.clear();
  graph_depth_ = 0;
  is_callers_turn_ = is_hosts_function_ = false;
  allocated_bytes_ = pinned_bytes_ = 0;
  freed_.clear();
  callers_.clear();
  failed_allocation_ = {};
  watchers_.checker().note_failed_allocation({});
  for (const memory::Allocation* allocation : memory::live_allocations()) last_id_ = allocation->id;
  regions_ = batch.regions;
  for (const Region& region : regions_) {
    if (region.size_bytes == 0) continue;
    memory::declare(region.address, region.size_bytes, region.name, region.is_initialised);
  }
}

void Device::end(bool threw) {
  transfer_.reset();
  finish();
  end_clock();
  release_scratch();
  report_leaks(threw);
  if (!threw) report_never_destroyed();  // a check that throws may leave it out
  for (const Region& region : regions_) {
    if (region.size_bytes > 0) memory::retire(region.address);
  }
  regions_.clear();
}

void Device::finish() {
  finish_waiting(", and no host is there to write it");
  streams().host_waits_for_all();
}

std::vector<const memory::Allocation*> Device::leaks(Pinned pinned) const {
  using MemoryKind = memory::Allocation::Kind;
  std::vector<const memory::Allocation*> found;
  for (const memory::Allocation* const allocation : memory::live_allocations()) {
    const MemoryKind kind = allocation->kind;
    const bool can_leak = kind == MemoryKind::kDevice || kind == MemoryKind::kManaged ||
                          kind == MemoryKind::kDeviceHeap ||
                          (kind == MemoryKind::kPinnedHost && pinned == Pinned::kLeaks);
    const bool is_new = allocation->id > last_id_ &&
                        !managed_variables_.contains(allocation->base) &&
                        !callers_.contains(allocation->base);
    if (can_leak && is_new) found.push_back(allocation);
  }
  return found;
}

void Device::report_leaks(bool threw) const {
  using MemoryKind = memory::Allocation::Kind;
  for (const memory::Allocation* const allocation : leaks(Pinned::kLeaks)) {
    const bool is_pinned = allocation->kind == MemoryKind::kPinnedHost;
    const bool is_ordered = stream_ordered_.contains(allocation->base);
    std::string remedy = std::string(") were allocated during the call and never freed: call ") +
                         (is_pinned    ? "cudaFreeHost"
                          : is_ordered ? "cudaFreeAsync with the stream"
                                       : "cudaFree");
    if (allocation->kind == memory::Allocation::Kind::kDeviceHeap) {
      remedy = ") were allocated in a kernel and never freed: a kernel must free or delete them";
    } else if (threw) {
      remedy = ") are never freed";
      if (failed_allocation_.line != 0) {
        remedy += " when " + failed_allocation_text_ + " in line " +
                  std::to_string(failed_allocation_.line) + " fails";
      }
      remedy +=
          ": the call ended by an exception, which leaves out what follows; call cudaFree in a "
          "destructor";
    }
    report::report({report::Kind::kLeak, allocation->made_at.file, allocation->made_at.line, "",
                    std::to_string(allocation->size_bytes) +
                        (is_pinned ? " bytes of pinned memory (" : " bytes of device memory (") +
                        allocation->name + remedy});
  }
}

// One finding for all that a line has made. The first call may set up what all others use, or
// destroy and make anew: so what counts is how many more there are after a later call.
void Device::report_never_destroyed() {
  std::map<Made, std::size_t> left;
  for (const auto& [handle, made] : made_) ++left[made];
  for (const auto& [made, number] : left) {
    const auto [before, is_first] = left_.emplace(made, number);
    const std::size_t count = number - std::min(number, before->second);
    before->second = std::max(number, before->second);
    if (is_first || count == 0) continue;
    std::string message = count == 1 ? "one " : std::to_string(count) + " ";
    message.append(made.what).append(count == 1 ? " was" : "s were");
    message.append(" made during the call and never destroyed: call ").append(made.destroyed_by);
    report::report({report::Kind::kLeak, made.at.file, made.at.line, "", std::move(message)});
  }
}

}  // namespace serve
