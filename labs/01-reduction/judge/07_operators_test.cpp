// SPDX-License-Identifier: MIT
// Rung 07: the smallest, the largest, product, mean, norm, dot product, farthest
// point.
#include <array>
#include <cmath>
#include <functional>
#include <limits>

#include "fixture.h"
#include "fixture/test_data.h"
#include "judge.h"

namespace lab_judge {
namespace {

constexpr float kNotANumber = std::numeric_limits<float>::quiet_NaN();

class Operators : public ReductionFixture {
 protected:
  const std::vector<int> sizes_ = {1, 2, 31, 33, 255, 256, 257, 1000, 1025, 4099, 70001};

  // Judges one function at all sizes, then without items.
  //   make(num_items)     fresh data
  //   result(items)       the right result, or the identity for no items
  void expect_reduction(const char* function, const std::function<std::vector<float>(int)>& make,
                        double (*result)(Items), double relative_tolerance = 0) {
    expect_for_sizes(sizes_, [&](int num_items) {
      const auto h_in = make(num_items);
      WrongReduction clues;
      clues.over = [&](std::size_t begin, std::size_t end) {
        return result(part(h_in, begin, end));
      };
      const double value = result(h_in);
      return reduce(function, h_in, {value, relative_tolerance * std::abs(value)}, &clues);
    });
    if (HasFailure()) return;
    if (const auto failure = reduce(function, {}, {result({})})) fail(*failure);
  }

  // Judges one function with items that do not count.
  void expect_numbers_only(const char* function, const std::function<std::vector<float>(int)>& make,
                           double (*result)(Items)) {
    expect_for_sizes({1, 2, 33, 777, 5000}, [&](int num_items) {
      auto h_in = make(num_items);
      // Enough that the best item is compared with one of them, however the items are paired.
      const std::uint64_t seed = next_seed();
      for (int i = 0; i < num_items; ++i) {
        if (judge::random_bits(seed, i) % 2 == 0) h_in[i] = kNotANumber;
      }
      auto failure = reduce(function, h_in, {result(h_in)});
      if (failure) failure->message += "\nAbout half of the items are NaN, which do not count.";
      return failure;
    });
  }

  // All of one sign, to reveal a wrong identity (0 for the largest of negative items).
  std::vector<float> shifted_units(int num_items, float shift) {
    auto h_in = judge::random_units(next_seed(), num_items);
    for (float& item : h_in) item += shift;
    return h_in;
  }
};

TEST_F(Operators, FindsTheSmallest) {
  expect_reduction(
      "reduce_min", [&](int num_items) { return shifted_units(num_items, 1); }, smallest);
}

TEST_F(Operators, FindsTheLargest) {
  expect_reduction(
      "reduce_max", [&](int num_items) { return shifted_units(num_items, -3); }, largest);
}

TEST_F(Operators, SkipsNotANumberInMin) {
  expect_numbers_only(
      "reduce_min", [&](int n) { return shifted_units(n, 1); }, smallest);
}

TEST_F(Operators, SkipsNotANumberInMax) {
  expect_numbers_only(
      "reduce_max", [&](int n) { return shifted_units(n, -3); }, largest);
}

TEST_F(Operators, MultipliesAll) {
  expect_reduction(
      "reduce_product",
      [&](int num_items) {
        // Signs everywhere; factors 2, 1/2 and 3 in so few places that every partial product is
        // exact.
        const std::uint64_t seed = next_seed();
        std::vector<float> h_in(num_items);
        for (int i = 0; i < num_items; ++i) {
          h_in[i] = judge::random_bits(seed, i) % 2 == 0 ? 1.0F : -1.0F;
        }
        for (const float factor : {2.0F, 0.5F, 3.0F}) {
          for (int k = 0; k < 8; ++k) h_in[next_seed() % num_items] *= factor;
        }
        h_in.back() *= 3;
        return h_in;
      },
      product);
}

TEST_F(Operators, AveragesAll) {
  // One division after an exact sum; by way of a reciprocal it may round three times.
  expect_reduction(
      "reduce_mean",
      [&](int num_items) { return judge::random_integers(next_seed(), num_items, 100); }, mean,
      4 * kUnit);
}

TEST_F(Operators, MeasuresTheEuclideanNorm) {
  // The sum of squares is exact; the root may round.
  expect_reduction(
      "euclidean_norm",
      [&](int num_items) { return judge::random_integers(next_seed(), num_items, 15); },
      euclidean_norm, 4 * kUnit);
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
      return dot_product(part(h_a, begin, end), part(h_b, begin, end));
    };
    wrong.got = d_out.download()[0];
    wrong.expected = wrong.over(0, h_a.size());
    wrong.past_the_end = kPoison * kPoison;
    return compare(what("dot_product", num_items), static_cast<float>(wrong.got), {wrong.expected},
                   explain(wrong));
  };
  expect_for_sizes(sizes_, attempt);
  if (HasFailure()) return;
  if (const auto failure = attempt(0)) fail(*failure);
}

