// SPDX-License-Identifier: MIT
// What the worker needs from its backend. device_cpu.cpp and device_cuda.cpp each define all of it.
#pragma once

#include <cstddef>
#include <string>

#include "lab/scratch.cuh"
#include "protocol/wire.h"

namespace worker {

// Calls `last_words` when the rung's host code crashes, where the backend can say what it did.
void explain_crashes(void (*last_words)(const std::string& what));

// Maps the judge's buffers into this process. Throws std::runtime_error.
std::byte* open_arena(const wire::Hello& hello);
// Unmaps them; null: none were mapped. Memory that is still allocated then is a leak.
void close_arena(std::byte* d_arena);

// A checker watches this process: from now on each call gets unwritten scratch memory of exactly
// the right size.
void prepare_for_checker();

// Forgets the errors that an earlier batch left. The device poses as it is asked to.
void begin_batch(const wire::Posed& posed);

// Device memory of at least size_bytes for the next call's Scratch. Its content is poison unless
// `keep`.
void* scratch_memory(std::size_t size_bytes, bool keep);
lab::Scratch::Observer scratch_observer();
void release_scratch();

// The stream that all calls receive. The emulator's does not wait for the default stream, nor that
// for it: work that the rung puts elsewhere is not ordered with the caller's, and is found.
cudaStream_t make_stream();

// A call that receives `stream` begins, or has returned.
void begin_call_on(cudaStream_t stream);
void end_call_on(cudaStream_t stream);

// The worker issues work as the function's caller: begins or has ended.
void begin_callers_turn();
void end_callers_turn();

// Gives the CUDA error that just ended the call, or was ignored in it, its place in the student's
// file, where the backend knows it. `what`: the error's name and meaning.
void report_error(const std::string& function, const std::string& what, bool was_ignored);

}  // namespace worker
