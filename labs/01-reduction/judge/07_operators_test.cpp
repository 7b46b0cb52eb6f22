// SPDX-License-Identifier: MIT
// Rung 07: the smallest, the largest, product, mean, norm, dot product, farthest
// point.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "fixture.h"
#include "fixture/test_data.h"
#include "judge.h"

namespace lab_judge {
namespace {

class Operators : public ReductionFixture {
 protected:
  const std::vector<int> sizes_ = {1, 2, 31, 33, 255, 256, 257, 1000, 1025, 4099, 70001};

  // Judges one function at all sizes, then without items.
  //   make(num_items)     fresh data
  //   over(begin, end)    the exact result over a range, the identity over an empty one
  using Items = std::vector<float>;
  using Over = std::function<double(Items::const_iterator, Items::const_iterator)>;
  void expect_reduction(const char* function, const std::function<Items(int)>& make,
                        const Over& over, double relative_tolerance = 0) {
    expect_for_sizes(sizes_, [&](int num_items) {
      const Items h_in = make(num_items);
      WrongReduction clues;
      clues.over = [&](std::size_t begin, std::size_t end) {
        return over(h_in.begin() + begin, h_in.begin() + end);
      };
      const double value = clues.over(0, h_in.size());
      return reduce(function, h_in, {value, relative_tolerance * std::abs(value)}, &clues);
    });
    if (HasFailure()) return;
    const Items nothing;
    if (const auto failure = reduce(function, nothing, {over(nothing.begin(), nothing.end())})) {
      fail(*failure);
    }
  }

