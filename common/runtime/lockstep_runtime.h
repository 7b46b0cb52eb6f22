// SPDX-License-Identifier: MIT
// What a worker, and a program with a main() of its own, need of the runtime besides CUDA's API.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <string>

namespace serve {
struct Place;
}

namespace runtime {

// Calls `last_words` when the host's own code crashes. A pointer to device memory that the host
// uses is reported to the device process with the host's line.
void explain_host_crashes(void (*last_words)(const std::string& what));
void report_host_crash(const serve::Place& place, const std::string& what);

// What the device claims to have; 0: what it has.
struct Pose {
  unsigned num_multiprocessors = 0;
  unsigned threads_per_multiprocessor = 0;
  unsigned shared_bytes_per_multiprocessor = 0;
  unsigned l2_bytes = 0;
};
void pose_as(const Pose& pose);

// Errors of earlier calls are of no concern any more.
void forget_errors();

// The room of lab::Scratch, and the pieces that a call takes out of it.
void* scratch_room(std::size_t size_bytes);
void declare_scratch(void* d_base, std::size_t size_bytes, const std::string& name);
void retire_scratch();

// A call that receives `stream` begins or has ended. Before and after it, the caller has work of
// its own there that uses the judge's buffers; while it runs, the host must not wait.
void begin_call_on(cudaStream_t stream);
void end_call_on(cudaStream_t stream);
// Work that the caller issues itself begins or has ended: it is no call of the function's.
void begin_callers_turn();
void end_callers_turn();

// Gives the CUDA error that ended a call, or was ignored in it, its place in the student's file.
void report_error(const std::string& function, const std::string& what, bool was_ignored);

// The same for a program that never asked for its last error.
void report_unchecked_errors();

}  // namespace runtime
