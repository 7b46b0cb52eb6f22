// SPDX-License-Identifier: MIT
#include "measure/measures.h"

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

namespace judge {
namespace {

constexpr double kLanes = 32;
constexpr const char* kBytesMoved = "global_bytes_moved_per_item";

// Of the lines that a sum names next to the first: how many, and the least share of each.
constexpr std::size_t kMostNextPlaces = 2;
constexpr double kLeastNextShare = 0.1;

// Reads one set of counters, a line's or a call's, for the formulas below.
class Figures {
 public:
  explicit Figures(const wire::Counters& counters) : counters_(counters) {}

  double operator[](const char* name) const {
    return static_cast<double>(wire::value_of(counters_, name));
  }

  double bytes_asked() const {
    return (*this)["global_read_bytes"] + (*this)["global_write_bytes"];
  }
  double bytes_read_and_written() const {
    return wire::kSectorBytes * ((*this)["global_read_sectors"] + (*this)["global_write_sectors"]);
  }
  double bytes_moved() const {
    return bytes_read_and_written() + wire::kSectorBytes * (*this)["global_atomic_sectors"];
  }
  double conflicts() const {
    return (*this)["shared_read_conflicts"] + (*this)["shared_write_conflicts"] +
           (*this)["shared_atomic_conflicts"];
  }
  double shared_requests() const {
    return (*this)["shared_read_requests"] + (*this)["shared_write_requests"] +
           (*this)["shared_atomic_requests"];
  }
  double passes() const {
    return global_requests() + shared_requests() + (*this)["warp_operations"];
  }
  double atomics() const { return (*this)["global_atomic_lanes"] + (*this)["shared_atomic_lanes"]; }
  double atomics_same_address() const {
    return std::max((*this)["global_atomic_max_same_address"],
                    (*this)["shared_atomic_max_same_address"]);
  }
  double global_requests() const {
    return (*this)["global_read_requests"] + (*this)["global_write_requests"] +
           (*this)["global_atomic_requests"];
  }
  double global_lanes() const {
    return (*this)["global_read_lanes"] + (*this)["global_write_lanes"] +
           (*this)["global_atomic_lanes"];
  }

