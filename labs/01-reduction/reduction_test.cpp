// SPDX-License-Identifier: MIT
// The judge of 01-reduction. Runs apart from the student's code, which it calls through a worker.
#include "reduction.cuh"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>
#include <sstream>

#include "diagnose.h"
#include "judge.h"
#include "lab_test.h"
#include "test_data.h"

namespace {

using judge::Buffer;
using judge::Failure;

constexpr double kUnit = 0x1p-24;  // u of the contract: half an ulp of a float in [1, 2)

// What an item behind the end of a buffer reads as: four poison bytes.
const float kPoison = std::bit_cast<float>(0x01010101U * judge::kPoisonByte);

std::string text(double value) {
  std::ostringstream out;
  out.precision(9);
  out << value;
  return out.str();
}

// The contract's bound on the error of a float sum whose terms' magnitudes add up to `magnitude`.
double sum_tolerance(int num_items, double magnitude) {
  const bool order_is_free = judge::options().rung != "01_global_atomic";
  const double additions = order_is_free ? 32 + num_items / 32768.0 : num_items;
  return additions * kUnit * magnitude;
}

bool is_close(double got, double expected, double tolerance) {
  if (std::isnan(expected)) return std::isnan(got);
  return got == expected || std::abs(got - expected) <= tolerance;
}

// Everything about one float-valued reduction that a test needs.
struct Expectation {
  double value;
  double tolerance = 0;
};

class Reduction : public judge::LabTest {
 protected:
  // The contract: at least num_items / 4 bytes plus 64 KiB. No more is given.
  void give_scratch(int num_items) { set_scratch_bytes(num_items / 4 + (std::size_t{64} << 10)); }

  static std::optional<Failure> compare(const std::string& what, float got, Expectation expected,
                                        std::string pattern = {}) {
    if (is_close(got, expected.value, expected.tolerance)) return std::nullopt;
    if (judge::is_poison(got)) return Failure{"output_unwritten", "d_out[0] was never written"};
    std::string message =
        what + ": expected d_out[0] = " + text(expected.value) + ", got " + text(got);
    if (expected.tolerance > 0) message += " (allowed error " + text(expected.tolerance) + ")";
    return Failure{"wrong_result", message, std::move(pattern)};
  }

  // Calls a reduction of one array and returns what is wrong with its result.
  std::optional<Failure> reduce(const char* function, const std::vector<float>& h_in,
                                Expectation expected,
                                const judge::WrongReduction* clues = nullptr) {
    const int num_items = static_cast<int>(h_in.size());
    begin_case();
    give_scratch(num_items);
    const auto d_in = input("d_in", h_in);
    const auto d_out = output<float>("d_out", 1);
    if (auto failure = call<decltype(lab::reduce_sum)>(function, d_in, num_items, d_out)) {
      return failure;
    }
    const float got = d_out.download()[0];
    std::string pattern;
    if (clues != nullptr) {
      judge::WrongReduction wrong = *clues;
      wrong.num_items = h_in.size();
      wrong.got = got;
      wrong.expected = expected.value;
      wrong.past_the_end = kPoison;
      pattern = judge::explain(wrong);
    }
    return compare(std::string(function) + " of " + std::to_string(num_items) + " items", got,
                   expected, pattern);
  }

  // Random whole numbers: their sum is exact in any order, so equality is asked for.
  std::optional<Failure> sum_of_integers(int num_items) {
    const auto h_in = judge::random_integers(next_seed(), num_items, 1000);
    judge::WrongReduction clues;
    clues.over = [&](std::size_t begin, std::size_t end) {
      return std::accumulate(h_in.begin() + begin, h_in.begin() + end, 0.0);
    };
    return reduce("reduce_sum", h_in, {clues.over(0, h_in.size())}, &clues);
  }
};

// One timed call: fresh whole numbers, whose sum the judge knows exactly.
class SumSlot : public judge::Slot {
 public:
  SumSlot(judge::Arena& arena, std::size_t num_items)
      : d_in_(arena, "d_in", num_items), d_out_(arena, "d_out", 1) {}

