// SPDX-License-Identifier: MIT
// The device's counters as they are sent: what each kernel of a batch did, by source line.
// docs/counters.md defines them.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace wire {

class Reader;
class Writer;

inline constexpr std::size_t kWarpSize = 32;
inline constexpr double kSectorBytes = 32;  // global memory moves in these

// By name; a counter that is not there is 0.
using Counters = std::map<std::string, std::uint64_t>;

// Of one counter.
std::uint64_t value_of(const Counters& counters, const std::string& name);

enum class Space : std::uint32_t { kGlobal, kShared };
enum class Access : std::uint32_t { kRead, kWrite, kAtomic };

// One warp memory instruction.
struct Pattern {
  Space space = Space::kGlobal;
  Access access = Access::kRead;
  std::uint32_t size_bytes = 0;                      // of one lane's access
  std::uint32_t cost = 0;                            // sectors (global) or wavefronts (shared)
  std::uint32_t lanes = 0;                           // mask of active lanes
  std::string base;                                  // what offsets count from
  std::array<std::int64_t, kWarpSize> offsets = {};  // in bytes, by lane
};

struct LineCounters {
  std::string file;
  std::int32_t line = 0;
  Counters counters;
  std::vector<Pattern> patterns;
};

struct Occupancy {  // of one multiprocessor
  std::uint32_t blocks = 0;
  std::uint32_t warps = 0;
  std::uint32_t of_warps = 0;
  std::string limiter;
};

struct KernelCounters {
  std::string name;
  Counters counters;
  std::array<std::uint32_t, 3> grid = {};  // of the last launch, as is the block
  std::array<std::uint32_t, 3> block = {};
  std::uint64_t static_shared_bytes = 0;
  std::uint64_t dynamic_shared_bytes = 0;
  Occupancy occupancy;
  std::vector<LineCounters> lines;
};

// What a source line costs the warps that execute it: instructions issued, and what it adds to
// their time, in cycles and in loads that they wait for. Negative where another line hides it.
struct LineTime {
  std::string file;       // without folders; empty if unknown
  std::int32_t line = 0;  // 0: of all lines beyond the limit
  std::uint64_t issued = 0;
  std::int64_t cycles = 0;
  std::int64_t loads = 0;
};

// What a model of time needs of the launches of one kernel that have one shape, as sums.
// common/device/time/README.md defines the features.
struct Shape {
  std::string kernel;
  std::array<std::uint32_t, 3> grid = {};
  std::array<std::uint32_t, 3> block = {};
  std::uint64_t shared_bytes = 0;
  Counters features;
  std::vector<LineTime> lines;
};

// A counter that keeps the largest value seen; the others are sums.
bool is_maximum(const std::string& name);
void add(Counters& sum, const Counters& more);

// The most that is sent, so that the reply stays below kMaxPayloadBytes.
inline constexpr std::size_t kMaxKernels = 64;        // the last one may stand for many
inline constexpr std::size_t kMaxShapes = 1000;       // the others are left out
inline constexpr std::size_t kMaxCountedLines = 600;  // of all kernels together, but see fold()
inline constexpr std::size_t kMaxTimedLines = 600;    // of all shapes together, but see fold()

// Merges the kernels beyond the limit into one, and the lines of a kernel beyond its limit into one
// without a place: all sums stay the same.
void fold(std::vector<KernelCounters>& kernels);
// Leaves out shapes beyond the limit, and merges the lines of a shape beyond theirs.
void fold(std::vector<Shape>& shapes);

void encode(Writer& out, const std::vector<KernelCounters>& kernels);
void encode(Writer& out, const std::vector<Shape>& shapes);
// Throws std::runtime_error on a message that ends too early or makes no sense.
std::vector<KernelCounters> decode_counters(Reader& in);
std::vector<Shape> decode_shapes(Reader& in);

}  // namespace wire
