// SPDX-License-Identifier: MIT
// Which work is ordered across streams. The emulator completes all work when it is issued; on a
// device two streams run at the same time unless something orders them, and the race checker needs
// that order.
//
// Every stream counts its pieces of work. A clock lists for each stream up to which piece all work
// is complete before something: each stream, each event and the host has one. Issuing, recording
// and waiting join clocks (vector clocks: Mattern 1989, Fidge 1988). In doubt work counts as
// ordered.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "report/stream_copy.h"
#include "simt/call_stack.h"
#include "simt/stream.h"

namespace simt::internal {

using StreamClock = std::vector<std::uint64_t>;  // by stream; what is missing is 0

// A kernel, a copy or a fill, or an allocation or a free in the order of a stream.
struct Work {
  struct Range {
    std::uintptr_t begin, end;  // of device memory
    bool is_written;
  };

  std::uint64_t number;           // on its stream
  std::uint32_t first_block = 0;  // a kernel's blocks, as the race checker numbers them ...
  std::uint32_t end_block = 0;    // ... up to this one; equal: no kernel
  const char* kernel = nullptr;
  device::CopyKind kind = device::CopyKind::kCopyOrFill;  // of what is no kernel, as the next two
  std::vector<Range> ranges;
  CallStack issued_by;
};

// `is_blocking`: it waits for the legacy default stream, and that for it.
void add_stream(cudaStream_t stream, bool is_blocking);
void remove_stream(cudaStream_t stream);

// A new piece of work on a valid stream. Call end_work() when it has been carried out.
Work& begin_work(cudaStream_t stream);

// The work on other streams without an ordering before the piece begun last. Usually none.
const std::vector<const Work*>& concurrent_work();

// The piece begun last, while it is issued; null between.
Work* current_work();
void end_work();

// A kernel that waits for the host is set aside: unfinished, while the host and other streams go
// on. One at a time; resume_work() makes it the current piece again.
void set_work_aside();
void resume_work();

// Whether that kernel has to end before what is issued to the stream now, or before the event.
bool is_behind_unfinished(cudaStream_t stream);
bool is_behind_unfinished(const StreamClock& event);

// The host waits until the stream's work, or all work, is done.
void host_waits_for(cudaStream_t stream);
void host_waits_for_all();

// The host reads a flag, which may tell it that any work so far is done. It has not waited for it.
void host_reads_flag();

// The remembered work of which the host does not know that it is done. Usually none.
const std::vector<const Work*>& work_beside_host();

// Events: what has to be done before one counts as recorded, and which stream waits for that.
StreamClock record_event(cudaStream_t stream);
void host_waits_for(const StreamClock& event);
void stream_waits_for(cudaStream_t stream, const StreamClock& event);

}  // namespace simt::internal
