// SPDX-License-Identifier: MIT
#include "fixture.h"

#include <algorithm>
#include <cmath>

#include "fixture/options.h"

namespace lab_judge {
namespace {

// Whether another shape would only repeat the failure.
bool is_final(const judge::Failure& failure) {
  return failure.kind == judge::kind::kTodo || failure.kind == judge::kind::kTimeout;
}

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

Shape AttentionFixture::shape(int num_heads, int num_queries, int num_keys) const {
  return {num_heads, kind_ == Kind::kCausal ? num_keys : num_queries, num_keys};
}

AttentionFixture::Prepared AttentionFixture::prepare(const Problem& problem,
                                                     const std::string& suffix) {
  const auto [num_heads, num_queries, num_keys] = problem.shape;
  const std::size_t num_elements = problem.shape.num_rows() * lab::kHeadSize;
  if (kind_ == Kind::kBf16) {
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
  if (kind_ == Kind::kCausal) {
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
  set_scratch_bytes(scratch_bytes(kind_, problem.shape));
  const Prepared prepared = prepare(problem);
  if (auto failure = run({prepared.call})) {
    if (!is_final(*failure)) failure->message = text(problem.shape) + ": " + failure->message;
    return failure;
  }
  return compare(problem, attend(problem), prepared.download_outputs());
}

std::optional<judge::Failure> AttentionFixture::attempt(const Shape& shape, float shift) {
  return attempt(random_problem(kind_, shape, next_seed(), shift));
}

void AttentionFixture::expect_for_shapes(const std::vector<Shape>& shapes, float shift) {
  const auto shrink = [&](Shape& failing, int Shape::*number, judge::Failure& failure) {
    int passing = 0;
    for (int step = 0; step < max_bisections(failure) && failing.*number - passing > 1; ++step) {
      Shape smaller = failing;
      smaller.*number = passing + (failing.*number - passing) / 2;
      if (kind_ == Kind::kCausal) smaller.num_queries = smaller.num_keys;
      const auto found = attempt(smaller, shift);
      if (found && found->kind == failure.kind && found->pattern == failure.pattern) {
        failing = smaller;
        failure = *found;
      } else {
        passing = smaller.*number;
      }
    }
  };
  for (Shape tried : shapes) {
    std::optional<judge::Failure> failure = attempt(tried, shift);
    if (!failure) continue;
    if (is_final(*failure)) return fail(*failure);
    shrink(tried, &Shape::num_heads, *failure);
    if (kind_ != Kind::kCausal) shrink(tried, &Shape::num_queries, *failure);
    shrink(tried, &Shape::num_keys, *failure);
    failure->message = "the smallest failing shape found: " + failure->message;
    return fail(*failure);
  }
}

// Scores 0, log(3) and log(4): weights 1, 3 and 4 of 8. Values 8, 16 and 4. All in element 0.
void AttentionFixture::follows_the_worked_example() {
  Problem problem{kind_, shape(1, 1, 3), {}, {}, {}};
  problem.h_q.resize(problem.shape.num_rows() * lab::kHeadSize);
  for (std::size_t row = 0; row < problem.shape.num_rows(); ++row) {
    problem.h_q[row * lab::kHeadSize] = std::sqrt(float{lab::kHeadSize});
  }
  problem.h_k.resize(3 * lab::kHeadSize);
  problem.h_v.resize(3 * lab::kHeadSize);
  const float powers[] = {1, 3, 4};
  const float values[] = {8, 16, 4};
  for (int key = 0; key < 3; ++key) {
    problem.h_k[key * lab::kHeadSize] = std::log(powers[key]);
    problem.h_v[key * lab::kHeadSize] = values[key];
  }
  if (kind_ == Kind::kBf16) {
    for (std::vector<float>* const h_numbers : {&problem.h_q, &problem.h_k}) {
      for (float& number : *h_numbers) number = __bfloat162float(__float2bfloat16(number));
    }
  }
  if (auto failure = attempt(problem)) {
    failure->message = "the handout's example: " + failure->message;
    fail(*failure);
  }
}

void AttentionFixture::attends_within_one_tile() {
  expect_for_shapes({shape(1, 1, 1), shape(1, 1, 2), shape(1, 3, 5), shape(1, 15, 16),
                     shape(1, 17, 31), shape(1, 32, 32), shape(1, 33, 63), shape(1, 64, 64)});
}

void AttentionFixture::attends_across_tiles() {
  expect_for_shapes({shape(1, 64, 65), shape(1, 65, 128), shape(1, 63, 129), shape(1, 129, 127),
                     shape(1, 1, 257), shape(1, 128, 192)});
}

void AttentionFixture::attends_any_shape() {
  std::vector<Shape> shapes;
  const int most = judge::kOnGpu ? 1500 : 150;
  for (int i = 0; i < 4; ++i) {
    const auto some = [&] { return 1 + static_cast<int>(next_seed() % most); };
    shapes.push_back(shape(1 + static_cast<int>(next_seed() % 3), some(), some()));
  }
  expect_for_shapes(shapes);
}

void AttentionFixture::keeps_heads_apart() {
  expect_for_shapes({shape(2, 16, 16), shape(3, 5, 70), shape(7, 9, 33)});
}

// e^200 is more than a float holds, and e^-200 is less.
void AttentionFixture::subtracts_the_largest_score() {
  for (const float shift : {200.0F, -200.0F}) {
    expect_for_shapes({shape(1, 2, 3), shape(1, 20, 100)}, shift);
    if (HasFailure()) return;
  }
}

void AttentionFixture::writes_nothing_without_queries() {
  const int no_keys = kind_ == Kind::kCausal ? 0 : 16;
  for (const Shape& empty : {shape(2, 16, 16), Shape{2, 0, no_keys}, Shape{0, 16, 16}}) {
    if (const auto failure = attempt(empty)) return fail(*failure);
  }
}

void AttentionFixture::works_on_every_call() {
  // Four calls in a row on separate buffers: no call may depend on what an earlier one left behind.
  begin_case();
  std::vector<Problem> problems;
  std::vector<Prepared> prepared;
  std::vector<wire::Call> calls;
  std::size_t most_scratch_bytes = 0;
  for (const Shape& next :
       {shape(2, 70, 90), shape(1, 1, 1), shape(1, 20, 150), shape(2, 70, 90)}) {
    problems.push_back(random_problem(kind_, next, next_seed()));
    prepared.push_back(prepare(problems.back(), "_" + std::to_string(calls.size() + 1)));
    calls.push_back(prepared.back().call);
    most_scratch_bytes = std::max(most_scratch_bytes, scratch_bytes(kind_, next));
  }
  set_scratch_bytes(most_scratch_bytes);
  if (const auto failure = run(calls)) return fail(*failure);
  for (std::size_t i = 0; i < calls.size(); ++i) {
    auto failure = compare(problems[i], attend(problems[i]), prepared[i].download_outputs());
    if (!failure) continue;
    failure->message = "call " + std::to_string(i + 1) + " of 4 in a row: " + failure->message;
    return fail(*failure);
  }
}

void AttentionFixture::depends_on_no_order_of_execution() {
  expect_in_any_order(4, [&](int) {
    const auto some = [&] { return 20 + static_cast<int>(next_seed() % 120); };
    return attempt(shape(1, some(), some()));
  });
}

}  // namespace lab_judge
