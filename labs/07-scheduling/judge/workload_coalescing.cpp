// SPDX-License-Identifier: MIT
#include "fixture/options.h"
#include "workload.h"
#include "workload_checks.h"

namespace lab_judge {
namespace {

using judge::Buffer;

constexpr int kLimit = 1 << 20;  // of the random whole numbers

class PointsSlot : public judge::Slot {
 public:
  PointsSlot(judge::Arena& arena, std::size_t num_points)
      : d_points_(arena, "d_points", 3 * num_points),
        d_x_(arena, "d_x", num_points),
        d_y_(arena, "d_y", num_points),
        d_z_(arena, "d_z", num_points),
        d_copy_(arena, "d_copy", judge::kOnGpu ? 3 * num_points : 0) {}

  void refresh(std::uint64_t seed) override {
    judge::fill_integers_and_sum(d_points_.device_data(), d_points_.size(), seed, kLimit);
    d_points_.mark_initialized();
  }
  void poison_outputs() override {
    for (Buffer<float>* buffer : {&d_x_, &d_y_, &d_z_}) buffer->poison();
  }
  wire::Call call(const std::string& function) const override {
    if (function != "split_points") {
      return encode_copy(function, d_points_, d_points_.size(), d_copy_);
    }
    return judge::encode_call<decltype(lab::split_points)>(
        "split_points", d_points_, static_cast<int>(d_x_.size()), d_x_, d_y_, d_z_);
  }
  std::optional<judge::Failure> check() const override {
    const std::size_t num_points = d_x_.size();
    const std::size_t num_wrong =
        count_wrong_points(d_points_.device_data(), d_x_.device_data(), d_y_.device_data(),
                           d_z_.device_data(), num_points);
    return expect_none_wrong(num_wrong, num_points, "points");
  }
  double sequential_ms() const override {
    const std::vector<float> h_points = d_points_.download();
    const std::size_t num_points = d_x_.size();
    std::vector<float> h_split(h_points.size());  // all x, all y, all z
    return milliseconds([&] {
      for (std::size_t i = 0; i < num_points; ++i) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
          h_split[axis * num_points + i] = h_points[3 * i + axis];
        }
      }
      return h_split.back();
    });
  }

 private:
  Buffer<float> d_points_;
  Buffer<float> d_x_;
  Buffer<float> d_y_;
  Buffer<float> d_z_;
  Buffer<float> d_copy_;  // of the anchor: one piece, as large as the other three
};

}  // namespace

judge::Workload points_workload(std::size_t num_points) {
  const std::size_t points_bytes = 3 * num_points * sizeof(float);
  return {.function = "split_points",
          .limit = "copy_bandwidth",
          .library = "",
          .num_items = static_cast<double>(num_points),
          .bytes_per_call = 2.0 * static_cast<double>(points_bytes),
          .arena_bytes_per_call = 3 * points_bytes + 16384,
          .scratch_bytes = 0,
          .make_slot =
              [=](judge::Arena& arena) { return std::make_unique<PointsSlot>(arena, num_points); },
          .beside_first = false};  // another function
}

}  // namespace lab_judge