  // All of one sign, to reveal a wrong identity (0 for the largest of negative items).
  Items shifted_units(int num_items, float shift) {
    Items h_in = judge::random_units(next_seed(), num_items);
    for (float& item : h_in) item += shift;
    return h_in;
  }
};

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNotANumber = std::numeric_limits<float>::quiet_NaN();

TEST_F(Operators, FindsTheSmallest) {
  expect_reduction(
      "reduce_min", [&](int num_items) { return shifted_units(num_items, 1); },
      [](auto begin, auto end) {
        return begin == end ? kInfinity : *std::min_element(begin, end);
      });
}

TEST_F(Operators, FindsTheLargest) {
  expect_reduction(
      "reduce_max", [&](int num_items) { return shifted_units(num_items, -3); },
      [](auto begin, auto end) {
        return begin == end ? -kInfinity : *std::max_element(begin, end);
      });
}

TEST_F(Operators, SkipsNotANumberInMinAndMax) {
  for (const char* function : {"reduce_min", "reduce_max"}) {
    const bool smallest = function == std::string("reduce_min");
    expect_for_sizes({1, 2, 33, 777, 5000}, [&](int num_items) {
      auto h_in = shifted_units(num_items, smallest ? 1 : -3);
      // Enough that the best item is compared with one of them, however the items are paired.
      const std::uint64_t seed = next_seed();
      for (int i = 0; i < num_items; ++i) {
        if (judge::random_bits(seed, i) % 2 == 0) h_in[i] = kNotANumber;
      }
      double value = smallest ? kInfinity : -kInfinity;
      for (const float item : h_in) {
        if (smallest ? item < value : item > value) value = item;  // NaN is neither
      }
      auto failure = reduce(function, h_in, {value});
      if (failure) failure->message += "\nAbout half of the items are NaN, which do not count.";
      return failure;
    });
    if (HasFailure()) return;
  }
}

TEST_F(Operators, MultipliesAll) {
  expect_reduction(
      "reduce_product",
      [&](int num_items) {
        // Signs everywhere; factors 2, 1/2 and 3 in so few places that every partial product is
        // exact.
        const std::uint64_t seed = next_seed();
        Items h_in(num_items);
        for (int i = 0; i < num_items; ++i) {
          h_in[i] = judge::random_bits(seed, i) % 2 == 0 ? 1.0F : -1.0F;
        }
        for (const float factor : {2.0F, 0.5F, 3.0F}) {
          for (int k = 0; k < 8; ++k) h_in[next_seed() % num_items] *= factor;
        }
        h_in.back() *= 3;
        return h_in;
      },
      [](auto begin, auto end) { return std::accumulate(begin, end, 1.0, std::multiplies<>()); });
}

TEST_F(Operators, AveragesAll) {
  // One division after an exact sum; by way of a reciprocal it may round three times.
  expect_reduction(
      "reduce_mean",
      [&](int num_items) { return judge::random_integers(next_seed(), num_items, 100); },
      [](auto begin, auto end) {
        return std::accumulate(begin, end, 0.0) / static_cast<double>(end - begin);
      },
      4 * kUnit);
}

TEST_F(Operators, MeasuresTheEuclideanNorm) {
  // The sum of squares is exact; the root may round.
  expect_reduction(
      "euclidean_norm",
      [&](int num_items) { return judge::random_integers(next_seed(), num_items, 15); },
      [](auto begin, auto end) { return std::sqrt(std::inner_product(begin, end, begin, 0.0)); },
      4 * kUnit);
}

TEST_F(Operators, MultipliesAndAddsTwoArrays) {
  const auto attempt = [&](int num_items) -> std::optional<Failure> {
    const auto h_a = judge::random_integers(next_seed(), num_items, 30);
    const auto h_b = judge::random_integers(next_seed(), num_items, 30);
    begin_case();
    give_scratch(num_items);
    const auto d_a = input("d_a", h_a);
    const auto d_b = input("d_b", h_b);
    const auto d_out = output<float>("d_out", 1);
    auto failure = call<decltype(lab::dot_product)>("dot_product", d_a, d_b, num_items, d_out);
    if (failure) return failure;
    WrongReduction wrong;
    wrong.num_items = h_a.size();
    wrong.over = [&](std::size_t begin, std::size_t end) {
      return std::inner_product(h_a.begin() + begin, h_a.begin() + end, h_b.begin() + begin, 0.0);
    };
    wrong.got = d_out.download()[0];
    wrong.expected = wrong.over(0, h_a.size());
    wrong.past_the_end = kPoison * kPoison;
    return compare(
        "dot_product of " + std::to_string(num_items) + (num_items == 1 ? " item" : " items"),
        static_cast<float>(wrong.got), {wrong.expected}, explain(wrong));
  };
  expect_for_sizes(sizes_, attempt);
  if (HasFailure()) return;
  if (const auto failure = attempt(0)) fail(*failure);
}

TEST_F(Operators, FindsTheFarthestPoint) {
  // Whole coordinates: squared distances are exact, and ties are real ties.
  const auto attempt = [&](int num_points, int limit, bool with_nan) -> std::optional<Failure> {
    std::vector<std::vector<float>> h_points;
    h_points.reserve(3);
    for (int axis = 0; axis < 3; ++axis) {
      h_points.push_back(judge::random_integers(next_seed(), num_points, limit));
    }
    if (with_nan) h_points[next_seed() % 3][next_seed() % num_points] = kNotANumber;
    int expected = -1;
    double farthest = -1;
    for (int i = 0; i < num_points; ++i) {
      const double x = h_points[0][i];
      const double y = h_points[1][i];
      const double z = h_points[2][i];
      const double squared = x * x + y * y + z * z;
      if (squared > farthest) {
        farthest = squared;
        expected = i;
      }
    }
    begin_case();
    give_scratch(num_points);
    const auto d_x = input("d_x", h_points[0]);
    const auto d_y = input("d_y", h_points[1]);
    const auto d_z = input("d_z", h_points[2]);
    const auto d_out = output<int>("d_out", 1);
    auto failure =
        call<decltype(lab::farthest_point)>("farthest_point", d_x, d_y, d_z, num_points, d_out);
    if (failure) return failure;
    const int got = d_out.download()[0];
    if (got == expected) return std::nullopt;
    if (judge::is_poison(got))
      return Failure{judge::kind::kOutputUnwritten, "d_out[0] was never written"};
    const auto squared = [&](int i) {
      return text(h_points[0][i] * h_points[0][i] + h_points[1][i] * h_points[1][i] +
                  h_points[2][i] * h_points[2][i]);
    };
    Failure wrong{judge::kind::kWrongResult, "farthest_point of " + std::to_string(num_points) +
                                                 (num_points == 1 ? " point" : " points") +
                                                 ": expected index " + std::to_string(expected) +
                                                 ", got " + std::to_string(got)};
    if (got >= 0 && got < num_points && expected >= 0) {
      wrong.message +=
          "; their squared distances are " + squared(expected) + " and " + squared(got);
      if (squared(expected) == squared(got)) {
        wrong.pattern = "of several equally far points, the result is not the first";
      }
    }
    return wrong;
  };
  expect_for_sizes(sizes_, [&](int num_points) { return attempt(num_points, 2000, false); });
  if (HasFailure()) return;
  // Few different coordinates: several points are equally far, each time at other places.
  for (int round = 0; round < 24 && !HasFailure(); ++round) {
    expect_for_sizes({200 + static_cast<int>(next_seed() % 8000)},
                     [&](int num_points) { return attempt(num_points, 6, false); });
  }
  if (HasFailure()) return;
  expect_for_sizes({100, 1000}, [&](int num_points) { return attempt(num_points, 2000, true); });
  if (HasFailure()) return;
  if (const auto failure = attempt(0, 1, false)) fail(*failure);
}

TEST_F(Operators, DependOnNoOrderOfExecution) {
  expect_in_any_order(4, [&](int) {
    const auto h_in = shifted_units(60000 + static_cast<int>(next_seed() % 3000), -3);
    return reduce("reduce_max", h_in, {*std::max_element(h_in.begin(), h_in.end())});
  });
}

}  // namespace
}  // namespace lab_judge
