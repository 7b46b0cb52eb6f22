// SPDX-License-Identifier: MIT
#include "workload.h"

#include <bit>
#include <chrono>

#include "data.h"
#include "protocol/arena.h"
#include "protocol/call_encoding.h"
#include "summed_area_table.cuh"
#include "workload_tables.h"

namespace lab_judge {
namespace {

using judge::Buffer;
using judge::Failure;

constexpr int kWindowWidth = 31;
constexpr int kWindowHeight = 17;
constexpr int kFocus = 125;
constexpr int kMaxRadius = 28;

Shape nearly_square(std::size_t num_items) {
  const int log2_width = (std::bit_width(num_items) - 1 + 1) / 2;
  const int width = 1 << log2_width;
  return {width, static_cast<int>(num_items >> log2_width)};
}

std::size_t scratch_bytes(Shape shape) {
  return 4 * shape.num_pixels() + 16 * (std::size_t{0} + shape.width + shape.height) +
         (std::size_t{64} << 10);
}

// Runs `work` once and returns the milliseconds it took.
template <class Work>
double time_ms(const Work& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  const std::chrono::duration<double, std::milli> elapsed =
      std::chrono::steady_clock::now() - begin;
  return elapsed.count();
}

// A picture of whole numbers in, a picture of `Result` out.
template <class Result>
class PictureSlot : public judge::Slot {
 public:
  PictureSlot(judge::Arena& arena, Shape shape)
      : shape_(shape),
        d_in_(arena, "d_in", shape.num_pixels()),
        d_out_(arena, "d_out", shape.num_pixels()) {}

  void poison_outputs() override { d_out_.poison(); }
  wire::Call call(const std::string& function) const override {
    if (function == "copy_bandwidth") {
      return {function,
              {judge::to_wire(d_in_), judge::to_wire(static_cast<int>(d_in_.size())),
               judge::to_wire(d_out_)}};
    }
    return own_call();
  }
  std::optional<Failure> check() const override {
    const std::uint64_t wrong = count_wrong_pixels();
    if (wrong == 0) return std::nullopt;
    return Failure{judge::kind::kWrongResult, std::to_string(wrong) + " pixels of a picture of " +
                                                  to_text(shape_) + " are wrong"};
  }

 protected:
  virtual wire::Call own_call() const = 0;
  virtual std::uint64_t count_wrong_pixels() const = 0;

  Shape shape_;
  Buffer<int> d_in_;
  Buffer<Result> d_out_;
};

class TableSlot : public PictureSlot<int> {
 public:
  using PictureSlot::PictureSlot;

  void refresh(std::uint64_t seed) override {
    fill_picture(d_in_.device_data(), shape_, seed);
    d_in_.mark_initialized();
  }
  double sequential_ms() const override {
    std::vector<int> h_table = d_in_.download();
    return time_ms([&] {
      const std::size_t width = shape_.width;
      for (std::size_t y = 0; y < static_cast<std::size_t>(shape_.height); ++y) {
        int row = 0;
        for (std::size_t x = 0; x < width; ++x) {
          row += h_table[y * width + x];
          h_table[y * width + x] = row + (y > 0 ? h_table[(y - 1) * width + x] : 0);
        }
      }
    });
  }

 private:
  wire::Call own_call() const override {
    return judge::encode_call<decltype(lab::summed_area_table)>(
        "summed_area_table", d_in_, shape_.width, shape_.height, d_out_);
  }
  std::uint64_t count_wrong_pixels() const override {
    return count_wrong(d_in_.device_data(), d_out_.device_data(), shape_);
  }
};

class BoxFilterSlot : public PictureSlot<float> {
 public:
  using PictureSlot::PictureSlot;

