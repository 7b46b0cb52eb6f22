// SPDX-License-Identifier: MIT
#include "fixture.h"

namespace lab_judge {
namespace {

std::vector<__nv_bfloat16> to_bf16(const std::vector<float>& h_numbers) {
  std::vector<__nv_bfloat16> h_rounded;
  h_rounded.reserve(h_numbers.size());
  for (const float number : h_numbers) h_rounded.push_back(__float2bfloat16(number));
  return h_rounded;
}

std::vector<float> to_floats(const std::vector<__nv_bfloat16>& h_numbers) {
  std::vector<float> h_floats;
  h_floats.reserve(h_numbers.size());
  for (const __nv_bfloat16 number : h_numbers) h_floats.push_back(__bfloat162float(number));
  return h_floats;
}

}  // namespace

Shape AttentionFixture::shape(int num_heads, int num_queries, int num_keys) {
  return {num_heads, kind() == Kind::kCausal ? num_keys : num_queries, num_keys};
}

AttentionFixture::Prepared AttentionFixture::prepare(const Problem& problem,
                                                     const std::string& suffix) {
  const auto [num_heads, num_queries, num_keys] = problem.shape;
  const std::size_t num_elements = problem.shape.num_rows() * lab::kHeadSize;
  if (kind() == Kind::kBf16) {
    const auto d_q = input("d_q" + suffix, to_bf16(problem.h_q));
    const auto d_k = input("d_k" + suffix, to_bf16(problem.h_k));
    const auto d_v = input("d_v" + suffix, to_bf16(problem.h_v));
    const auto d_out = output<__nv_bfloat16>("d_out" + suffix, num_elements);
    return {judge::encode_call<decltype(lab::attention_bf16)>(
                "attention_bf16", d_q, d_k, d_v, num_heads, num_queries, num_keys, d_out),
            [=] { return to_floats(d_out.download()); }};
  }
  const auto d_q = input("d_q" + suffix, problem.h_q);
  const auto d_k = input("d_k" + suffix, problem.h_k);
  const auto d_v = input("d_v" + suffix, problem.h_v);
  const auto d_out = output<float>("d_out" + suffix, num_elements);
  const auto download = [=] { return d_out.download(); };
  if (kind() == Kind::kCausal) {
    return {judge::encode_call<decltype(lab::causal_attention)>("causal_attention", d_q, d_k, d_v,
                                                                num_heads, num_keys, d_out),
            download};
  }
  return {judge::encode_call<decltype(lab::attention)>("attention", d_q, d_k, d_v, num_heads,
                                                       num_queries, num_keys, d_out),
          download};
}

std::optional<judge::Failure> AttentionFixture::attempt(const Problem& problem) {
  begin_case();
  set_scratch_bytes(scratch_bytes(kind(), problem.shape));
  const Prepared prepared = prepare(problem);
  if (auto failure = run({prepared.call})) {
    if (!is_fatal()) failure->message = text(problem.shape) + ": " + failure->message;
    return failure;
  }
  return compare(problem, attend(problem), prepared.download_outputs());
}

std::optional<judge::Failure> AttentionFixture::attempt(const Shape& shape, float shift) {
  return attempt(random_problem(kind(), shape, next_seed(), shift));
}

void AttentionFixture::expect_for_shapes(const std::vector<Shape>& shapes, float shift) {
  std::vector<int Shape::*> numbers = {&Shape::num_heads, &Shape::num_queries, &Shape::num_keys};
  if (kind() == Kind::kCausal) std::erase(numbers, &Shape::num_queries);
  Fixture::expect_for_shapes(shapes, numbers, [&](const Shape& next) {
    return attempt(shape(next.num_heads, next.num_queries, next.num_keys), shift);
  });
}

}  // namespace lab_judge
