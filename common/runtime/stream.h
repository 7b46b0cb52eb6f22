// SPDX-License-Identifier: MIT
// Streams and events as objects of the program. What a program passes may be no handle, so it is
// looked up and not followed.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "serve/commands.h"

namespace runtime {

bool is_valid_stream(cudaStream_t stream);
// As the device numbers it; of a stream that exists.
std::uint64_t stream_number(cudaStream_t stream);

bool is_behind_waiting(cudaStream_t stream);

// A call of a lab's function begins, whose contract says that the host does not wait; or it ends.
void expect_no_host_waits(bool is_expected);
// The program makes the host wait here. One call in which it waits is forgiven, as the first may
// set up what all others use: the second one that waits at the same place has a finding.
void note_host_wait();
// Whether a query finds work under way whatever is: in such a call, the first at its place. A
// second one there is a loop, and the host waits by it.
bool is_query_too_early();

// What cudaStreamCreateWithPriority does. `at`: the program's line; none: the stream is our own.
cudaError_t make_stream(cudaStream_t* stream, unsigned int flags, int priority,
                        const serve::Place& at);

// The host waits until the stream's work, or all work, is done.
void host_waits_for(cudaStream_t stream);
void host_waits_for_all();

// Events of the device, without objects of the program: the order of a graph's nodes.
std::uint64_t record_clock(cudaStream_t stream);
void stream_waits_for(cudaStream_t stream, std::uint64_t clock);
void drop_clock(std::uint64_t clock);

}  // namespace runtime
