// SPDX-License-Identifier: MIT
#include "data.h"

#include <cmath>

namespace lab_judge {
namespace {

constexpr float kKeyOfShift = 8;  // element 0 of every key, where all scores are shifted

std::string counted(int count, const char* one, const char* many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}

}  // namespace

std::string text(const Shape& shape) {
  return counted(shape.num_heads, "head", "heads") + " with " +
         counted(shape.num_queries, "query", "queries") + " and " +
         counted(shape.num_keys, "key", "keys");
}

Kind kind_of(const std::string& rung) {
  if (rung == "02_fused") return Kind::kFused;
  if (rung == "03_causal") return Kind::kCausal;
  if (rung == "04_split_keys") return Kind::kSplitKeys;
  if (rung == "05_tensor_cores") return Kind::kBf16;
  return Kind::kThreeKernels;
}

std::size_t scratch_bytes(Kind kind, const Shape& shape) {
  std::size_t per_row = 0;
  if (kind == Kind::kThreeKernels) per_row = sizeof(float) * shape.num_keys;
  if (kind == Kind::kSplitKeys) per_row = sizeof(float) * (lab::kHeadSize + 2) * lab::kMaxSplits;
  return per_row * shape.num_rows() + (std::size_t{64} << 10);
}

Problem random_problem(Kind kind, const Shape& shape, std::uint64_t seed, float shift) {
  const Numbers numbers{seed, shape.num_queries, shape.num_keys, kind == Kind::kCausal};
  const std::size_t num_keys = std::size_t{1} * shape.num_heads * shape.num_keys;
  Problem problem{kind, shape, {}, {}, {}};
  for (std::size_t i = 0; i < shape.num_rows() * lab::kHeadSize; ++i) {
    problem.h_q.push_back(numbers.query(i));
  }
  for (std::size_t i = 0; i < num_keys * lab::kHeadSize; ++i) {
    problem.h_k.push_back(numbers.key(i));
    problem.h_v.push_back(numbers.value(i));
  }
  if (shift != 0) {
    for (std::size_t i = 0; i < problem.h_q.size(); i += lab::kHeadSize) {
      problem.h_q[i] = shift * std::sqrt(float{lab::kHeadSize}) / kKeyOfShift;
    }
    for (std::size_t i = 0; i < problem.h_k.size(); i += lab::kHeadSize) {
      problem.h_k[i] = kKeyOfShift;
    }
  }
  if (kind == Kind::kBf16) {
    for (std::vector<float>* const h_numbers : {&problem.h_q, &problem.h_k, &problem.h_v}) {
      for (float& number : *h_numbers) number = __bfloat162float(__float2bfloat16(number));
    }
  }
  return problem;
}

}  // namespace lab_judge