 private:
  const wire::Counters& counters_;
};

// `empty`: the best value, for a call that does nothing of the kind.
double ratio(double part, double whole, double empty = 0) {
  return whole == 0 ? empty : part / whole;
}

// Bytes moved but not used.
double waste(const Figures& f) {
  return std::max(0.0, f.bytes_read_and_written() - f.bytes_asked());
}

using Formula = double (*)(const Figures&);

// The measures that are one formula over counters. `blame`: how much a line contributes.
struct Definition {
  const char* name;
  Formula value;
  Formula blame;
};

constexpr Definition kDefinitions[] = {
    {"read_sectors_per_request",
     [](const Figures& f) { return ratio(f["global_read_sectors"], f["global_read_requests"]); },
     [](const Figures& f) { return f["global_read_sectors"]; }},
    {"write_sectors_per_request",
     [](const Figures& f) { return ratio(f["global_write_sectors"], f["global_write_requests"]); },
     [](const Figures& f) { return f["global_write_sectors"]; }},
    {"sector_efficiency",
     [](const Figures& f) { return ratio(f.bytes_asked(), f.bytes_read_and_written(), 1); }, waste},
    {"bank_conflicts", [](const Figures& f) { return f.conflicts(); },
     [](const Figures& f) { return f.conflicts(); }},
    {"host_waits", [](const Figures& f) { return f["host_waits"]; },
     [](const Figures& f) { return f["host_waits"]; }},
    {"host_calls", [](const Figures& f) { return f["host_calls"]; },
     [](const Figures& f) { return f["host_calls"]; }},
    {"graph_launches", [](const Figures& f) { return f["graph_launches"]; },
     [](const Figures& f) { return f["graph_launches"]; }},
    {"divergent_branches", [](const Figures& f) { return f["divergent_branches"]; },
     [](const Figures& f) { return f["divergent_branches"]; }},
    {"atomics_same_address", [](const Figures& f) { return f.atomics_same_address(); },
     [](const Figures& f) { return f.atomics_same_address(); }},
    // Without copies none is ahead.
    {"copies_ahead",
     [](const Figures& f) { return ratio(f["copies_outlasting_waits"], f["copies_to_shared"]); },
     [](const Figures& f) { return f["copies_to_shared"] - f["copies_outlasting_waits"]; }},
    {"lanes_per_request",
     [](const Figures& f) { return ratio(f.global_lanes(), f.global_requests(), kLanes); },
     [](const Figures& f) { return kLanes * f.global_requests() - f.global_lanes(); }},
};

// The measures that are the largest figure of any block or warp, which no other block or warp can
// make smaller. Lines are compared by what they contribute; their values say nothing of one block.
struct MostDefinition {
  const char* name;
  const char* counter;
  Formula blame;
};

constexpr MostDefinition kMost[] = {
    {"barriers_per_block", "barriers_max_per_block",
     [](const Figures& f) { return f["barriers"]; }},
    {"atomics_per_block", "atomics_max_per_block", [](const Figures& f) { return f.atomics(); }},
    {"look_back_loads", "polls_max_per_warp",
     [](const Figures& f) { return f["polls_max_per_warp"]; }},
    {"look_back_chain", "publications_max_chain",
     [](const Figures& f) { return f["publications_max_chain"]; }},
    {"allocated_bytes", "allocated_max_bytes",
     [](const Figures& f) { return f["allocated_max_bytes"]; }},
    {"pinned_bytes", "pinned_max_bytes", [](const Figures& f) { return f["pinned_max_bytes"]; }},
};

// The measures that add up, over all launches, what the launch's busiest block or warp does. So
// work in several launches, one after another, counts as work in one.
struct BusiestDefinition {
  const char* name;
  bool is_per_item;
  Formula value;
  Formula blame;
};

constexpr BusiestDefinition kBusiest[] = {
    {"busiest_block_bytes_per_item", true,
     [](const Figures& f) { return wire::kSectorBytes * f["busiest_blocks_sectors"]; },
     [](const Figures& f) { return f.bytes_moved(); }},
    {"passes_per_warp", false, [](const Figures& f) { return f["busiest_warps_passes"]; },
     [](const Figures& f) { return f.passes(); }},
};

// The measures that are a sum over counters, per item. A place's value has the same divisor.
struct SumDefinition {
  const char* name;
  Formula sum;
};

constexpr SumDefinition kSums[] = {
    {"global_read_bytes_per_item", [](const Figures& f) { return f["global_read_bytes"]; }},
    {"global_write_bytes_per_item", [](const Figures& f) { return f["global_write_bytes"]; }},
    {kBytesMoved, [](const Figures& f) { return f.bytes_moved(); }},
    {"atomics_per_item", [](const Figures& f) { return f.atomics(); }},
    {"global_atomics_per_item", [](const Figures& f) { return f["global_atomic_lanes"]; }},
    {"threads_per_item", [](const Figures& f) { return f["threads"]; }},
    {"shared_requests_per_item", [](const Figures& f) { return f.shared_requests(); }},
    {"warp_operations_per_item", [](const Figures& f) { return f["warp_operations"]; }},
    {"shared_read_bytes_per_item", [](const Figures& f) { return f["shared_read_bytes"]; }},
    {"matrix_multiply_adds_per_item", [](const Figures& f) { return f["matrix_multiply_adds"]; }},
    {"pageable_bytes_per_item", [](const Figures& f) { return f["pageable_bytes"]; }},
    {"timeline_ns_per_item", [](const Figures& f) { return f["timeline_ns"]; }},
};

// The share of the bytes moved by the line's costliest request of this kind that some lane asks
// for. Lanes that ask for the same word use it once.
double used_share(const wire::LineCounters& line, wire::Access access) {
  for (const wire::Pattern& pattern : line.patterns) {
    if (pattern.space != wire::Space::kGlobal || pattern.access != access || pattern.cost == 0) {
      continue;
    }
    std::set<std::int64_t> words;
    for (std::size_t lane = 0; lane < wire::kWarpSize; ++lane) {
      if ((pattern.lanes >> lane & 1) != 0) words.insert(pattern.offsets[lane]);
    }
    const double used = static_cast<double>(words.size()) * pattern.size_bytes;
    return std::min(1.0, used / (wire::kSectorBytes * pattern.cost));
  }
  return 1;
}

// The bytes that it moves and does not use, as far as counters and costliest requests say.
double unused_bytes(const wire::LineCounters& line) {
  const Figures f(line.counters);
  const auto unused = [&](wire::Access access, const char* sectors, double asked) {
    const double moved = wire::kSectorBytes * f[sectors];
    return std::max(0.0, moved - std::min(asked, moved * used_share(line, access)));
  };
  const double updated = wire::kSectorBytes * f["global_atomic_sectors"];  // asked for: not counted
  return unused(wire::Access::kRead, "global_read_sectors", f["global_read_bytes"]) +
         unused(wire::Access::kWrite, "global_write_sectors", f["global_write_bytes"]) +
         unused(wire::Access::kAtomic, "global_atomic_sectors", updated);
}

std::optional<Place> most_wasteful_line(const std::vector<wire::KernelCounters>& kernels,
                                        double num_items) {
  std::optional<Place> place;
  for (const wire::KernelCounters& kernel : kernels) {
    for (const wire::LineCounters& line : kernel.lines) {
      const double unused = unused_bytes(line) / num_items;
      if (line.line <= 0 || unused <= (place ? place->value : 0)) continue;
      place = Place{line.file, line.line, unused};
    }
  }
  return place;
}

wire::Counters total(const std::vector<wire::KernelCounters>& kernels) {
  wire::Counters sum;
  for (const wire::KernelCounters& kernel : kernels) wire::add(sum, kernel.counters);
  return sum;
}

// The lines with any blame, those with the most first.
template <class Blame, class Value>
std::vector<Place> worst_lines(const std::vector<wire::KernelCounters>& kernels, Blame blame,
                               Value value) {
  std::vector<std::pair<double, Place>> found;
  for (const wire::KernelCounters& kernel : kernels) {
    for (const wire::LineCounters& line : kernel.lines) {
      const Figures figures(line.counters);
      const double part = blame(figures);
      if (line.line > 0 && part > 0) {
        found.emplace_back(part, Place{line.file, line.line, value(figures)});
      }
    }
  }
  std::ranges::stable_sort(found, std::ranges::greater(), &std::pair<double, Place>::first);
  std::vector<Place> places;
  for (auto& [part, place] : found) places.push_back(std::move(place));
  return places;
}

// For places whose share of the measure is not known.
double no_value(const Figures& /*figures*/) { return 0; }

template <class Blame, class Value>
std::optional<Place> worst_line(const std::vector<wire::KernelCounters>& kernels, Blame blame,
                                Value value) {
  const std::vector<Place> places = worst_lines(kernels, blame, value);
  return places.empty() ? std::nullopt : std::optional(places.front());
}

Measure summed(const SumDefinition& sum, const std::vector<wire::KernelCounters>& kernels,
               double whole, double num_items) {
  const auto value = [&](const Figures& f) { return sum.sum(f) / num_items; };
  Measure measure = {sum.name, whole / num_items, std::nullopt};
  for (Place& place : worst_lines(kernels, sum.sum, value)) {
    if (!measure.place) {
      measure.place = std::move(place);
    } else if (measure.next_places.size() < kMostNextPlaces &&
               place.value >= kLeastNextShare * measure.value) {
      measure.next_places.push_back(std::move(place));
    }
  }
  return measure;
}

Measure of_busiest(const BusiestDefinition& busiest,
                   const std::vector<wire::KernelCounters>& kernels, double num_items) {
  Measure measure = {busiest.name, 0, std::nullopt};
  double most = 0;
  for (const wire::KernelCounters& kernel : kernels) {
    const double value = busiest.value(Figures(kernel.counters));
    measure.value += busiest.is_per_item ? value / num_items : value;
    if (value <= most) continue;
    most = value;
    measure.place = worst_line({kernel}, busiest.blame, no_value);
  }
  return measure;
}

}  // namespace

std::vector<Measure> measures(const std::vector<wire::KernelCounters>& kernels, double num_items) {
  const wire::Counters sums = total(kernels);
  const Figures all(sums);
  std::vector<Measure> result = {{"launches", all["launches"], std::nullopt}};
  for (const SumDefinition& sum : kSums) {
    result.push_back(summed(sum, kernels, sum.sum(all), num_items));
    if (sum.name == kBytesMoved) result.back().unused = most_wasteful_line(kernels, num_items);
  }
  for (const BusiestDefinition& busiest : kBusiest) {
    result.push_back(of_busiest(busiest, kernels, num_items));
  }
  for (const MostDefinition& most : kMost) {
    result.push_back({most.name, all[most.counter], worst_line(kernels, most.blame, no_value)});
  }
  for (const Definition& definition : kDefinitions) {
    result.push_back({definition.name, definition.value(all),
                      worst_line(kernels, definition.blame, definition.value)});
  }
  double shared_bytes = 0;
  for (const wire::KernelCounters& kernel : kernels) {
    shared_bytes = std::max(shared_bytes, static_cast<double>(kernel.static_shared_bytes) +
                                              static_cast<double>(kernel.dynamic_shared_bytes));
  }
  result.push_back({"shared_bytes_per_block", shared_bytes, std::nullopt});
  return result;
}

}  // namespace judge
