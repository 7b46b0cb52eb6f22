// SPDX-License-Identifier: MIT
#include "workload.h"

#include <algorithm>
#include <cmath>

#include "fixture/matrix.h"
#include "fixture/options.h"
#include "fixture/test_data.h"
#include "matmul.cuh"
#include "protocol/call_encoding.h"
#include "reference.h"
#include "workload_check.h"

namespace lab_judge {
namespace {

using judge::Buffer;

constexpr std::size_t kFlatDepth = 32;  // four tiles

class ProductSlot : public judge::Slot {
 public:
  ProductSlot(judge::Arena& arena, std::size_t edge, std::size_t depth)
      : edge_(edge),
        depth_(depth),
        d_a_(arena, "d_a", edge * depth),
        d_b_(arena, "d_b", depth * edge),
        d_c_(arena, "d_c", edge * edge) {}

  // Integers whose sums of products are exact in float: |a| < 2^12, and as much as that leaves to
  // b.
  void refresh(std::uint64_t seed) override {
    const double room = (0x1p24 - 1) / kLargeLimit / static_cast<double>(depth_);
    const int small_limit = std::max(1, static_cast<int>(room));
    judge::fill_integers_and_sum(d_a_.device_data(), d_a_.size(), judge::random_bits(seed, 0),
                                 kLargeLimit);
    judge::fill_integers_and_sum(d_b_.device_data(), d_b_.size(), judge::random_bits(seed, 1),
                                 small_limit);
    d_a_.mark_initialized();
    d_b_.mark_initialized();
    u_seed_ = judge::random_bits(seed, 2);
    x_seed_ = judge::random_bits(seed, 3);
  }
  void poison_outputs() override { d_c_.poison(); }

  wire::Call call(const std::string& function) const override {
    const int edge = static_cast<int>(edge_);
    return judge::encode_call<decltype(lab::matmul)>(function.c_str(), d_a_, d_b_, edge, edge,
                                                     static_cast<int>(depth_), d_c_);
  }

  std::optional<judge::Failure> check() const override {
    const bool is_right = is_product(d_a_.device_data(), d_b_.device_data(), d_c_.device_data(),
                                     edge_, depth_, u_seed_, x_seed_);
    if (is_right) return std::nullopt;
    return first_wrong_element();
  }

  double sequential_ms() const override {
    return judge::sequential_product_ms(d_a_.download(), d_b_.download(), edge_, depth_);
  }

 private:
  // Slow, but only for the message: the host multiplies row by row until one is wrong.
  judge::Failure first_wrong_element() const {
    const int edge = static_cast<int>(edge_);
    const int depth = static_cast<int>(depth_);
    const std::vector<float> h_a = d_a_.download();
    const std::vector<float> h_c = d_c_.download();
    Factors row_factors{{1, edge, depth}, {}, d_b_.download()};
    for (std::size_t row = 0; row < edge_; ++row) {
      const auto a_begin = h_a.begin() + static_cast<std::ptrdiff_t>(row * depth_);
      row_factors.h_a.assign(a_begin, a_begin + depth);
      const auto c_begin = h_c.begin() + static_cast<std::ptrdiff_t>(row * edge_);
      const std::vector<float> h_row(c_begin, c_begin + edge);
      if (auto failure = compare(row_factors, exact_product(row_factors), h_row)) {
        failure->message = "row " + std::to_string(row) + " of " + text({edge, edge, depth}) +
                           ", by itself: " + failure->message;
        failure->pattern.clear();  // it would be a guess from one row
        return *failure;
      }
    }
    return {judge::kind::kWrongResult,
            text({edge, edge, depth}) + ": the product changed while it was checked"};
  }

  std::size_t edge_, depth_;  // C is (edge, edge)
  Buffer<float> d_a_;
  Buffer<float> d_b_;
  Buffer<float> d_c_;
  std::uint64_t u_seed_ = 0;
  std::uint64_t x_seed_ = 0;
};

std::size_t edge_of(std::size_t num_items) {
  return static_cast<std::size_t>(std::sqrt(static_cast<double>(num_items)));
}

judge::Workload product(std::size_t edge, std::size_t depth) {
  const std::size_t bytes = sizeof(float) * edge * (2 * depth + edge);
  return {.function = "matmul",
          .limit = "ffma_peak",
          .library = "cublas_sgemm",
          .num_items = static_cast<double>(edge * edge),
          .bytes_per_call = static_cast<double>(bytes),
          .flops_per_call = 2.0 * static_cast<double>(edge * edge) * static_cast<double>(depth),
          .arena_bytes_per_call = bytes + 8192,
          .scratch_bytes = std::size_t{64} << 10,
          .make_slot = [=](judge::Arena& arena) {
            return std::make_unique<ProductSlot>(arena, edge, depth);
          }};
}

}  // namespace

judge::Workload square_product(std::size_t num_items) {
  const std::size_t edge = edge_of(num_items);
  return product(edge, edge);
}

judge::Workload flat_product(std::size_t num_items) {
  const std::size_t edge = edge_of(num_items);
  return product(edge, std::min(edge, kFlatDepth));
}

}  // namespace lab_judge
