// SPDX-License-Identifier: MIT
#include "workload.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>

#include "anchors/anchors.cuh"
#include "attention.cuh"
#include "data.h"
#include "fixture/test_data.h"
#include "protocol/call_encoding.h"
#include "workload_checks.h"

namespace lab_judge {
namespace {

using judge::Buffer;

constexpr int kHeads = 8;
constexpr int kHeadsOfBf16 = 64;
constexpr int kFewQueries = 4;
constexpr int kKeysPerLength = 32;           // with few queries
constexpr double kSequentialTerms = 0x1p27;  // as many as one host thread adds in a moment

template <class T>
class AttentionSlot : public judge::Slot {
 public:
  AttentionSlot(judge::Arena& arena, Kind kind, const Shape& shape)
      : kind_(kind),
        shape_(shape),
        d_q_(arena, "d_q", shape.num_rows() * lab::kHeadSize),
        d_k_(arena, "d_k", std::size_t{1} * shape.num_heads * shape.num_keys * lab::kHeadSize),
        d_v_(arena, "d_v", d_k_.size()),
        d_out_(arena, "d_out", d_q_.size()) {}

  void refresh(std::uint64_t seed) override {
    fill(measured(), judge::random_bits(seed, 0));
    d_q_.mark_initialized();
    d_k_.mark_initialized();
    d_v_.mark_initialized();
    check_seed_ = judge::random_bits(seed, 1);
  }
  void poison_outputs() override { d_out_.poison(); }

  wire::Call call(const std::string& function) const override {
    const auto [num_heads, num_queries, num_keys] = shape_;
    const char* const name = function.c_str();
    if (function.ends_with("_peak")) {  // both products, as one
      const int num_rows = static_cast<int>(shape_.num_rows());
      const int depth = (kind_ == Kind::kCausal ? 1 : 2) * lab::kHeadSize;
      return judge::encode_call<decltype(lab::ffma_peak)>(name, nullptr, nullptr, num_rows,
                                                          num_keys, depth, nullptr);
    }
    if constexpr (std::is_same_v<T, __nv_bfloat16>) {
      return judge::encode_call<decltype(lab::attention_bf16)>(name, d_q_, d_k_, d_v_, num_heads,
                                                               num_queries, num_keys, d_out_);
    } else if (function == "read_bandwidth_of_two") {
      return judge::encode_call<decltype(lab::read_bandwidth_of_two)>(
          name, d_k_, d_v_, static_cast<int>(d_k_.size()), d_out_);
    } else if (kind_ == Kind::kCausal) {
      return judge::encode_call<decltype(lab::causal_attention)>(name, d_q_, d_k_, d_v_, num_heads,
                                                                 num_keys, d_out_);
    } else {
      return judge::encode_call<decltype(lab::attention)>(name, d_q_, d_k_, d_v_, num_heads,
                                                          num_queries, num_keys, d_out_);
    }
  }

  std::optional<judge::Failure> check() const override {
    if (are_outputs_right(measured(), check_seed_)) return std::nullopt;
    return judge::Failure{judge::kind::kWrongResult,
                          text(shape_) + ": the outputs are not those of the inputs"};
  }

  // The first rows of head 0, scaled up: all may take minutes. With half of the keys, if causal.
  double sequential_ms() const override {
    const std::vector<T> h_q = d_q_.download();
    const std::vector<T> h_k = d_k_.download();
    const std::vector<T> h_v = d_v_.download();
    const std::vector<float> q(h_q.begin(), h_q.end());
    const std::vector<float> k(h_k.begin(), h_k.end());
    const std::vector<float> v(h_v.begin(), h_v.end());
    const int num_keys = kind_ == Kind::kCausal ? (shape_.num_keys + 1) / 2 : shape_.num_keys;
    const double row_terms = 2.0 * lab::kHeadSize * num_keys;
    const int num_rows =
        std::clamp(static_cast<int>(kSequentialTerms / row_terms), 1, shape_.num_queries);

    std::vector<float> weights(num_keys);
    std::vector<float> outputs(std::size_t{1} * num_rows * lab::kHeadSize);
    const auto begin = std::chrono::steady_clock::now();
    for (int row = 0; row < num_rows; ++row) {
      const float* const query = &q[std::size_t{1} * row * lab::kHeadSize];
      float* const output = &outputs[std::size_t{1} * row * lab::kHeadSize];
      for (int key = 0; key < num_keys; ++key) {
        float score = 0;
        for (int e = 0; e < lab::kHeadSize; ++e) score += query[e] * k[key * lab::kHeadSize + e];
        weights[key] = score / std::sqrt(float{lab::kHeadSize});
      }
      const float largest = *std::ranges::max_element(weights);
      float sum = 0;
      for (float& weight : weights) sum += weight = std::exp(weight - largest);
      for (int key = 0; key < num_keys; ++key) {
        const float weight = weights[key] / sum;
        for (int e = 0; e < lab::kHeadSize; ++e) output[e] += weight * v[key * lab::kHeadSize + e];
      }
    }
    const std::chrono::duration<double, std::milli> elapsed =
        std::chrono::steady_clock::now() - begin;
    volatile float used = outputs.back();
    static_cast<void>(used);
    return elapsed.count() * static_cast<double>(shape_.num_rows()) / num_rows;
  }