TEST_F(Operators, FindsTheFarthestPoint) {
  // Whole coordinates: squared distances are exact, and ties are real ties.
  const auto random_points = [&](int num_points, int limit) {
    const auto coordinates = [&] { return judge::random_integers(next_seed(), num_points, limit); };
    return Points{coordinates(), coordinates(), coordinates()};
  };
  const auto attempt = [&](const Points& points) -> std::optional<Failure> {
    const auto num_points = static_cast<int>(points.h_x.size());
    const int expected = farthest_point(points);
    begin_case();
    give_scratch(num_points);
    const auto d_x = input("d_x", points.h_x);
    const auto d_y = input("d_y", points.h_y);
    const auto d_z = input("d_z", points.h_z);
    const auto d_out = output<int>("d_out", 1);
    auto failure =
        call<decltype(lab::farthest_point)>("farthest_point", d_x, d_y, d_z, num_points, d_out);
    if (failure) return failure;
    const int got = d_out.download()[0];
    if (got == expected) return std::nullopt;
    if (judge::is_poison(got))
      return Failure{judge::kind::kOutputUnwritten, "d_out[0] was never written"};
    const auto squared = [&](int i) { return number(points.squared_distance(i)); };
    Failure wrong{judge::kind::kWrongResult,
                  "farthest_point of " + judge::counted(num_points, "point") + ": expected index " +
                      std::to_string(expected) + ", got " + std::to_string(got)};
    if (got >= 0 && got < num_points && expected >= 0) {
      wrong.message +=
          "; their squared distances are " + squared(expected) + " and " + squared(got);
      if (squared(expected) == squared(got)) {
        wrong.pattern = "of several equally far points, the result is not the first";
      }
    }
    return wrong;
  };
  expect_for_sizes(sizes_,
                   [&](int num_points) { return attempt(random_points(num_points, 2000)); });
  if (HasFailure()) return;
  // Few different coordinates: several points are equally far, each time at other places.
  for (int round = 0; round < 24 && !HasFailure(); ++round) {
    expect_for_sizes({200 + static_cast<int>(next_seed() % 8000)},
                     [&](int num_points) { return attempt(random_points(num_points, 6)); });
  }
  if (HasFailure()) return;
  // Every point has a NaN in one coordinate, except for one point or for none.
  for (const bool one_is_a_point : {true, false}) {
    expect_for_sizes({2, 100, 1000}, [&](int num_points) {
      Points points = random_points(num_points, 2000);
      const std::array axes{&points.h_x, &points.h_y, &points.h_z};
      const auto kept = next_seed() % num_points;
      for (std::size_t i = 0; i < points.h_x.size(); ++i) {
        if (!one_is_a_point || i != kept) (*axes[next_seed() % 3])[i] = kNotANumber;
      }
      auto failure = attempt(points);
      if (failure) {
        failure->message += one_is_a_point ? "\nEvery other point has a NaN coordinate."
                                           : "\nEvery point has a NaN coordinate.";
      }
      return failure;
    });
    if (HasFailure()) return;
  }
  expect_for_sizes({1, 100}, [&](int num_points) {
    const std::vector<float> zeros(num_points);
    auto failure = attempt({zeros, zeros, zeros});
    if (failure) failure->message += "\nAll points are at the origin.";
    return failure;
  });
  if (HasFailure()) return;
  if (const auto failure = attempt({})) fail(*failure);
}

TEST_F(Operators, DependOnNoOrderOfExecution) {
  expect_in_any_order(4, [&](int) {
    const auto h_in = shifted_units(60000 + static_cast<int>(next_seed() % 3000), -3);
    return reduce("reduce_max", h_in, {largest(h_in)});
  });
}

}  // namespace
}  // namespace lab_judge
