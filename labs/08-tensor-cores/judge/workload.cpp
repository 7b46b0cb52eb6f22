// SPDX-License-Identifier: MIT
#include "workload.h"

#include <algorithm>
#include <cmath>

#include "data.h"
#include "fixture/matrix.h"
#include "fixture/options.h"
#include "fixture/test_data.h"
#include "protocol/call_encoding.h"
#include "reference.h"
#include "tensor_cores.cuh"
#include "workload_check.h"

namespace lab_judge {
namespace {

using judge::Buffer;

constexpr std::size_t kCountedDepth = 256;
constexpr std::size_t kUsualScratchBytes = std::size_t{64} << 10;

template <class T>
std::vector<float> downloaded(const Buffer<T>& buffer) {
  const std::vector<T> h_numbers = buffer.download();
  std::vector<float> h_values;
  h_values.reserve(h_numbers.size());
  for (const T number : h_numbers) h_values.push_back(static_cast<float>(number));
  return h_values;
}

// Numbers of type T. All are whole, and every sum of products is exact (data.h).
template <class T>
class ProductSlot : public judge::Slot {
 public:
  ProductSlot(judge::Arena& arena, Format format, std::size_t edge, std::size_t depth)
      : format_(format),
        edge_(edge),
        depth_(depth),
        d_a_(arena, "d_a", edge * depth),
        d_b_(arena, "d_b", depth * edge),
        d_c_(arena, "d_c", edge * edge) {
    if (format != Format::kE4m3) return;
    d_a_scales_ = Buffer<float>(arena, "d_a_scales", edge);
    d_b_scales_ = Buffer<float>(arena, "d_b_scales", edge);
  }

  void refresh(std::uint64_t seed) override {
    const auto [a_limit, b_limit] = limits();
    fill_integers(d_a_.device_data(), d_a_.size(), judge::random_bits(seed, 0), a_limit);
    fill_integers(d_b_.device_data(), d_b_.size(), judge::random_bits(seed, 1), b_limit);
    d_a_.mark_initialized();
    d_b_.mark_initialized();
    u_seed_ = judge::random_bits(seed, 2);
    x_seed_ = judge::random_bits(seed, 3);
    if (format_ != Format::kE4m3) return;
    // Powers of two: 1, or 2 for some rows and columns.
    d_a_scales_.upload(random_scales(judge::random_bits(seed, 4)));
    d_b_scales_.upload(random_scales(judge::random_bits(seed, 5)));
  }
  void poison_outputs() override { d_c_.poison(); }

  wire::Call call(const std::string& function) const override {
    const int edge = static_cast<int>(edge_);
    const int depth = static_cast<int>(depth_);
    if constexpr (std::is_same_v<T, __nv_bfloat16>) {
      return judge::encode_call<decltype(lab::matmul_bf16)>(function.c_str(), d_a_, d_b_, edge,
                                                            edge, depth, d_c_);
    } else if constexpr (std::is_same_v<T, float>) {
      return judge::encode_call<decltype(lab::matmul_split)>(function.c_str(), d_a_, d_b_, edge,
                                                             edge, depth, d_c_);
    } else {
      return judge::encode_call<decltype(lab::matmul_e4m3)>(
          function.c_str(), d_a_, d_a_scales_, d_b_, d_b_scales_, edge, edge, depth, d_c_);
    }
  }

  std::optional<judge::Failure> check() const override {
    const bool is_scaled = format_ == Format::kE4m3;
    const Product<T> product{d_a_.device_data(),
                             d_b_.device_data(),
                             is_scaled ? d_a_scales_.device_data() : nullptr,
                             is_scaled ? d_b_scales_.device_data() : nullptr,
                             d_c_.device_data(),
                             edge_,
                             depth_,
                             is_scaled};
    if (is_product(product, u_seed_, x_seed_)) return std::nullopt;
    return first_wrong_element();
  }

  double sequential_ms() const override {
    return judge::sequential_product_ms(downloaded(d_a_), downloaded(d_b_), edge_, depth_);
  }

 private:
  std::pair<int, int> limits() const {
    const auto depth = static_cast<double>(depth_);
    switch (format_) {
      case Format::kBf16:
        return {127, std::max(1, static_cast<int>((0x1p24 - 1) / 127 / depth))};
      case Format::kSplit: {  // A has low parts
        constexpr int kLarge = 2047;
        return {kLarge, std::max(1, static_cast<int>((0x1p24 - 1) / kLarge / depth))};
      }
      case Format::kE4m3:
        break;
    }
    const int limit = std::clamp(static_cast<int>(std::sqrt(0x1p13 / depth)), 1, 15);
    return {limit, limit};
  }

  std::vector<float> random_scales(std::uint64_t seed) const {
    std::vector<float> h_scales = judge::random_integers(seed, edge_, 1);
    for (float& scale : h_scales) scale = scale < 1 ? 1.0F : 2.0F;
    return h_scales;
  }

