// SPDX-License-Identifier: MIT
// What the worker needs from its backend. device_cpu.cpp and device_cuda.cpp each define all of it.
#pragma once

#include <cstddef>
#include <exception>
#include <string>

#include "lab/scratch.cuh"
#include "protocol/wire.h"

namespace worker {

// Reserves the resources that every rung needs, before the rung can use them up. Ends the process
// if the system refuses.
void claim_resources();

// The rung may store to no address of the stack from `from` on: there its callers' frames begin.
void close_stack(const void* from);

// Calls `last_words` when the rung's host code crashes, where the backend can say what it did.
void explain_crashes(void (*last_words)(const std::string& what));

// Maps the judge's buffers into this process. Throws std::runtime_error.
std::byte* open_arena(const wire::Hello& hello);
// Unmaps them; null: none were mapped. Memory that is still allocated then is a leak.
void close_arena(std::byte* d_arena);

// A checker watches this process: from now on each call gets unwritten scratch memory of exactly
// the right size.
void prepare_for_checker();

// Makes the batch's regions, and nothing else of the arena, known to the checkers; sets the
// schedule.
void begin_batch(const wire::Batch& batch, std::byte* d_arena);
// threw: one of its calls ended by an exception.
void end_batch(const wire::Batch& batch, std::byte* d_arena, bool threw);

// Device memory of at least size_bytes for the next call's Scratch. Its content is poison unless
// `keep`.
void* scratch_memory(std::size_t size_bytes, bool keep);
lab::Scratch::Observer scratch_observer();
void release_scratch();

// The text of an exception that the rung may have made.
std::string text_of(const std::exception& thrown);

// Gives the CUDA error that just ended the call, or was ignored in it, its place in the student's
// file, where the backend knows it. `what`: the error's name and meaning.
void report_error(const std::string& function, const std::string& what, bool was_ignored);

// What the checkers and counters in this process saw since the last call.
wire::Report take_report();

}  // namespace worker
