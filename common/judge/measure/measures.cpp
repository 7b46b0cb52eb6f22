// SPDX-License-Identifier: MIT
#include "measure/measures.h"

#include <algorithm>
#include <utility>

namespace judge {
namespace {

constexpr double kLanes = 32;

// Reads one set of counters, a line's or a call's, for the formulas below.
class Figures {
 public:
  explicit Figures(const wire::Counters& counters) : counters_(counters) {}

  double operator[](const char* name) const {
    const auto found = counters_.find(name);
    return found == counters_.end() ? 0 : static_cast<double>(found->second);
  }

  double bytes_asked() const {
    return (*this)["global_read_bytes"] + (*this)["global_write_bytes"];
  }
  double bytes_read_and_written() const {
    return kSectorBytes * ((*this)["global_read_sectors"] + (*this)["global_write_sectors"]);
  }
  double bytes_moved() const {
    return bytes_read_and_written() + kSectorBytes * (*this)["global_atomic_sectors"];
  }
  double conflicts() const {
    return (*this)["shared_read_conflicts"] + (*this)["shared_write_conflicts"] +
           (*this)["shared_atomic_conflicts"];
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
};

// The measures that are a sum over counters, per item. A place's value has the same divisor.
struct SumDefinition {
  const char* name;
  Formula sum;
};

constexpr SumDefinition kSums[] = {
    {"global_read_bytes_per_item", [](const Figures& f) { return f["global_read_bytes"]; }},
    {"global_write_bytes_per_item", [](const Figures& f) { return f["global_write_bytes"]; }},
    {"global_bytes_moved_per_item", [](const Figures& f) { return f.bytes_moved(); }},
    {"atomics_per_item", [](const Figures& f) { return f.atomics(); }},
    {"global_atomics_per_item", [](const Figures& f) { return f["global_atomic_lanes"]; }},
    {"threads_per_item", [](const Figures& f) { return f["threads"]; }},
    {"warp_operations_per_item", [](const Figures& f) { return f["warp_operations"]; }},
};

wire::Counters total(const std::vector<wire::KernelCounters>& kernels) {
  wire::Counters sum;
  for (const wire::KernelCounters& kernel : kernels) wire::add(sum, kernel.counters);
  return sum;
}

// The line with the most blame, if any.
template <class Blame, class Value>
std::optional<Place> worst_line(const std::vector<wire::KernelCounters>& kernels, Blame blame,
                                Value value) {
  std::optional<Place> place;
  double most = 0;
  for (const wire::KernelCounters& kernel : kernels) {
    for (const wire::LineCounters& line : kernel.lines) {
      const Figures figures(line.counters);
      if (line.line <= 0 || blame(figures) <= most) continue;
      most = blame(figures);
      place = Place{line.file, line.line, value(figures)};
    }
  }
  return place;
}

}  // namespace

std::vector<Measure> measures(const std::vector<wire::KernelCounters>& kernels, double num_items) {
  const wire::Counters sums = total(kernels);
  const Figures all(sums);
  std::vector<Measure> result = {{"launches", all["launches"], std::nullopt}};
  for (const SumDefinition& sum : kSums) {
    const auto value = [&](const Figures& f) { return sum.sum(f) / num_items; };
    result.push_back({sum.name, value(all), worst_line(kernels, sum.sum, value)});
  }
  for (const MostDefinition& most : kMost) {
    const auto no_value = [](const Figures&) { return 0.0; };
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
