// SPDX-License-Identifier: MIT
#include "fixture.h"

#include <algorithm>

namespace lab_judge {
namespace {

constexpr std::size_t kMaxQuickPoints = 1 << 15;      // see judge::Options::quick
constexpr std::size_t kMaxExplainedPoints = 1 << 15;  // a mistake shows in a smaller case, too

std::string name_of(const Shape& shape, std::size_t item, int dimensions) {
  const std::size_t x = item % shape.width;
  const std::size_t row = item / shape.width;
  std::string name = "x = " + std::to_string(x);
  if (dimensions > 1) name += ", y = " + std::to_string(row % shape.height);
  if (dimensions > 2) name += ", z = " + std::to_string(row / shape.height);
  return name;
}

std::string points_of(const Shape& shape) {
  return to_text(shape) + (shape.num_points() == 1 ? " point" : " points");
}

std::vector<float> expected_of(Function function, const Shape& shape, std::vector<float> h_values,
                               const Weights& weights) {
  for (int step = 0; step < num_steps(function); ++step) {
    h_values = filtered(shape, h_values, terms_of(function, weights));
  }
  return h_values;
}

}  // namespace

void StencilFixture::prepare(Case& made, const std::string& suffix) {
  const auto d_in = input("d_in" + suffix, made.h_in);
  std::vector<Buffer<float>> d_weights;
  if (are_arrays(function())) {
    const bool is_one = made.weights.size() == 1;
    for (const std::vector<float>& h_weights : made.weights) {
      const char* const name = is_one ? "d_weights" : d_weights.empty() ? "d_row" : "d_column";
      d_weights.push_back(input(name + suffix, h_weights));
    }
  }
  made.d_out = output<float>("d_out" + suffix, made.shape.num_points());
  made.call = encode(function(), made.shape, d_in, d_weights, made.weights, made.d_out);
}

std::optional<Failure> StencilFixture::check(const Case& made) {
  const std::vector<float> got = made.d_out.download();
  const auto wrong = std::ranges::mismatch(got, made.expected);
  if (wrong.in1 == got.end()) return std::nullopt;
  const std::string point =
      "with " + points_of(made.shape) + ": the point " +
      name_of(made.shape, wrong.in1 - got.begin(), num_dimensions(function()));
  if (judge::is_poison(*wrong.in1)) {
    return Failure{judge::kind::kOutputUnwritten, point + " was never written"};
  }
  Failure failure{judge::kind::kWrongResult, point + ": expected " + judge::number(*wrong.in2) +
                                                 ", got " + judge::number(*wrong.in1)};
  if (made.shape.num_points() > kMaxExplainedPoints) return failure;
  for (const std::string& clause :
       explain({function(), made.shape, made.weights, made.h_in, got})) {
    failure.add_pattern(clause);
  }
  return failure;
}

std::optional<Failure> StencilFixture::attempt_with(const Shape& shape,
                                                    const std::vector<float>& h_in,
                                                    const Weights& weights,
                                                    const std::vector<float>& expected) {
  begin_case();
  set_scratch_bytes(scratch_bytes(shape));
  Case one{shape, weights, h_in, expected};
  prepare(one, "");
  if (auto failure = run({one.call})) return failure;
  return check(one);
}

std::optional<Failure> StencilFixture::attempt_in_a_row(const std::vector<Shape>& shapes) {
  begin_case();

  std::vector<Case> cases;
  std::vector<wire::Call> calls;
  for (Shape shape : shapes) {
    if (num_dimensions(function()) == 3) shape.width = (shape.width + 3) / 4 * 4;  // the contract's
    const Weights weights = random_weights(function(), next_seed());
    const std::vector<float> h_in =
        judge::random_integers(next_seed(), shape.num_points(), largest_input(function()));
    cases.push_back({shape, weights, h_in, expected_of(function(), shape, h_in, weights)});
    prepare(cases.back(), shapes.size() == 1 ? "" : "_" + std::to_string(cases.size()));
    calls.push_back(cases.back().call);
  }
  set_scratch_bytes(scratch_bytes(std::ranges::max_element(cases, {}, [](const Case& one) {
                                    return one.shape.num_points();
                                  })->shape));
  return run_in_a_row(calls, [&](std::size_t i) { return check(cases[i]); });
}

void StencilFixture::expect_for_shapes(const std::vector<Shape>& shapes) {
  for (Shape shape : shapes) {
    if (judge::options().quick && shape.num_points() > kMaxQuickPoints) continue;
    auto failure = attempt(shape);
    if (!failure) continue;
    for (int Shape::*extent : {&Shape::width, &Shape::height, &Shape::depth}) {
      int passing = 0;
      for (int step = 0; step < max_bisections(*failure) && shape.*extent - passing > 1; ++step) {
        if (is_fatal()) break;
        Shape smaller = shape;
        smaller.*extent = passing + (shape.*extent - passing) / 2;
        auto found = attempt(smaller);
        // Another kind or pattern is another mistake.
        if (found && found->kind == failure->kind &&
            (failure->pattern.empty() || found->pattern == failure->pattern)) {
          shape = smaller;
          failure = std::move(found);
        } else {
          passing = smaller.*extent;
        }
      }
    }
    return fail(*failure);
  }
}

}  // namespace lab_judge
