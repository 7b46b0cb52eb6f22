// SPDX-License-Identifier: MIT
// What checkers and counters saw during a batch.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/wire_counters.h"

namespace wire {

// A fault seen by a checker. `line` is 0 where no line is known.
struct Finding {
  std::string kind;  // one of judge::kind
  std::string file;
  std::int32_t line = 0;
  std::string kernel;
  std::string message;
  std::int32_t items = 0;  // of the case in which it was found, as the judge knows it; 0: unknown
};

inline constexpr std::size_t kMaxPrintedBytes = 1 << 20;

struct Report {
  std::vector<Finding> findings;
  std::vector<Finding> notes;           // what may be wrong, and costs nothing
  std::vector<KernelCounters> kernels;  // what they did, if Batch::count asked for it
  std::vector<Shape> shapes;            // of their launches, if Batch::shapes did
  std::string recording;                // of a launch, if Batch::record asked for it
  std::vector<std::string> launches;    // with it, the kernels that were launched
  std::uint32_t num_allocations = 0;    // that the batch asked for
  std::string timeline;                 // of its streams, with a posed clock: Timeline::text()
  std::string printed;                  // by kernels, up to kMaxPrintedBytes
  std::string fault;                    // of the device process itself; empty: none
};

// Cuts what is longer, or more, than a message holds: names, say, are the program's own. The
// kernels are those of fold().
void bound(Report& report);

void encode(Writer& out, const Report& report);
// Throws std::runtime_error on a message that ends too early or makes no sense.
Report decode_report(Reader& in);

}  // namespace wire