  // Slow, but only for the message: the host multiplies row by row until one is wrong.
  judge::Failure first_wrong_element() const {
    const int edge = static_cast<int>(edge_);
    const int depth = static_cast<int>(depth_);
    const bool is_scaled = format_ == Format::kE4m3;
    const std::vector<float> h_a = downloaded(d_a_);
    const std::vector<float> h_b = downloaded(d_b_);
    const std::vector<float> h_c = d_c_.download();
    Factors factors{
        format_, {1, edge, depth}, {}, is_scaled ? transposed(h_b, edge, depth) : h_b, {}, {}};
    std::vector<float> h_a_scales(edge_, 1.0F);
    if (is_scaled) {
      h_a_scales = d_a_scales_.download();
      factors.h_b_scales = d_b_scales_.download();
    }
    for (std::size_t row = 0; row < edge_; ++row) {
      const auto a_begin = h_a.begin() + static_cast<std::ptrdiff_t>(row * depth_);
      factors.h_a.assign(a_begin, a_begin + depth);
      factors.h_a_scales = {h_a_scales[row]};
      const auto c_begin = h_c.begin() + static_cast<std::ptrdiff_t>(row * edge_);
      const std::vector<float> h_row(c_begin, c_begin + edge);
      if (auto failure = compare(factors, exact_product(factors), h_row)) {
        failure->message = "row " + std::to_string(row) + " of " + text({edge, edge, depth}) +
                           ", by itself: " + failure->message;
        failure->pattern.clear();  // it would be a guess from one row
        return *failure;
      }
    }
    return {judge::kind::kWrongResult,
            text({edge, edge, depth}) + ": the product changed while it was checked"};
  }

  Format format_;
  std::size_t edge_, depth_;  // C is (edge, edge)
  Buffer<T> d_a_;
  Buffer<T> d_b_;
  Buffer<float> d_c_;
  Buffer<float> d_a_scales_;  // of kE4m3 alone
  Buffer<float> d_b_scales_;
  std::uint64_t u_seed_ = 0;
  std::uint64_t x_seed_ = 0;
};

std::size_t edge_of(std::size_t num_items) {
  return static_cast<std::size_t>(std::sqrt(static_cast<double>(num_items))) / kMultiple *
         kMultiple;
}

template <class T>
judge::Workload product(Format format, std::size_t edge, std::size_t depth) {
  const std::size_t factor_bytes = sizeof(T) * edge * 2 * depth;
  const std::size_t bytes = factor_bytes + sizeof(float) * edge * edge;
  const bool is_split = format == Format::kSplit;
  const bool is_scaled = format == Format::kE4m3;
  return {.function = is_split    ? "matmul_split"
                      : is_scaled ? "matmul_e4m3"
                                  : "matmul_bf16",
          .limit = is_scaled ? "mma_peak_with_scales" : "mma_peak",
          .library = is_split    ? "cublas_sgemm"
                     : is_scaled ? ""
                                 : "cublas_bf16",
          .num_items = static_cast<double>(edge * edge),
          .bytes_per_call = static_cast<double>(bytes),
          .flops_per_call = 2.0 * static_cast<double>(edge * edge) * static_cast<double>(depth),
          .arena_bytes_per_call = bytes + 2 * sizeof(float) * edge + 16384,
          .scratch_bytes = kUsualScratchBytes + (is_split ? factor_bytes / sizeof(float) * 6 : 0),
          .make_slot =
              [=](judge::Arena& arena) {
                return std::make_unique<ProductSlot<T>>(arena, format, edge, depth);
              },
          .beside_first = format == Format::kBf16};
}

template <class T>
judge::Workload square(Format format, std::size_t num_items) {
  return product<T>(format, edge_of(num_items), edge_of(num_items));
}
template <class T>
judge::Workload counted(Format format, std::size_t num_items) {
  return product<T>(format, edge_of(num_items), std::min(edge_of(num_items), kCountedDepth));
}

}  // namespace

judge::Workload bf16_product(std::size_t num_items) {
  return square<__nv_bfloat16>(Format::kBf16, num_items);
}
judge::Workload wgmma_product(std::size_t num_items) {
  judge::Workload workload = bf16_product(num_items);
  workload.limit = "wgmma_peak";
  return workload;
}
judge::Workload split_product(std::size_t num_items) {
  return square<float>(Format::kSplit, num_items);
}
judge::Workload e4m3_product(std::size_t num_items) {
  return square<__nv_fp8_e4m3>(Format::kE4m3, num_items);
}
judge::Workload counted_bf16_product(std::size_t num_items) {
  return counted<__nv_bfloat16>(Format::kBf16, num_items);
}
judge::Workload counted_wgmma_product(std::size_t num_items) {
  judge::Workload workload = counted_bf16_product(num_items);
  workload.limit = "wgmma_peak";
  return workload;
}
judge::Workload counted_split_product(std::size_t num_items) {
  return counted<float>(Format::kSplit, num_items);
}
judge::Workload counted_e4m3_product(std::size_t num_items) {
  return counted<__nv_fp8_e4m3>(Format::kE4m3, num_items);
}

}  // namespace lab_judge
