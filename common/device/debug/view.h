// SPDX-License-Identifier: MIT
// What the front end asks about a launch that has stopped, as JSON.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "debug/spots.h"
#include "run/warp.h"

namespace debug {

using Blocks = std::map<std::uint64_t, run::Block*>;  // that are on the device, by linear index

// "barrier", "ready": what the lane does.
std::string state_of(const run::Warp& warp, std::uint32_t lane);

// The launch, and its threads: neighbours that do the same share a row.
std::string launch_json(const run::Launch& launch, std::uint64_t num_started,
                        std::uint64_t num_ended);
std::string threads_json(const Blocks& blocks);

// Innermost first. A thread that has ended has none.
std::string frames_json(const run::Warp& warp, std::uint32_t lane);

// Names of the module's variables, and of the kernel's shared ones, with their addresses.
std::string symbols_json(const run::Launch& launch);

// Bytes of memory, as the thread sees it. `from`: a pointer into what must contain them; 0: none.
struct Range {
  std::uint64_t address = 0;
  std::uint64_t size_bytes = 0;
  std::uint64_t from = 0;
};
std::string memory_json(const run::Warp& warp, std::uint32_t lane, const Range& range);

}  // namespace debug
