// SPDX-License-Identifier: MIT
// The order of streams: which launches, copies and fills are ordered, and what the host knows to be
// done. All work is complete when it is issued; on a device two streams run at the same time unless
// something orders them, and the race checks need that order.
//
// Every stream counts its pieces of work. A clock lists for each stream up to which piece all work
// is complete before something: each stream, each event and the host has one. Issuing, recording
// and waiting join clocks (vector clocks: Mattern 1989, Fidge 1988). In doubt work counts as
// ordered.
//
// How `serve` uses it, through Checker::streams():
//   launch        begin_work(stream), Machine::launch, end_work()
//   copy, fill    begin_work(stream).issued_at = ..., the observer's on_read, on_write and on_copy,
//                 end_work(); then host_waits_for(stream) if the call blocks
//   malloc, free  of cudaMallocAsync and cudaFreeAsync: the same with their kind; of cudaFree:
//                 host_waits_for_all() before
//   a launch that waits for the host: set_work_aside(), and resume_work() before it goes on
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "code/program.h"
#include "memory/book.h"
#include "report/race_text.h"

namespace check {

using StreamId = std::uint64_t;
inline constexpr StreamId kLegacyStream = 0;     // of null and cudaStreamLegacy
inline constexpr StreamId kPerThreadStream = 2;  // cudaStreamPerThread
inline constexpr StreamId kHostStream = 3;       // what the host does itself, in no stream's order

using StreamClock = std::vector<std::uint64_t>;  // by stream; what is missing is 0

// Whether all that `other` lists is complete before something with this clock.
bool lists(const StreamClock& clock, const StreamClock& other);

// A kernel, a copy or a fill, or an allocation or a free in the order of a stream.
struct Work {
  struct Range {
    std::uint64_t begin = 0, end = 0;  // of device memory
    bool is_written = false;
    report::Place read_at = {};  // by a kernel
  };

  std::uint64_t number = 0;       // on its stream
  std::uint32_t first_block = 0;  // a kernel's blocks, as stamps number them ...
  std::uint32_t end_block = 0;    // ... up to this one; equal: no kernel
  std::string kernel;
  const code::Program* program = nullptr;
  report::CopyKind kind = report::CopyKind::kCopyOrFill;  // of what is no kernel, as the next two
  std::vector<Range> ranges;  // of a kernel: the constants that it has read
  memory::HostPlace issued_at;

  bool is_kernel() const { return first_block < end_block; }  // whose accesses have stamps
  bool is_launch() const { return !kernel.empty(); }          // also while it waits for the host
  bool holds(std::uint32_t block) const { return block >= first_block && block < end_block; }
};

class StreamOrder {
 public:
  StreamOrder();

  // `is_blocking`: it waits for the legacy default stream, and that for it.
  void add_stream(StreamId stream, bool is_blocking);
  void remove_stream(StreamId stream);

  // A new piece of work on a stream that exists. Call end_work() when it has been carried out.
  Work& begin_work(StreamId stream);
  void end_work() { current_ = nullptr; }
  Work* current_work() { return current_; }  // begun last, while it is issued; null between
  // Of the piece begun last: its stream, as an index in clocks, and all that ends before it, itself
  // included.
  std::size_t current_stream() const { return current_stream_; }
  const StreamClock& current_clock() const { return streams_[current_stream_].clock; }

  // The work on other streams without an ordering before the piece begun last. Usually none.
  const std::vector<const Work*>& concurrent_work() const { return concurrent_; }
  // The kernel among it that made the access of a block; null if there is none.
  const Work* concurrent_kernel_of(std::uint32_t block) const;
  // The first block of any such kernel; `otherwise` if there is none.
  std::uint32_t first_concurrent_block(std::uint32_t otherwise) const;
  bool has_concurrent_copies() const;

  // A kernel that waits for the host is set aside: unfinished, while the host and other streams go
  // on. One at a time; resume_work() makes it the current piece again.
  void set_work_aside();
  void resume_work();
  // Whether that kernel has to end before what is issued to the stream now, or before the event.
  bool is_behind_unfinished(StreamId stream) const;
  bool is_behind_unfinished(const StreamClock& event) const;

  // The host waits until the stream's work, or all work, is done. Where that is_behind_unfinished,
  // the kernel has been resumed and has ended before.
  void host_waits_for(StreamId stream);
  void host_waits_for_all();
  // The host reads a flag, which may tell it that any work so far is done. It has not waited for
  // it.
  void host_reads_flag();
  // The remembered work of which the host does not know that it is done. Usually none.
  const std::vector<const Work*>& work_beside_host();

  // A function of the host's runs when the stream's work so far is done. It knows that, and the
  // host's own thread does not learn it.
  void begin_host_function(StreamId stream);
  void end_host_function();

  // Events: what has to be done before one counts as recorded, and which stream waits for that.
  StreamClock record_event(StreamId stream);
  void host_waits_for(const StreamClock& event);
  bool host_knows(const StreamClock& event) const;  // that it is recorded
  void stream_waits_for(StreamId stream, const StreamClock& event);

 private:
  struct Stream {
    bool is_blocking = true;
    bool is_live = true;
    std::uint64_t num_issued = 0;
    StreamClock clock;
    std::deque<Work> remembered;  // oldest first
  };
  struct Unfinished {
    std::size_t stream;
    Work* work;
    std::vector<const Work*> concurrent;
  };

  std::size_t index_of(StreamId stream) const;
  StreamClock clock_at(std::size_t index) const;
  std::size_t act_in(StreamId stream);
  void note_host_waits(const StreamClock& clock);
  void trim(std::size_t index);

  std::vector<Stream> streams_;
  std::map<StreamId, std::size_t> indices_;
  StreamClock host_;
  StreamClock hosts_thread_;                             // while a function of the host's runs
  StreamClock told_by_flags_;                            // to the host: work that may be done
  std::optional<std::vector<const Work*>> beside_host_;  // nothing: has to be looked for again
  std::vector<const Work*> concurrent_;
  Work* current_ = nullptr;
  std::size_t current_stream_ = 0;
  std::optional<Unfinished> unfinished_;
};

}  // namespace check
