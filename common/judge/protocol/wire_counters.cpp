// SPDX-License-Identifier: MIT
#include "protocol/wire_counters.h"

#include <algorithm>
#include <iterator>
#include <stdexcept>

#include "protocol/bytes.h"

namespace wire {
namespace {

void encode(Writer& out, const Counters& counters) {
  out.put(static_cast<std::uint32_t>(counters.size()));
  for (const auto& [name, value] : counters) out.put(std::string_view(name)).put(value);
}

void encode(Writer& out, const LineCounters& line) {
  out.put(std::string_view(line.file)).put(line.line);
  encode(out, line.counters);
  out.put(static_cast<std::uint32_t>(line.patterns.size()));
  for (const Pattern& pattern : line.patterns) {
    out.put(pattern.space).put(pattern.access).put(pattern.size_bytes).put(pattern.cost);
    out.put(pattern.lanes).put(std::string_view(pattern.base)).put(pattern.offsets);
  }
}

// encode() never writes a number of elements above the limit.
std::uint32_t get_count(Reader& in, std::size_t limit) {
  const auto count = in.get<std::uint32_t>();
  if (count > limit) throw std::runtime_error("more counters than a worker sends");
  return count;
}

Counters decode_values(Reader& in) {
  constexpr std::size_t kMaxNames = 100;
  Counters counters;
  for (auto count = get_count(in, kMaxNames); count > 0; --count) {
    const std::string name = in.text();
    counters[name] = in.get<std::uint64_t>();
  }
  return counters;
}

template <class Enum>
Enum get_enum(Reader& in, Enum last) {
  const auto value = in.get<std::uint32_t>();
  if (value > static_cast<std::uint32_t>(last)) throw std::runtime_error("unknown kind of access");
  return static_cast<Enum>(value);
}

LineCounters decode_line(Reader& in) {
  constexpr std::size_t kMaxPatterns = 6;
  LineCounters line;
  line.file = in.text();
  line.line = in.get<std::int32_t>();
  line.counters = decode_values(in);
  for (auto count = get_count(in, kMaxPatterns); count > 0; --count) {
    Pattern pattern;
    pattern.space = get_enum(in, Space::kShared);
    pattern.access = get_enum(in, Access::kAtomic);
    pattern.size_bytes = in.get<std::uint32_t>();
    pattern.cost = in.get<std::uint32_t>();
    pattern.lanes = in.get<std::uint32_t>();
    pattern.base = in.text();
    pattern.offsets = in.get<decltype(pattern.offsets)>();
    line.patterns.push_back(std::move(pattern));
  }
  return line;
}

void add_line(LineCounters& sum, const LineCounters& more) { add(sum.counters, more.counters); }

void add_line(LineTime& sum, const LineTime& more) {
  sum.issued += more.issued;
  sum.cycles += more.cycles;
  sum.loads += more.loads;
}

// Merges the lines beyond `room` into one, and takes the others off it.
template <class Line>
void fold_lines(std::vector<Line>& lines, std::size_t& room) {
  const std::size_t keep = std::min(room, lines.size());
  room -= keep;
  if (lines.size() == keep) return;
  Line rest;
  for (std::size_t i = keep; i < lines.size(); ++i) add_line(rest, lines[i]);
  lines.resize(keep);
  lines.push_back(std::move(rest));
}

void fold_into(KernelCounters& sum, KernelCounters& more) {
  add(sum.counters, more.counters);
  sum.grid = more.grid;
  sum.block = more.block;
  sum.static_shared_bytes = std::max(sum.static_shared_bytes, more.static_shared_bytes);
  sum.dynamic_shared_bytes = std::max(sum.dynamic_shared_bytes, more.dynamic_shared_bytes);
  sum.occupancy = more.occupancy;
  std::ranges::move(more.lines, std::back_inserter(sum.lines));
}

}  // namespace

std::uint64_t value_of(const Counters& counters, const std::string& name) {
  const auto found = counters.find(name);
  return found == counters.end() ? 0 : found->second;
}

bool is_maximum(const std::string& name) { return name.find("_max_") != std::string::npos; }

void add(Counters& sum, const Counters& more) {
  for (const auto& [name, value] : more) {
    sum[name] = is_maximum(name) ? std::max(sum[name], value) : sum[name] + value;
  }
}

void fold(std::vector<KernelCounters>& kernels) {
  if (kernels.size() > kMaxKernels) {
    // Copies, which no launch made, stay apart: no kernel did that work.
    // Not std::ranges': clang 14 does not compile that of libstdc++ 12.
    std::stable_partition(kernels.begin(), kernels.end(), [](const KernelCounters& kernel) {
      return !kernel.counters.contains("launches");
    });
    KernelCounters& last = kernels[kMaxKernels - 1];
    for (std::size_t i = kMaxKernels; i < kernels.size(); ++i) fold_into(last, kernels[i]);
    last.name = "(" + std::to_string(kernels.size() - kMaxKernels + 1) + " more kernels)";
    kernels.resize(kMaxKernels);
  }
  std::size_t room = kMaxCountedLines;
  for (KernelCounters& kernel : kernels) fold_lines(kernel.lines, room);
}

void fold(std::vector<Shape>& shapes) {
  if (shapes.size() > kMaxShapes) shapes.resize(kMaxShapes);
  std::size_t room = kMaxTimedLines;
  for (Shape& shape : shapes) fold_lines(shape.lines, room);
}

void encode(Writer& out, const std::vector<KernelCounters>& kernels) {
  out.put(static_cast<std::uint32_t>(kernels.size()));
  for (const KernelCounters& kernel : kernels) {
    out.put(std::string_view(kernel.name));
    encode(out, kernel.counters);
    out.put(kernel.grid).put(kernel.block);
    out.put(kernel.static_shared_bytes).put(kernel.dynamic_shared_bytes);
    out.put(kernel.occupancy.blocks).put(kernel.occupancy.warps).put(kernel.occupancy.of_warps);
    out.put(std::string_view(kernel.occupancy.limiter));
    out.put(static_cast<std::uint32_t>(kernel.lines.size()));
    for (const LineCounters& line : kernel.lines) encode(out, line);
  }
}

std::vector<KernelCounters> decode_counters(Reader& in) {
  std::vector<KernelCounters> kernels;
  for (auto count = get_count(in, kMaxKernels); count > 0; --count) {
    KernelCounters kernel;
    kernel.name = in.text();
    kernel.counters = decode_values(in);
    kernel.grid = in.get<decltype(kernel.grid)>();
    kernel.block = in.get<decltype(kernel.block)>();
    kernel.static_shared_bytes = in.get<std::uint64_t>();
    kernel.dynamic_shared_bytes = in.get<std::uint64_t>();
    kernel.occupancy.blocks = in.get<std::uint32_t>();
    kernel.occupancy.warps = in.get<std::uint32_t>();
    kernel.occupancy.of_warps = in.get<std::uint32_t>();
    kernel.occupancy.limiter = in.text();
    for (auto lines = get_count(in, kMaxCountedLines + 1); lines > 0; --lines) {
      kernel.lines.push_back(decode_line(in));
    }
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

void encode(Writer& out, const std::vector<Shape>& shapes) {
  out.put(static_cast<std::uint32_t>(shapes.size()));
  for (const Shape& shape : shapes) {
    out.put(std::string_view(shape.kernel))
        .put(shape.grid)
        .put(shape.block)
        .put(shape.shared_bytes);
    encode(out, shape.features);
    out.put(static_cast<std::uint32_t>(shape.lines.size()));
    for (const LineTime& line : shape.lines) {
      out.put(std::string_view(line.file)).put(line.line);
      out.put(line.issued).put(line.cycles).put(line.loads);
    }
  }
}

std::vector<Shape> decode_shapes(Reader& in) {
  std::vector<Shape> shapes;
  for (auto count = get_count(in, kMaxShapes); count > 0; --count) {
    Shape shape;
    shape.kernel = in.text();
    shape.grid = in.get<decltype(shape.grid)>();
    shape.block = in.get<decltype(shape.block)>();
    shape.shared_bytes = in.get<std::uint64_t>();
    shape.features = decode_values(in);
    for (auto lines = get_count(in, kMaxTimedLines + 1); lines > 0; --lines) {
      LineTime line;
      line.file = in.text();
      line.line = in.get<std::int32_t>();
      line.issued = in.get<std::uint64_t>();
      line.cycles = in.get<std::int64_t>();
      line.loads = in.get<std::int64_t>();
      shape.lines.push_back(std::move(line));
    }
    shapes.push_back(std::move(shape));
  }
  return shapes;
}

}  // namespace wire
