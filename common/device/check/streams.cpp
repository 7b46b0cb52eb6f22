// SPDX-License-Identifier: MIT
#include "check/streams.h"

#include <algorithm>
#include <utility>

namespace check {
namespace {

// How many pieces of work are remembered for each stream; older ones count as ordered.
constexpr std::size_t kMaxRemembered = 256;

// With so many streams, the work of one that was destroyed counts as done.
constexpr std::size_t kMaxIndices = 256;

constexpr std::size_t kLegacyIndex = 0;

std::uint64_t done(const StreamClock& clock, std::size_t stream) {
  return stream < clock.size() ? clock[stream] : 0;
}

void join(StreamClock& clock, const StreamClock& other) {
  if (clock.size() < other.size()) clock.resize(other.size());
  for (std::size_t i = 0; i < other.size(); ++i) clock[i] = std::max(clock[i], other[i]);
}

}  // namespace

bool lists(const StreamClock& clock, const StreamClock& other) {
  for (std::size_t stream = 0; stream < other.size(); ++stream) {
    if (other[stream] > done(clock, stream)) return false;
  }
  return true;
}

StreamOrder::StreamOrder()
    : streams_(3),
      indices_{{kLegacyStream, kLegacyIndex},
               {1, kLegacyIndex},
               {kPerThreadStream, 1},
               {kHostStream, 2}} {
  streams_[2].is_blocking = false;
}

std::size_t StreamOrder::index_of(StreamId stream) const { return indices_.at(stream); }

// The work that is complete before anything that is issued to the stream now.
StreamClock StreamOrder::clock_at(std::size_t index) const {
  StreamClock clock = host_;
  join(clock, streams_[index].clock);
  if (!streams_[index].is_blocking) return clock;
  if (index != kLegacyIndex) {
    join(clock, streams_[kLegacyIndex].clock);
    return clock;
  }
  for (const Stream& other : streams_) {
    if (other.is_blocking) join(clock, other.clock);
  }
  return clock;
}

// Blocking streams wait for any action in the legacy stream, and it waits for them.
std::size_t StreamOrder::act_in(StreamId stream) {
  const std::size_t index = index_of(stream);
  if (index == kLegacyIndex) streams_[index].clock = clock_at(index);
  return index;
}

void StreamOrder::note_host_waits(const StreamClock& clock) {
  join(host_, clock);
  beside_host_.reset();
}

// Forgets what the host has waited for: everything to come is ordered behind it.
void StreamOrder::trim(std::size_t index) {
  std::deque<Work>& works = streams_[index].remembered;
  while (!works.empty() &&
         (works.front().number <= done(host_, index) || works.size() > kMaxRemembered)) {
    works.pop_front();
  }
}

void StreamOrder::add_stream(StreamId stream, bool is_blocking) {
  // The number of a stream that was destroyed, if its work has ended: it may go on until then, and
  // work with one number counts as ordered.
  const bool is_full = streams_.size() >= kMaxIndices;
  std::size_t index = 0;
  while (
      index < streams_.size() &&
      (streams_[index].is_live || (!is_full && streams_[index].num_issued > done(host_, index)))) {
    ++index;
  }
  if (index == streams_.size()) streams_.emplace_back();
  if (streams_[index].num_issued > done(host_, index)) note_host_waits(streams_[index].clock);
  streams_[index].is_live = true;
  streams_[index].is_blocking = is_blocking;
  indices_[stream] = index;
}

void StreamOrder::remove_stream(StreamId stream) {
  streams_[index_of(stream)].is_live = false;
  indices_.erase(stream);
}

Work& StreamOrder::begin_work(StreamId stream) {
  const std::size_t index = index_of(stream);
  StreamClock clock = clock_at(index);
  concurrent_.clear();
  beside_host_.reset();
  for (std::size_t other = 0; other < streams_.size(); ++other) {
    if (!unfinished_) trim(other);  // it refers to them
    if (other == index) continue;
    for (const Work& work : streams_[other].remembered) {
      if (work.number > done(clock, other)) concurrent_.push_back(&work);
    }
  }
  Stream& own = streams_[index];
  if (clock.size() <= index) clock.resize(index + 1);
  clock[index] = ++own.num_issued;
  own.clock = std::move(clock);
  own.remembered.emplace_back().number = own.num_issued;
  current_ = &own.remembered.back();
  current_stream_ = index;
  return *current_;
}

const Work* StreamOrder::concurrent_kernel_of(std::uint32_t block) const {
  const auto found =
      std::ranges::find_if(concurrent_, [=](const Work* work) { return work->holds(block); });
  return found == concurrent_.end() ? nullptr : *found;
}

std::uint32_t StreamOrder::first_concurrent_block(std::uint32_t otherwise) const {
  std::uint32_t first = otherwise;
  for (const Work* const work : concurrent_) {
    if (work->is_kernel()) first = std::min(first, work->first_block);
  }
  return first;
}

bool StreamOrder::has_concurrent_copies() const {
  const auto is_copy = [](const Work* work) { return !work->is_launch() && !work->ranges.empty(); };
  return std::ranges::any_of(concurrent_, is_copy);
}

void StreamOrder::set_work_aside() {
  unfinished_ = {current_stream_, current_, std::move(concurrent_)};
  concurrent_.clear();
  current_ = nullptr;
}

void StreamOrder::resume_work() {
  current_ = unfinished_->work;
  current_stream_ = unfinished_->stream;
  concurrent_ = std::move(unfinished_->concurrent);
  unfinished_.reset();
}

bool StreamOrder::is_behind_unfinished(const StreamClock& event) const {
  return unfinished_ && done(event, unfinished_->stream) >= unfinished_->work->number;
}

bool StreamOrder::is_behind_unfinished(StreamId stream) const {
  return unfinished_ && is_behind_unfinished(clock_at(index_of(stream)));
}

void StreamOrder::host_waits_for(StreamId stream) { note_host_waits(clock_at(index_of(stream))); }

void StreamOrder::host_waits_for_all() {
  for (const Stream& stream : streams_) note_host_waits(stream.clock);
}

void StreamOrder::host_reads_flag() {
  if (work_beside_host().empty()) return;
  for (const Stream& stream : streams_) join(told_by_flags_, stream.clock);
  beside_host_.reset();
}

const std::vector<const Work*>& StreamOrder::work_beside_host() {
  if (beside_host_) return *beside_host_;
  StreamClock known = host_;
  join(known, told_by_flags_);
  std::vector<const Work*>& works = beside_host_.emplace();
  for (std::size_t index = 0; index < streams_.size(); ++index) {
    for (const Work& work : streams_[index].remembered) {
      if (work.number > done(known, index)) works.push_back(&work);
    }
  }
  return works;
}

void StreamOrder::begin_host_function(StreamId stream) {
  hosts_thread_ = host_;
  note_host_waits(clock_at(index_of(stream)));
}

void StreamOrder::end_host_function() {
  host_ = std::move(hosts_thread_);
  beside_host_.reset();
}

StreamClock StreamOrder::record_event(StreamId stream) { return clock_at(act_in(stream)); }

void StreamOrder::host_waits_for(const StreamClock& event) { note_host_waits(event); }

bool StreamOrder::host_knows(const StreamClock& event) const { return lists(host_, event); }

void StreamOrder::stream_waits_for(StreamId stream, const StreamClock& event) {
  join(streams_[act_in(stream)].clock, event);
}

}  // namespace check
