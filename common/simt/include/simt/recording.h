// SPDX-License-Identifier: MIT
// The recording of one launch, instruction by instruction, for `./lab trace`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace simt {

// What a page can replay. Later blocks run unrecorded; a launch that makes more steps, or more
// text, is cut there and runs on unrecorded. The text has room for steps of 32 lanes with 16 bytes
// each; a page packs it.
inline constexpr std::uint64_t kMaxRecordedBlocks = 4;
inline constexpr std::size_t kMaxRecordedSteps = 20'000;
inline constexpr std::size_t kMaxRecordingBytes = std::size_t{32} << 20;

// Called with the recording when its launch has ended. Where more blocks or steps follow than it
// shows, also before them. docs/trace.md describes the text.
using RecordingListener = void (*)(const std::string& text);

// When a recorded lane lets the others of its warp run: at each instruction, as a device's do; or
// where it waits for them, as in a launch that is not recorded.
enum class LaneTurns : std::uint8_t { kInStep, kOneByOne };

// Records the first launch from now on of `kernel`, which is written as at the launch, with or
// without its template arguments and namespaces; of any kernel if it is empty. A null listener ends
// that. Warps and blocks run in the order of set_schedule. Nothing is counted meanwhile.
void record_launch(std::string kernel, RecordingListener listener,
                   LaneTurns turns = LaneTurns::kInStep);

// The kernels that were launched since the last record_launch, in order, each once.
std::vector<std::string> launches_seen();

}  // namespace simt