  void refresh(std::uint64_t seed) override {
    fill_table(d_in_.device_data(), shape_, seed);
    d_in_.mark_initialized();
  }
  double sequential_ms() const override {
    const std::vector<int> h_table = d_in_.download();
    std::vector<float> h_means(h_table.size());
    return time_ms([&] {
      const auto entry = [&](int x, int y) {
        return x < 0 || y < 0 ? 0 : h_table[static_cast<std::size_t>(y) * shape_.width + x];
      };
      for (int y = 0; y < shape_.height; ++y) {
        const int y0 = std::max(y - (kWindowHeight - 1) / 2, 0) - 1;
        const int y1 = std::min(y + kWindowHeight / 2, shape_.height - 1);
        for (int x = 0; x < shape_.width; ++x) {
          const int x0 = std::max(x - (kWindowWidth - 1) / 2, 0) - 1;
          const int x1 = std::min(x + kWindowWidth / 2, shape_.width - 1);
          const int sum = entry(x1, y1) - entry(x0, y1) - entry(x1, y0) + entry(x0, y0);
          h_means[static_cast<std::size_t>(y) * shape_.width + x] =
              static_cast<float>(sum) / static_cast<float>((x1 - x0) * (y1 - y0));
        }
      }
    });
  }

 private:
  wire::Call own_call() const override {
    return judge::encode_call<decltype(lab::box_filter)>(
        "box_filter", d_in_, shape_.width, shape_.height, kWindowWidth, kWindowHeight, d_out_);
  }
  std::uint64_t count_wrong_pixels() const override {
    return count_wrong_means(d_in_.device_data(), d_out_.device_data(), shape_, kWindowWidth,
                             kWindowHeight);
  }
};

class DepthOfFieldSlot : public judge::Slot {
 public:
  DepthOfFieldSlot(judge::Arena& arena, Shape shape)
      : scene_{shape, {}, {}},
        d_tables_(arena, "d_tables", kNumColours * shape.num_pixels()),
        d_nearness_(arena, "d_nearness", shape.num_pixels()),
        d_out_(arena, "d_out", kNumColours * shape.num_pixels()) {}

  void refresh(std::uint64_t seed) override {
    scene_ = random_scene(scene_.shape, seed);
    d_tables_.upload(colour_tables(scene_));
    d_nearness_.upload(scene_.nearness);
  }
  void poison_outputs() override { d_out_.poison(); }
  wire::Call call(const std::string& function) const override {
    return judge::encode_call<decltype(lab::depth_of_field)>(
        function.c_str(), d_tables_, d_nearness_, scene_.shape.width, scene_.shape.height, kFocus,
        kMaxRadius, d_out_);
  }
  std::optional<Failure> check() const override {
    if (d_out_.download() == blurred(scene_, kFocus, kMaxRadius)) return std::nullopt;
    return Failure{judge::kind::kWrongResult,
                   "pixels of a picture of " + to_text(scene_.shape) + " are wrong"};
  }
  double sequential_ms() const override {
    return time_ms([&] { blurred(scene_, kFocus, kMaxRadius); });
  }

 private:
  Scene scene_;
  Buffer<int> d_tables_;
  Buffer<unsigned char> d_nearness_;
  Buffer<unsigned char> d_out_;
};

template <class SlotType>
judge::Workload picture_workload(const char* function, std::size_t num_items) {
  const Shape shape = nearly_square(num_items);
  const std::size_t size_bytes = 8 * shape.num_pixels();  // 4 in, 4 out
  return {
      .function = function,
      .limit = "copy_bandwidth",
      .library = "",
      .num_items = static_cast<double>(shape.num_pixels()),
      .bytes_per_call = static_cast<double>(size_bytes),
      .arena_bytes_per_call = size_bytes + 4096,
      .scratch_bytes = scratch_bytes(shape),
      .make_slot = [=](judge::Arena& arena) { return std::make_unique<SlotType>(arena, shape); }};
}

}  // namespace

judge::Workload table_workload(std::size_t num_items) {
  return picture_workload<TableSlot>("summed_area_table", num_items);
}

judge::Workload box_filter_workload(std::size_t num_items) {
  judge::Workload workload = picture_workload<BoxFilterSlot>("box_filter", num_items);
  workload.beside_first = false;  // another function
  return workload;
}

judge::Workload depth_of_field_workload(std::size_t num_items) {
  judge::Workload workload = picture_workload<DepthOfFieldSlot>("depth_of_field", num_items);
  const std::size_t size_bytes = 16 * nearly_square(num_items).num_pixels();  // 13 in, 3 out
  workload.limit = "";
  workload.bytes_per_call = static_cast<double>(size_bytes);
  workload.arena_bytes_per_call = size_bytes + 4096;
  workload.beside_first = false;  // another function
  return workload;
}

}  // namespace lab_judge