 private:
  Measured<T> measured() const {
    return {
        d_q_.device_data(),    d_k_.device_data(), d_v_.device_data(), d_out_.device_data(), shape_,
        kind_ == Kind::kCausal};
  }

  Kind kind_;
  Shape shape_;
  Buffer<T> d_q_, d_k_, d_v_, d_out_;
  std::uint64_t check_seed_ = 0;
};

const char* function_of(Kind kind) {
  switch (kind) {
    case Kind::kCausal:
      return "causal_attention";
    case Kind::kBf16:
      return "attention_bf16";
    default:
      return "attention";
  }
}

const char* limit_of(Kind kind) {
  switch (kind) {
    case Kind::kSplitKeys:
      return "read_bandwidth_of_two";
    case Kind::kBf16:
      return "mma_peak";
    default:
      return "ffma_peak";
  }
}

template <class T>
judge::Workload make_workload(Kind kind, const Shape& shape) {
  const double num_pairs = static_cast<double>(shape.num_rows()) * shape.num_keys;
  const std::size_t num_keys = std::size_t{1} * shape.num_heads * shape.num_keys;
  const std::size_t bytes = 2 * sizeof(T) * lab::kHeadSize * (shape.num_rows() + num_keys);
  return {.function = function_of(kind),
          .limit = limit_of(kind),
          .library = "",  // the CUDA toolkit has none
          .num_items = num_pairs,
          .bytes_per_call = static_cast<double>(bytes),
          .flops_per_call = (kind == Kind::kCausal ? 2.0 : 4.0) * lab::kHeadSize * num_pairs,
          .arena_bytes_per_call = bytes + 16384,
          .scratch_bytes = scratch_bytes(kind, shape),
          .make_slot =
              [=](judge::Arena& arena) {
                return std::make_unique<AttentionSlot<T>>(arena, kind, shape);
              },
          .beside_first = false};  // the first rung needs more memory
}

// Of one head, with num_items pairs.
Shape counted_square(std::size_t num_items) {
  const auto root = std::lround(std::sqrt(static_cast<double>(num_items)));
  const int length = std::max(static_cast<int>(root), 1);
  return {1, length, length};
}
Shape counted_few_queries(std::size_t num_items) {
  return {1, kFewQueries, std::max(static_cast<int>(num_items / kFewQueries), 1)};
}

// The length of squares of kHeads heads with num_items pairs. All rungs are timed at one length, so
// that a benchmark of all needs one list of sizes.
int length_of(std::size_t num_items) { return counted_square(num_items / kHeads).num_keys; }
Shape square(int num_heads, std::size_t num_items) {
  return {num_heads, length_of(num_items), length_of(num_items)};
}

}  // namespace

judge::Workload three_kernel_attention(std::size_t num_items) {
  return make_workload<float>(Kind::kThreeKernels, square(kHeads, num_items));
}
judge::Workload fused_attention(std::size_t num_items) {
  return make_workload<float>(Kind::kFused, square(kHeads, num_items));
}
judge::Workload causal_attention(std::size_t num_items) {
  return make_workload<float>(Kind::kCausal, square(kHeads, num_items));
}
judge::Workload split_attention(std::size_t num_items) {
  return make_workload<float>(Kind::kSplitKeys,
                              {kHeads, kFewQueries, kKeysPerLength * length_of(num_items)});
}
judge::Workload bf16_attention(std::size_t num_items) {
  return make_workload<__nv_bfloat16>(Kind::kBf16, square(kHeadsOfBf16, num_items));
}
judge::Workload wgmma_attention(std::size_t num_items) {
  judge::Workload workload = bf16_attention(num_items);
  workload.limit = "wgmma_peak";
  return workload;
}

judge::Workload counted_three_kernel_attention(std::size_t num_items) {
  return make_workload<float>(Kind::kThreeKernels, counted_square(num_items));
}
judge::Workload counted_fused_attention(std::size_t num_items) {
  return make_workload<float>(Kind::kFused, counted_square(num_items));
}
judge::Workload counted_causal_attention(std::size_t num_items) {
  return make_workload<float>(Kind::kCausal, counted_square(num_items));
}
judge::Workload counted_split_attention(std::size_t num_items) {
  return make_workload<float>(Kind::kSplitKeys, counted_few_queries(num_items));
}
judge::Workload counted_bf16_attention(std::size_t num_items) {
  return make_workload<__nv_bfloat16>(Kind::kBf16, counted_square(num_items));
}
judge::Workload counted_wgmma_attention(std::size_t num_items) {
  judge::Workload workload = counted_bf16_attention(num_items);
  workload.limit = "wgmma_peak";
  return workload;
}

}  // namespace lab_judge
