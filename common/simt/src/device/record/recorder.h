// SPDX-License-Identifier: MIT
// Records what the warps of a launch do, and runs their lanes in step.
//
// A lane stops before each memory access and each basic block. When all lanes of its warp have
// stopped or wait, those that are deepest in calls, and among these those at the smallest address,
// go on together: as in count/merge.h, but here the lanes really run in this order, so the values
// that the recording shows are those that a warp in lockstep sees.
#pragma once

#include <cstdint>

#include "program/place.h"
#include "simt/counters.h"
#include "simt/finding.h"
#include "simt/launch.h"
#include "simt/warp.h"

namespace simt::device {

struct Block;
struct Warp;

// Whether the running launch is recorded. False: nothing below may be called.
extern bool recording_is_on;
inline bool is_recording() { return recording_is_on; }

// Notes the launch, and begins its recording if it is the one that is wanted.
void begin_recording(const LaunchSite& site, const LaunchConfig& config);
void end_recording();

// Hands the recording over as soon as nothing more will be shown. What follows may take so long
// that the program is ended first.
void tell_if_complete();

void record_block_made(Block& block);
void record_block_start(const Block& block);
void record_block_end(const Block& block);

// The running lane is about to begin a basic block or to make an access, and lets the others of its
// warp come there, too.
void stop_at_step(Place place);
void stop_at_access(AccessKind kind, std::uintptr_t address, std::size_t size_bytes, Place place);

// The running lane has made its last access.
void record_value_written();

// No lane of the warp can run: lets those go on that come first.
void release_first(Warp& warp);

void record_operation_of(Warp& warp, std::uint32_t group, WarpOperation operation);
void record_barrier_of(const Block& block);
void record_grid_barrier_of(const Block& block);

}  // namespace simt::device