  void refresh(std::uint64_t seed) override {
    sum_ = judge::fill_integers_and_sum(d_in_.device_data(), d_in_.size(), seed, 127);
    d_in_.mark_initialized();
  }
  void poison_outputs() override { d_out_.poison(); }
  wire::Call call(const std::string& function) const override {
    return judge::encode_call<decltype(lab::reduce_sum)>(function.c_str(), d_in_,
                                                         static_cast<int>(d_in_.size()), d_out_);
  }
  std::optional<Failure> check() const override {
    const float got = d_out_.download()[0];
    if (got == sum_) return std::nullopt;
    return Failure{"wrong_result", "expected the sum " + text(sum_) + ", got " + text(got)};
  }
  double sequential_ms() const override {
    const std::vector<float> h_in = d_in_.download();
    const auto begin = std::chrono::steady_clock::now();
    volatile float sum = std::accumulate(h_in.begin(), h_in.end(), 0.0F);
    static_cast<void>(sum);
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
        .count();
  }

 private:
  Buffer<float> d_in_;
  Buffer<float> d_out_;
  double sum_ = 0;
};

judge::Workload sum_workload(std::size_t num_items) {
  const std::size_t size_bytes = sizeof(float) * num_items;
  return {.function = "reduce_sum",
          .limit = "read_bandwidth",
          .library = "cub_reduce_sum",
          .num_items = static_cast<double>(num_items),
          .bytes_per_call = static_cast<double>(size_bytes),
          .arena_bytes_per_call = size_bytes + 4096,
          .scratch_bytes = num_items / 4 + (std::size_t{64} << 10),
          .make_slot = [=](judge::Arena& arena) {
            return std::make_unique<SumSlot>(arena, num_items);
          }};
}

// ---- rungs 01 to 06
// ------------------------------------------------------------------------------------

class ReduceSum : public Reduction {};

TEST_F(ReduceSum, AddsWithinOneBlock) {
  expect_for_sizes({1, 2, 3, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257},
                   [&](int num_items) { return sum_of_integers(num_items); });
}

TEST_F(ReduceSum, AddsAcrossBlocks) {
  const int large = 100000 + static_cast<int>(next_seed() % 1000);
  expect_for_sizes({511, 512, 513, 1000, 1023, 1024, 1025, 2048, 4095, 4096, 4097, 8192, 65535,
                    65536, 65537, large},
                   [&](int num_items) { return sum_of_integers(num_items); });
}

TEST_F(ReduceSum, AddsManyItems) {
  // More than one pass of block sums, and more than a grid-stride loop of the whole device.
  const int num_items = (judge::kOnGpu ? 1 << 25 : 1 << 20) + static_cast<int>(next_seed() % 997);
  expect_for_sizes({num_items}, [&](int size) {
    const auto h_in = judge::random_integers(next_seed(), size, 100);
    return reduce("reduce_sum", h_in, {std::accumulate(h_in.begin(), h_in.end(), 0.0)});
  });
}

TEST_F(ReduceSum, GivesZeroForNoItems) {
  if (const auto failure = sum_of_integers(33)) return fail(*failure);
  if (const auto failure = sum_of_integers(0)) return fail(*failure);
  begin_case();
  const auto d_out = output<float>("d_out", 1);
  const auto failure = call<decltype(lab::reduce_sum)>("reduce_sum", nullptr, 0, d_out);
  if (failure) return fail(*failure);
  if (const auto wrong =
          compare("reduce_sum of a null array of 0 items", d_out.download()[0], {0})) {
    fail(*wrong);
  }
}

TEST_F(ReduceSum, AddsRealNumbersWithinTheErrorBound) {
  expect_for_sizes({1000, 70001, (1 << 20) - 3}, [&](int num_items) {
    // Not centred on zero, so that rounding errors cannot hide behind cancellation.
    auto h_in = judge::random_units(next_seed(), num_items);
    // One large item in front: a single chain of additions that starts with it loses all that
    // follow.
    if (num_items > 1 << 19) h_in[0] = 0x1p24F;
    judge::WrongReduction clues;
    clues.over = [&](std::size_t begin, std::size_t end) {
      return std::accumulate(h_in.begin() + begin, h_in.begin() + end, 0.0);
    };
    const double sum = clues.over(0, h_in.size());
    auto failure = reduce("reduce_sum", h_in, {sum, sum_tolerance(num_items, sum)}, &clues);
    if (failure && failure->pattern.empty() && failure->kind == "wrong_result") {
      failure->pattern = num_items >= 70001
                             ? "too many numbers are added one after the other into one sum, which "
                               "rounds once for each of them, or items are missing"
                             : "the sum is kept in a type that cannot hold fractions, or items "
                               "are missing";
    }
    return failure;
  });
}

TEST_F(ReduceSum, PassesOnNotANumberAndInfinity) {
  for (const float special :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    auto h_in = judge::random_integers(next_seed(), 1000, 100);
    h_in[next_seed() % h_in.size()] = special;
    if (const auto failure = reduce("reduce_sum", h_in, {special})) return fail(*failure);
  }
}

TEST_F(ReduceSum, WorksOnEveryCall) {
  // Four calls in a row on buffers of their own: whatever a call leaves behind must not reach the
  // next.
  begin_case();
  give_scratch(5000);
  std::vector<Buffer<float>> d_outs;
  std::vector<double> sums;
  std::vector<wire::Call> calls;
  for (const int num_items : {5000, 40, 1025, 5000}) {
    const auto h_in = judge::random_integers(next_seed(), num_items, 1000);
    const auto number = std::to_string(calls.size());
    const auto d_in = input("d_in_" + number, h_in);
    d_outs.push_back(output<float>("d_out_" + number, 1));
    calls.push_back(judge::encode_call<decltype(lab::reduce_sum)>("reduce_sum", d_in, num_items,
                                                                  d_outs.back()));
    sums.push_back(std::accumulate(h_in.begin(), h_in.end(), 0.0));
  }
  if (const auto failure = run(calls)) return fail(*failure);
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const auto what = "call " + std::to_string(i + 1) + " of 4 in a row";
    if (const auto failure = compare(what, d_outs[i].download()[0], {sums[i]})) {
      return fail(*failure);
    }
  }
}

