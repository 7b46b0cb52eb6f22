// SPDX-License-Identifier: MIT
#include "workload.h"

#include <algorithm>
#include <memory>
#include <string>

#include "data.h"
#include "fixture.h"
#include "measure/milliseconds.h"
#include "protocol/call_encoding.h"
#include "workload_checks.h"

namespace lab_judge {
namespace {

using judge::Arena;
using judge::Slot;
using judge::Workload;

// 3/8 of the items in steps of 5, and 5/8 in steps of 3, cover the same range of values.
constexpr int kStrideA = 5;
constexpr int kStrideB = 3;

class ItemsSlot : public Slot {
 public:
  ItemsSlot(Arena& arena, Function function, std::size_t num_a, std::size_t num_b)
      : function_(function),
        d_a_(arena, "d_a", num_a),
        d_b_(arena, "d_b", num_b),
        d_out_(arena, "d_out", num_a + num_b) {}

  void refresh(std::uint64_t seed) override {
    seed_ = seed;
    if (function_ == Function::kMerge) {
      fill_ascending(d_a_.device_data(), d_a_.size(), seed, kStrideA);
      fill_ascending(d_b_.device_data(), d_b_.size(), ~seed, kStrideB);
    } else {
      fill(d_a_.device_data(), d_a_.size(), seed);
    }
    d_a_.mark_initialized();
    d_b_.mark_initialized();
  }
  void poison_outputs() override { d_out_.poison(); }
  wire::Call call(const std::string& function) const override {
    const int num_items = static_cast<int>(d_out_.size());
    if (function == "copy_bandwidth") {  // in words, of which it takes any
      return {function,
              {judge::to_wire(d_a_), judge::to_wire(2 * num_items), judge::to_wire(d_out_)}};
    }
    wire::Call made = encode(function_, lab::Order::kByValue, d_a_, d_b_, d_out_);
    made.function = function;  // the anchors take the same arguments
    return made;
  }
  std::optional<Failure> check() const override {
    const std::uint64_t salt = judge::random_bits(seed_, 0);
    if (count_descents(d_out_.device_data(), d_out_.size(), run_items()) > 0) {
      return Failure{judge::kind::kWrongResult, "the result is not in order"};
    }
    if (weight_of(d_out_.device_data(), d_out_.size(), salt) ==
        weight_of(d_a_.device_data(), d_a_.size(), salt) +
            weight_of(d_b_.device_data(), d_b_.size(), salt)) {
      return std::nullopt;
    }
    return Failure{judge::kind::kWrongResult, "the result does not have the items of the input"};
  }
  double sequential_ms() const override {
    Items h_in = d_a_.download();
    const Items h_b = d_b_.download();
    Items h_out(d_out_.size());
    const auto by_value = [](const auto& x, const auto& y) { return lab::ByValue()(x, y); };
    return judge::milliseconds([&] {
      if (function_ == Function::kMerge) {
        std::ranges::merge(h_in, h_b, h_out.begin(), by_value);
      } else {
        h_out = sorted(std::move(h_in), lab::Order::kByValue, run_items());
      }
      return h_out.front().numerator;
    });
  }

 private:
  // The length of the runs that must be in order: a tile, or all items.
  std::size_t run_items() const {
    return function_ == Function::kSortTiles ? lab::kTileItems : d_out_.size();
  }

  Function function_;
  std::uint64_t seed_ = 0;
  Buffer<lab::Fraction> d_a_;
  Buffer<lab::Fraction> d_b_;
  Buffer<lab::Fraction> d_out_;
};

Workload make_workload(const char* name, Function function, std::size_t num_items) {
  const bool is_merge = function == Function::kMerge;
  const std::size_t num_a = is_merge ? num_items * 3 / 8 : num_items;
  const std::size_t size_bytes = 2 * sizeof(lab::Fraction) * num_items;  // one read, one write
  return {.function = name,
          .limit = is_merge ? "copy_bandwidth_of_two" : "copy_bandwidth",
          .library = is_merge                      ? "cub_merge"
                     : function == Function::kSort ? "cub_merge_sort"
                                                   : "",
          .num_items = static_cast<double>(num_items),
          .bytes_per_call = static_cast<double>(size_bytes),
          .arena_bytes_per_call = size_bytes + 16384,
          .scratch_bytes = scratch_bytes(num_items),
          .make_slot =
              [=](Arena& arena) {
                return std::make_unique<ItemsSlot>(arena, function, num_a, num_items - num_a);
              },
          .beside_first = is_merge};  // the others do another thing
}

}  // namespace

Workload merging(std::size_t num_items) {
  return make_workload("merge", Function::kMerge, num_items);
}
Workload sorting_tiles(std::size_t num_items) {
  return make_workload("sort_tiles", Function::kSortTiles, num_items);
}
Workload sorting(std::size_t num_items) {
  return make_workload("sort", Function::kSort, num_items);
}

}  // namespace lab_judge
