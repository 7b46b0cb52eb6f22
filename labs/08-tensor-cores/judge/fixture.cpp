// SPDX-License-Identifier: MIT
#include "fixture.h"

#include <algorithm>

#include "fixture/options.h"
#include "tensor_cores.cuh"

namespace lab_judge {
namespace {

constexpr std::size_t kScratchBytes = std::size_t{64} << 10;  // of the contract
constexpr std::size_t kPartBytes = 6;  // in addition, for each float to split

std::size_t scratch_bytes(const Factors& factors) {
  if (factors.format != Format::kSplit) return kScratchBytes;
  return kScratchBytes + kPartBytes * (factors.h_a.size() + factors.h_b.size());
}

}  // namespace

ProductFixture::Prepared ProductFixture::prepare(const Factors& factors,
                                                 const std::string& suffix) {
  const auto [num_rows, num_cols, depth] = factors.shape;
  const auto named = [&](const char* name) { return name + suffix; };
  const auto d_c = output<float>(named("d_c"), std::size_t{1} * num_rows * num_cols);
  switch (factors.format) {
    case Format::kBf16: {
      const auto d_a = input(named("d_a"), to_bf16(factors.h_a));
      const auto d_b = input(named("d_b"), to_bf16(factors.h_b));
      return {judge::encode_call<decltype(lab::matmul_bf16)>("matmul_bf16", d_a, d_b, num_rows,
                                                             num_cols, depth, d_c),
              d_c};
    }
    case Format::kSplit: {
      const auto d_a = input(named("d_a"), factors.h_a);
      const auto d_b = input(named("d_b"), factors.h_b);
      return {judge::encode_call<decltype(lab::matmul_split)>("matmul_split", d_a, d_b, num_rows,
                                                              num_cols, depth, d_c),
              d_c};
    }
    case Format::kE4m3:
      break;
  }
  const auto d_a = input(named("d_a"), to_e4m3(factors.h_a));
  const auto d_a_scales = input(named("d_a_scales"), factors.h_a_scales);
  const auto d_b = input(named("d_b"), to_e4m3(transposed(factors.h_b, depth, num_cols)));
  const auto d_b_scales = input(named("d_b_scales"), factors.h_b_scales);
  return {judge::encode_call<decltype(lab::matmul_e4m3)>(
              "matmul_e4m3", d_a, d_a_scales, d_b, d_b_scales, num_rows, num_cols, depth, d_c),
          d_c};
}

std::optional<judge::Failure> ProductFixture::multiply(const Factors& factors,
                                                       const Expected& expected) {
  begin_case();
  set_scratch_bytes(scratch_bytes(factors));
  pose({.num_multiprocessors = num_multiprocessors_});
  const Prepared prepared = prepare(factors);
  if (auto failure = run({prepared.call})) {
    if (!is_fatal()) failure->message = text(factors.shape) + ": " + failure->message;
    return failure;
  }
  return compare(factors, expected, prepared.d_c.download());
}

std::optional<judge::Failure> ProductFixture::multiply_integers(const Shape& shape) {
  const Factors factors = random_integers(format_, shape, next_seed());
  return multiply(factors, exact_product(factors));
}

std::optional<judge::Failure> ProductFixture::multiply_reals(const Shape& shape) {
  const Factors factors = random_reals(format_, shape, next_seed());
  return multiply(factors, rounded_product(factors));
}

void ProductFixture::expect_for_shapes(const std::vector<Shape>& shapes, const Attempt& attempt) {
  Fixture::expect_for_shapes(shapes, {&Shape::depth, &Shape::num_rows, &Shape::num_cols}, attempt,
                             kMultiple);
}

void ProductFixture::multiplies_whole_tiles() {
  expect_for_shapes(
      {{16, 16, 16}, {32, 32, 32}, {64, 64, 64}, {128, 128, 64}, {128, 256, 128}, {256, 256, 32}},
      [&](const Shape& shape) { return multiply_integers(shape); });
}

void ProductFixture::multiplies_partial_tiles() {
  expect_for_shapes({{16, 16, 48},
                     {16, 48, 16},
                     {48, 16, 16},
                     {112, 112, 112},
                     {144, 272, 80},
                     {80, 240, 208},
                     {144, 144, 16}},
                    [&](const Shape& shape) { return multiply_integers(shape); });
}

void ProductFixture::multiplies_any_shape() {
  // Long in one dimension, then some at random.
  const int edge = judge::kOnGpu ? 4000 : 1040;
  std::vector<Shape> shapes = {{16, 16, 1008}, {edge, 16, 32}, {32, edge, 16}};
  for (int i = 0; i < 5; ++i) {
    const auto some = [&] { return kMultiple * (1 + static_cast<int>(next_seed() % 12)); };
    shapes.push_back({some(), some(), some()});
  }
  if (judge::kOnGpu) {
    const auto more = [&] { return 16 * static_cast<int>(next_seed() % 20); };
    shapes.insert(shapes.end(), {{1024, 1280, 768}, {1008 + more(), 912 + more(), 1104 + more()}});
  }
  expect_for_shapes(shapes, [&](const Shape& shape) { return multiply_integers(shape); });
}

void ProductFixture::gives_zero_for_depth_zero() {
  for (const Shape& shape :
       {Shape{32, 16, 48}, Shape{32, 16, 0}, Shape{16, 16, 0}, Shape{144, 272, 0}}) {
    if (const auto failure = multiply_integers(shape)) return fail(*failure);
  }
}

void ProductFixture::writes_nothing_without_rows_or_columns() {
  for (const Shape& shape :
       {Shape{16, 48, 16}, Shape{0, 32, 16}, Shape{32, 0, 16}, Shape{0, 0, 0}}) {
    if (const auto failure = multiply_integers(shape)) return fail(*failure);
  }
}

void ProductFixture::stays_within_the_error_bound() {
  const int large_depth = judge::kOnGpu ? 2048 : 512;
  expect_for_shapes({{32, 48, 16}, {64, 48, 64}, {128, 256, 96}, {16, 32, large_depth}},
                    [&](const Shape& shape) { return multiply_reals(shape); });
}

void ProductFixture::works_on_every_call() {
  begin_case();
  std::vector<Factors> all_factors;
  std::vector<Prepared> prepared;
  std::vector<wire::Call> calls;
  std::size_t most_scratch_bytes = 0;
  for (const Shape& shape :
       {Shape{80, 48, 64}, Shape{16, 16, 16}, Shape{48, 144, 32}, Shape{80, 48, 64}}) {
    all_factors.push_back(random_integers(format_, shape, next_seed()));
    prepared.push_back(prepare(all_factors.back(), "_" + std::to_string(calls.size())));
    calls.push_back(prepared.back().call);
    most_scratch_bytes = std::max(most_scratch_bytes, scratch_bytes(all_factors.back()));
  }
  set_scratch_bytes(most_scratch_bytes);
  const auto failure = run_in_a_row(calls, [&](std::size_t i) {
    return compare(all_factors[i], exact_product(all_factors[i]), prepared[i].d_c.download());
  });
  if (failure) fail(*failure);
}

void ProductFixture::depends_on_no_order_of_execution() {
  expect_in_any_order(6, [&](int) {
    const auto edge = [&] { return kMultiple * (2 + static_cast<int>(next_seed() % 9)); };
    return multiply_integers({edge(), edge(), edge()});
  });
}

}  // namespace lab_judge
