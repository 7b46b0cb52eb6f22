// SPDX-License-Identifier: MIT
#include "data.h"

#include <cmath>

#include "fixture/words.h"

namespace lab_judge {
namespace {

constexpr float kKeyOfShift = 8;  // element 0 of every key, where all scores are shifted

void round(Problem& problem) {
  if (problem.kind != Kind::kBf16) return;
  for (std::vector<float>* const h_numbers : {&problem.h_q, &problem.h_k, &problem.h_v}) {
    for (float& number : *h_numbers) number = __bfloat162float(__float2bfloat16(number));
  }
}

}  // namespace

std::string text(const Shape& shape) {
  return judge::counted(shape.num_heads, "head") + " with " +
         judge::counted(shape.num_queries, "query", "queries") + " and " +
         judge::counted(shape.num_keys, "key");
}

Kind kind_of(const std::string& rung) {
  if (rung == "02_fused") return Kind::kFused;
  if (rung == "03_causal") return Kind::kCausal;
  if (rung == "04_split_keys") return Kind::kSplitKeys;
  if (rung == "05_tensor_cores" || rung == "07_wgmma") return Kind::kBf16;
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
  round(problem);
  return problem;
}

Problem peaked_problem(Kind kind, const Shape& shape, std::uint64_t seed) {
  constexpr float kStrength = 60;
  Problem problem = random_problem(kind, shape, seed);
  for (std::size_t row = 0; row < shape.num_rows(); ++row) {
    const std::size_t place = row % shape.num_queries;
    const std::size_t sought =
        kind == Kind::kCausal ? judge::random_bits(seed, row) % (place + 1) : row % shape.num_keys;
    const std::size_t key = row / shape.num_queries * shape.num_keys + sought;
    for (int e = 0; e < lab::kHeadSize; ++e) {
      problem.h_q[row * lab::kHeadSize + e] = kStrength * problem.h_k[key * lab::kHeadSize + e];
    }
  }
  round(problem);
  return problem;
}

Problem fine_problem(Kind kind, const Shape& shape, std::uint64_t seed) {
  constexpr float kKey = 3;
  Problem problem = random_problem(kind, shape, seed);
  for (std::size_t i = 0; i < problem.h_q.size(); ++i) {
    const std::size_t row = i / lab::kHeadSize;
    const float own = i % 2 == 0 ? 0 : 0.1F * judge::random_unit(~seed, row);
    problem.h_q[i] = 1 + 0.8F * judge::random_unit(seed, row) + own;
  }
  for (std::size_t i = 0; i < problem.h_k.size(); ++i) {
    problem.h_k[i] = (i / lab::kHeadSize + i) % 2 == 0 ? kKey : 0;
  }
  round(problem);
  return problem;
}

}  // namespace lab_judge
