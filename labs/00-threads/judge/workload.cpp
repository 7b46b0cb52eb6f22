// SPDX-License-Identifier: MIT
// The measured calls: rung 01 compared with the device's own speed of adding, rung 02 with its
// copy.
#include "workload.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>

#include "fixture.h"
#include "fixture/test_data.h"
#include "protocol/call_encoding.h"
#include "workload_checks.h"

namespace lab_judge {
namespace {

using judge::Buffer;
using judge::Failure;

constexpr int kLimit = 1000;  // of the random whole numbers: all results are exact

void refill(Buffer<float>& buffer, std::uint64_t seed) {
  judge::fill_integers_and_sum(buffer.device_data(), buffer.size(), seed, kLimit);
  buffer.mark_initialized();
}

std::optional<Failure> expect_none_wrong(std::size_t num_wrong, std::size_t num_items) {
  if (num_wrong == 0) return std::nullopt;
  return Failure{judge::kind::kWrongResult, std::to_string(num_wrong) + " of " +
                                                std::to_string(num_items) + " items are wrong"};
}

// Milliseconds that `work` takes, once.
template <class Work>
double milliseconds(const Work& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  const auto end = std::chrono::steady_clock::now();
  return std::chrono::duration<double, std::milli>(end - begin).count();
}

// Otherwise the compiler could skip the work, since nothing reads its result.
void keep(const std::vector<float>& h_items) {
  volatile float last = h_items.back();
  static_cast<void>(last);
}

class MatrixAddSlot : public judge::Slot {
 public:
  MatrixAddSlot(judge::Arena& arena, int width, int height)
      : width_(width),
        height_(height),
        d_a_(arena, "d_a", static_cast<std::size_t>(width) * height),
        d_b_(arena, "d_b", d_a_.size()),
        d_sum_(arena, "d_sum", d_a_.size()) {}

  void refresh(std::uint64_t seed) override {
    refill(d_a_, seed);
    refill(d_b_, ~seed);
  }
  void poison_outputs() override { d_sum_.poison(); }
  wire::Call call(const std::string& function) const override {
    if (function != "matrix_add") {  // an anchor: it has no rows
      using Add = void(const float*, const float*, int, float*);
      return judge::encode_call<Add>(function.c_str(), d_a_, d_b_, width_ * height_, d_sum_);
    }
    return judge::encode_call<decltype(lab::matrix_add)>("matrix_add", d_a_, d_b_, width_, height_,
                                                         d_sum_);
  }
  std::optional<Failure> check() const override {
    const std::size_t num_wrong = count_wrong_sums(d_a_.device_data(), d_b_.device_data(),
                                                   d_sum_.device_data(), d_sum_.size());
    return expect_none_wrong(num_wrong, d_sum_.size());
  }
  double sequential_ms() const override {
    std::vector<float> h_sum = d_a_.download();
    const std::vector<float> h_b = d_b_.download();
    const double elapsed_ms =
        milliseconds([&] { std::ranges::transform(h_sum, h_b, h_sum.begin(), std::plus<>()); });
    keep(h_sum);
    return elapsed_ms;
  }

 private:
  int width_;
  int height_;
  Buffer<float> d_a_;
  Buffer<float> d_b_;
  Buffer<float> d_sum_;
};

class ScaleSlot : public judge::Slot {
 public:
  ScaleSlot(judge::Arena& arena, std::size_t num_items)
      : d_in_(arena, "d_in", num_items), d_out_(arena, "d_out", num_items) {}

  void refresh(std::uint64_t seed) override {
    refill(d_in_, seed);
    factor_ = static_cast<float>(seed % 100 + 2);
  }
  void poison_outputs() override { d_out_.poison(); }
  wire::Call call(const std::string& function) const override {
    const int num_items = static_cast<int>(d_in_.size());
    if (function != "scale") {  // an anchor
      using Copy = void(const float*, int, float*);
      return judge::encode_call<Copy>(function.c_str(), d_in_, num_items, d_out_);
    }
    return judge::encode_call<decltype(lab::scale)>("scale", d_in_, num_items,
                                                    static_cast<double>(factor_), num_blocks(),
                                                    kThreadsPerBlock, d_out_, nullptr);
  }
  std::optional<Failure> check() const override {
    const std::size_t num_wrong =
        count_wrong_products(d_in_.device_data(), factor_, d_out_.device_data(), d_out_.size());
    return expect_none_wrong(num_wrong, d_out_.size());
  }
  double sequential_ms() const override {
    std::vector<float> h_items = d_in_.download();
    const double elapsed_ms = milliseconds([&] {
      for (float& item : h_items) item *= factor_;
    });
    keep(h_items);
    return elapsed_ms;
  }

 private:
  static constexpr int kThreadsPerBlock = 256;
  static constexpr std::size_t kItemsPerThread = 16;
  static constexpr std::size_t kMostBlocks = 4096;  // more than any device runs at a time

  int num_blocks() const {
    const std::size_t blocks = d_in_.size() / (kThreadsPerBlock * kItemsPerThread);
    return static_cast<int>(std::clamp(blocks, std::size_t{1}, kMostBlocks));
  }

  Buffer<float> d_in_;
  Buffer<float> d_out_;
  float factor_ = 0;
};

}  // namespace

judge::Workload matrix_add_workload(std::size_t num_items) {
  const auto side = static_cast<std::size_t>(std::sqrt(static_cast<double>(num_items)));
  const auto width = static_cast<int>(std::max(std::bit_floor(side), std::size_t{16}));
  const auto height = static_cast<int>(std::max(num_items / width, std::size_t{1}));
  const std::size_t size_bytes = sizeof(float) * width * height;
  return {.function = "matrix_add",
          .limit = "add_bandwidth",
          .library = "",
          .num_items = static_cast<double>(width) * height,
          .bytes_per_call = 3.0 * static_cast<double>(size_bytes),
          .arena_bytes_per_call = 3 * (size_bytes + 1024),
          .scratch_bytes = 0,
          .make_slot =
              [=](judge::Arena& arena) {
                return std::make_unique<MatrixAddSlot>(arena, width, height);
              },
          .beside_first = false};  // another function
}

judge::Workload scale_workload(std::size_t num_items) {
  const std::size_t size_bytes = sizeof(float) * num_items;
  return {.function = "scale",
          .limit = "copy_bandwidth",
          .library = "",
          .num_items = static_cast<double>(num_items),
          .bytes_per_call = 2.0 * static_cast<double>(size_bytes),
          .arena_bytes_per_call = 2 * (size_bytes + 1024),
          .scratch_bytes = 0,
          .make_slot =
              [=](judge::Arena& arena) { return std::make_unique<ScaleSlot>(arena, num_items); },
          .beside_first = false};  // another function
}

}  // namespace lab_judge
