// SPDX-License-Identifier: MIT
#include "run/stream_order.h"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <utility>

#include "run/set_aside.h"
#include "simt/stream_api.h"

namespace simt::internal {
namespace {

// How many pieces of work are remembered for each stream; older ones count as ordered.
constexpr std::size_t kMaxRemembered = 256;

struct Stream {
  bool is_blocking = true;
  bool is_live = true;
  std::uint64_t num_issued = 0;
  StreamClock clock;
  std::deque<Work> remembered;  // oldest first
};

constexpr std::size_t kLegacy = 0;
constexpr std::size_t kPerThread = 1;

struct Order {
  std::vector<Stream> streams = std::vector<Stream>(2);  // by index; those two always exist
  std::map<cudaStream_t, std::size_t> indices;           // of the created ones
  StreamClock host;
  StreamClock told_by_flags;                            // to the host: work that may be done
  std::optional<std::vector<const Work*>> beside_host;  // nothing: has to be looked for again
  std::vector<const Work*> concurrent;
  Work* current = nullptr;
  std::size_t current_stream = 0;
  struct Unfinished {
    std::size_t stream;
    Work* work;
    std::vector<const Work*> concurrent;
  };
  std::optional<Unfinished> unfinished = {};
};

Order& order() {
  static auto* const all = new Order;  // outlives all users
  return *all;
}

std::size_t index_of(cudaStream_t stream) {
  if (stream == nullptr || stream == cudaStreamLegacy) return kLegacy;
  if (stream == cudaStreamPerThread) return kPerThread;
  return order().indices.at(stream);
}

std::uint64_t done(const StreamClock& clock, std::size_t stream) {
  return stream < clock.size() ? clock[stream] : 0;
}

void join(StreamClock& clock, const StreamClock& other) {
  if (clock.size() < other.size()) clock.resize(other.size());
  for (std::size_t i = 0; i < other.size(); ++i) clock[i] = std::max(clock[i], other[i]);
}

// The work that is complete before anything that is issued to the stream now.
StreamClock clock_at(std::size_t index) {
  StreamClock clock = order().host;
  join(clock, order().streams[index].clock);
  if (!order().streams[index].is_blocking) return clock;
  if (index != kLegacy) {
    join(clock, order().streams[kLegacy].clock);
    return clock;
  }
  for (const Stream& other : order().streams) {
    if (other.is_blocking) join(clock, other.clock);
  }
  return clock;
}

void note_host_waits(const StreamClock& clock) {
  join(order().host, clock);
  order().beside_host.reset();
}

// Forgets what the host has waited for: everything to come is ordered behind it.
void trim(Stream& stream, std::size_t index) {
  std::deque<Work>& works = stream.remembered;
  while (!works.empty() &&
         (works.front().number <= done(order().host, index) || works.size() > kMaxRemembered)) {
    works.pop_front();
  }
}

}  // namespace

void add_stream(cudaStream_t stream, bool is_blocking) {
  std::vector<Stream>& streams = order().streams;
  const auto free = std::find_if(streams.begin(), streams.end(),
                                 [](const Stream& entry) { return !entry.is_live; });
  const std::size_t index = static_cast<std::size_t>(free - streams.begin());
  if (free == streams.end()) streams.emplace_back();
  streams[index].is_live = true;
  streams[index].is_blocking = is_blocking;
  order().indices[stream] = index;
}

void remove_stream(cudaStream_t stream) {
  const std::size_t index = index_of(stream);
  // Its work may go on; but its number is used again, by work that may not count as the same.
  note_host_waits(order().streams[index].clock);
  order().streams[index].is_live = false;
  order().indices.erase(stream);
}

Work& begin_work(cudaStream_t stream) {
  const std::size_t index = index_of(stream);
  StreamClock clock = clock_at(index);
  std::vector<const Work*>& concurrent = order().concurrent;
  concurrent.clear();
  order().beside_host.reset();
  for (std::size_t other = 0; other < order().streams.size(); ++other) {
    if (!order().unfinished) trim(order().streams[other], other);  // it refers to them
    if (other == index) continue;
    for (const Work& work : order().streams[other].remembered) {
      if (work.number > done(clock, other)) concurrent.push_back(&work);
    }
  }
  Stream& own = order().streams[index];
  if (clock.size() <= index) clock.resize(index + 1);
  clock[index] = ++own.num_issued;
  own.clock = std::move(clock);
  own.remembered.push_back({.number = own.num_issued, .ranges = {}, .issued_by = {}});
  order().current = &own.remembered.back();
  order().current_stream = index;
  return own.remembered.back();
}

Work* current_work() { return order().current; }

void end_work() { order().current = nullptr; }

const std::vector<const Work*>& concurrent_work() { return order().concurrent; }

void set_work_aside() {
  order().unfinished = {order().current_stream, order().current, std::move(order().concurrent)};
  order().current = nullptr;
}

void resume_work() {
  order().current = order().unfinished->work;
  order().current_stream = order().unfinished->stream;
  order().concurrent = std::move(order().unfinished->concurrent);
  order().unfinished.reset();
}

bool is_behind_unfinished(const StreamClock& event) {
  const auto& unfinished = order().unfinished;
  return unfinished && done(event, unfinished->stream) >= unfinished->work->number;
}

bool is_behind_unfinished(cudaStream_t stream) {
  return order().unfinished && is_behind_unfinished(clock_at(index_of(stream)));
}

void host_waits_for(cudaStream_t stream) {
  if (is_behind_unfinished(stream)) finish_set_aside();
  note_host_waits(clock_at(index_of(stream)));
}

void host_waits_for_all() {
  finish_set_aside();
  for (const Stream& stream : order().streams) note_host_waits(stream.clock);
}

void host_reads_flag() {
  if (work_beside_host().empty()) return;
  for (const Stream& stream : order().streams) join(order().told_by_flags, stream.clock);
  order().beside_host.reset();
}

const std::vector<const Work*>& work_beside_host() {
  if (order().beside_host) return *order().beside_host;
  StreamClock known = order().host;
  join(known, order().told_by_flags);
  std::vector<const Work*>& works = order().beside_host.emplace();
  for (std::size_t index = 0; index < order().streams.size(); ++index) {
    for (const Work& work : order().streams[index].remembered) {
      if (work.number > done(known, index)) works.push_back(&work);
    }
  }
  return works;
}

StreamClock record_event(cudaStream_t stream) { return clock_at(index_of(stream)); }

void host_waits_for(const StreamClock& event) {
  if (is_behind_unfinished(event)) {
    finish_set_aside();
    host_reads_flag();  // work that was set aside before the event has begun only now
  }
  note_host_waits(event);
}

void stream_waits_for(cudaStream_t stream, const StreamClock& event) {
  join(order().streams[index_of(stream)].clock, event);
}

}  // namespace simt::internal
