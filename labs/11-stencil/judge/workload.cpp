// SPDX-License-Identifier: MIT
#include "workload.h"

#include <bit>
#include <chrono>
#include <memory>
#include <string>

#include "data.h"
#include "fixture.h"
#include "protocol/call_encoding.h"
#include "workload_checks.h"

namespace lab_judge {
namespace {

using judge::Arena;
using judge::Slot;
using judge::Workload;

// The last extent takes what the powers of two before it leave.
Shape shape_of(Function function, std::size_t num_items) {
  if (num_dimensions(function) == 1) return {static_cast<int>(num_items)};
  const int bits = std::bit_width(num_items) - 1;
  const bool is_picture = num_dimensions(function) == 2;
  const int width_bits = is_picture ? (bits + 1) / 2 : (bits + 2) / 3;
  const int height_bits = is_picture ? 0 : (bits + 1 - width_bits) / 2;
  const int rest = static_cast<int>(num_items >> (width_bits + height_bits));
  return is_picture ? Shape{1 << width_bits, rest} : Shape{1 << width_bits, 1 << height_bits, rest};
}

class PointsSlot : public Slot {
 public:
  PointsSlot(Arena& arena, Function function, const Shape& shape)
      : function_(function),
        shape_(shape),
        weights_(random_weights(function, 0)),
        d_in_(arena, "d_in", shape.num_points()),
        d_out_(arena, "d_out", shape.num_points()) {
    if (!are_arrays(function)) return;
    for (const std::vector<float>& h_weights : weights_) {
      d_weights_.emplace_back(arena, "d_weights", h_weights.size());
    }
  }

  void refresh(std::uint64_t seed) override {
    judge::fill_integers_and_sum(d_in_.device_data(), d_in_.size(), seed, largest_input(function_));
    d_in_.mark_initialized();
    weights_ = random_weights(function_, ~seed);
    for (std::size_t i = 0; i < d_weights_.size(); ++i) d_weights_[i].upload(weights_[i]);
  }
  void poison_outputs() override { d_out_.poison(); }
  wire::Call call(const std::string& function) const override {
    if (function == "copy_bandwidth") {  // in words, of which it takes any
      return {function,
              {judge::to_wire(d_in_), judge::to_wire(static_cast<int>(d_in_.size())),
               judge::to_wire(d_out_)}};
    }
    return encode(function_, shape_, d_in_, d_weights_, weights_, d_out_);
  }
  std::optional<Failure> check() const override {
    const std::uint64_t wrong =
        count_wrong(shape_, terms_of(function_, weights_), num_steps(function_),
                    d_in_.device_data(), d_out_.device_data());
    if (wrong == 0) return std::nullopt;
    return Failure{judge::kind::kWrongResult,
                   std::to_string(wrong) + " of " + to_text(shape_) + " points are wrong"};
  }
  double sequential_ms() const override {
    std::vector<float> h_values = d_in_.download();
    const std::vector<Term> terms = terms_of(function_, weights_);
    const auto begin = std::chrono::steady_clock::now();
    for (int step = 0; step < num_steps(function_); ++step) {
      h_values = filtered(shape_, h_values, terms);
    }
    const std::chrono::duration<double, std::milli> elapsed =
        std::chrono::steady_clock::now() - begin;
    volatile float used = h_values.front();
    static_cast<void>(used);
    return elapsed.count();
  }

 private:
  Function function_;
  Shape shape_;
  Weights weights_;
  Buffer<float> d_in_;
  Buffer<float> d_out_;
  std::vector<Buffer<float>> d_weights_;
};

Workload make_workload(const char* name, Function function, std::size_t num_items) {
  const Shape shape = shape_of(function, num_items);
  const std::size_t size_bytes = 2 * sizeof(float) * shape.num_points();  // one read, one write
  return {.function = name,
          .limit = "copy_bandwidth",
          .library = "",
          .num_items = static_cast<double>(shape.num_points()),
          .bytes_per_call = static_cast<double>(size_bytes),
          .arena_bytes_per_call = size_bytes + 16384,
          .scratch_bytes = scratch_bytes(shape),
          .make_slot =
              [=](Arena& arena) { return std::make_unique<PointsSlot>(arena, function, shape); },
          .beside_first = function == Function::kLine};  // others do another thing
}

}  // namespace

Workload line(std::size_t num_items) {
  return make_workload("filter_line", Function::kLine, num_items);
}
Workload picture(std::size_t num_items) {
  return make_workload("filter_picture", Function::kPicture, num_items);
}
Workload separable(std::size_t num_items) {
  return make_workload("filter_separable", Function::kSeparable, num_items);
}
Workload volume(std::size_t num_items) {
  return make_workload("seven_point", Function::kVolume, num_items);
}
Workload volume_twice(std::size_t num_items) {
  return make_workload("seven_point_twice", Function::kVolumeTwice, num_items);
}

}  // namespace lab_judge