TEST_F(ReduceSum, DependsOnNoOrderOfExecution) {
  expect_in_any_order(12, [&](int round) {
    const int num_items = round % 2 == 0 ? 3000 : 60000;  // now a few blocks, now many
    return sum_of_integers(num_items + static_cast<int>(next_seed() % 3000));
  });
}

// ---- rung 07
// -------------------------------------------------------------------------------------------

class Operators : public Reduction {
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
      judge::WrongReduction clues;
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

  // All of one sign: a wrong identity (0 for the largest of negative items) must show.
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
      // So many that one of them meets the best item, whichever way the items are paired.
      const std::uint64_t seed = next_seed();
      for (int i = 0; i < num_items; ++i) {
        if (judge::random_bits(seed, i) % 2 == 0) h_in[i] = kNotANumber;
      }
      double value = smallest ? kInfinity : -kInfinity;
      for (const float item : h_in) {
        value = smallest ? std::fmin(value, item) : std::fmax(value, item);
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
    judge::WrongReduction wrong;
    wrong.num_items = h_a.size();
    wrong.over = [&](std::size_t begin, std::size_t end) {
      return std::inner_product(h_a.begin() + begin, h_a.begin() + end, h_b.begin() + begin, 0.0);
    };
    wrong.got = d_out.download()[0];
    wrong.expected = wrong.over(0, h_a.size());
    wrong.past_the_end = kPoison * kPoison;
    return compare("dot_product of " + std::to_string(num_items) + " items",
                   static_cast<float>(wrong.got), {wrong.expected}, judge::explain(wrong));
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
    if (judge::is_poison(got)) return Failure{"output_unwritten", "d_out[0] was never written"};
    const auto squared = [&](int i) {
      return text(h_points[0][i] * h_points[0][i] + h_points[1][i] * h_points[1][i] +
                  h_points[2][i] * h_points[2][i]);
    };
    Failure wrong{"wrong_result", "farthest_point of " + std::to_string(num_points) +
                                      " points: expected index " + std::to_string(expected) +
                                      ", got " + std::to_string(got)};
    if (got >= 0 && got < num_points && expected >= 0) {
      wrong.message +=
          "; their squared distances are " + squared(expected) + " and " + squared(got);
      if (squared(expected) == squared(got)) {
        wrong.pattern = "of several points equally far it is not the first that is returned";
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

int main(int argc, char** argv) {
  return judge::run(argc, argv,
                    {.default_suite = "ReduceSum",
                     .workload = {.make = sum_workload},
                     .suites = {{"07_operators", "Operators"}}});
}
