// SPDX-License-Identifier: MIT
// Rungs 07b to 08: softmax of rows.
#include <algorithm>
#include <cmath>
#include <limits>

#include "fixture/fixture.h"
#include "fixture/options.h"
#include "workload.h"

namespace lab_judge {
namespace {

using judge::Buffer;
using judge::Failure;
using judge::number;
using lab::kWarpSize;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNotANumber = std::numeric_limits<float>::quiet_NaN();
constexpr float kLargest = std::numeric_limits<float>::max();

struct Matrix {
  int num_rows;
  int row_length;
  std::vector<float> items;  // (num_rows, row_length)

  const float* row(int index) const { return items.data() + std::size_t{1} * index * row_length; }
};

std::string text(const Matrix& matrix) {
  return judge::counted(matrix.num_rows, "row") + " of " + std::to_string(matrix.row_length);
}

struct Row {
  const float* items;
  int length;

  float largest(int end) const { return *std::max_element(items, items + end); }
  float largest() const { return largest(length); }
  bool is_nan() const {  // of the contract
    return std::any_of(items, items + length,
                       [](float item) { return std::isnan(item) || item == kInfinity; }) ||
           largest() == -kInfinity;
  }
  double sum(int begin, int end, double base) const {
    double sum = 0;
    for (int i = begin; i < end; ++i) sum += std::exp(static_cast<double>(items[i]) - base);
    return sum;
  }
  // An online sum by 256 threads in which every item counts as a new largest one.
  double sum_of_ones() const {
    constexpr int kThreads = 256;
    double total = 0;
    for (int thread = 0; thread < std::min(kThreads, length); ++thread) {
      double own_largest = items[thread];
      double sum = 0;
      for (int i = thread; i < length; i += kThreads) {
        const double next = std::max(own_largest, double{items[i]});
        sum = sum * std::exp(own_largest - next) + 1;
        own_largest = next;
      }
      total += sum * std::exp(own_largest - largest());
    }
    return total;
  }
};

// Whether some lanes have no numbers, the same in all warps, and lane 0 has some.
bool is_wrong_by_lane(const Row& row, const float* got) {
  bool all_finite = true;
  for (int i = 0; i < row.length; ++i) {
    const bool is_finite = std::isfinite(got[i]);
    if (is_finite != std::isfinite(got[i % kWarpSize])) return false;
    all_finite = all_finite && is_finite;
  }
  return !all_finite && std::isfinite(got[0]);
}

// A clause that completes "It looks as if ...", from a whole row of items without NaN; or nothing.
std::string explain_row(const Row& row, const float* got) {
  const double largest = row.largest();
  const double sum = row.sum(0, row.length, largest);
  const auto fits = [&](auto mistake) {
    for (int i = 0; i < row.length; ++i) {
      const double distance = largest - row.items[i];
      if (!is_share(got[i], mistake(distance), distance, row.length)) return false;
    }
    return true;
  };
  if (std::all_of(got, got + row.length, [](float share) { return std::isnan(share); })) {
    return "exp overflows or nothing is left of the sum: subtract the row's maximum from every "
           "item, and keep -infinity - -infinity, which is NaN, out of the sum";
  }
  if (is_wrong_by_lane(row, got)) {
    return "the threads of a row do not know the same maximum and sum: __shfl_down_sync leaves "
           "them in lane 0 alone, so pass them on (__shfl_sync), or use __shfl_xor_sync";
  }
  if (fits([](double distance) { return std::exp(-distance); })) {
    return "the shares are not divided by their sum";
  }
  if (fits([&](double distance) { return -distance - std::log(sum); })) {
    return "these are the logarithms of the shares";
  }
  if (const double total = row.sum_of_ones(); total > 0) {
    if (fits([&](double distance) { return std::exp(-distance) / total; })) {
      return "each item adds 1 to the running sum: only a new largest item does, "
             "and any other adds exp(item - largest)";
    }
  }
  constexpr double kMostPadded = 32768;
  const double padding = (std::exp(row.items[0] - largest) / got[0] - sum) / std::exp(-largest);
  const double padded = std::round(padding);
  if (padded >= 1 && padded <= kMostPadded && std::abs(padding - padded) < 0.01) {
    const double total = sum + padded * std::exp(-largest);
    if (fits([&](double distance) { return std::exp(-distance) / total; })) {
      return "what is past the end of the row counts as items of value 0: -infinity adds nothing to "
             "the sum, and 0 adds exp(0 - maximum)";
    }
  }
  for (int piece = 2; piece <= 1024; piece *= 2) {
    const int whole = row.length / piece * piece;
    if (whole == row.length || whole == 0) continue;
    const double head = row.sum(0, whole, largest);
    if (fits([&](double distance) { return std::exp(-distance) / head; })) {
      return "the last items of the row, which do not fill a whole warp or vector, "
             "are missing in the sum";
    }
  }
  for (int piece = kWarpSize; piece < row.length && piece <= 4096; piece *= 2) {
    const double first = row.sum(0, piece, largest);
    if (fits([&](double distance) { return std::exp(-distance) / first; })) {
      return "the sum has only the items that the first warp or the first round takes";
    }
  }
  return {};
}

class Softmax : public judge::Fixture {
 protected:
  // Real numbers of [base, base + range).
  Matrix random_matrix(int num_rows, int row_length, float range = 12, float base = -5) {
    Matrix matrix{num_rows, row_length,
                  judge::random_units(next_seed(), std::size_t{1} * num_rows * row_length)};
    for (float& item : matrix.items) item = base + range * item;
    return matrix;
  }

  struct Case {
    Matrix matrix;
    Buffer<float> d_out;
    wire::Call call;
  };
  Case make_case(Matrix matrix, const std::string& number = {}) {
    Case made{std::move(matrix), {}, {}};
    const auto d_in = input("d_in" + number, made.matrix.items);
    made.d_out = output<float>("d_out" + number, made.matrix.items.size());
    made.call = judge::encode_call<decltype(lab::softmax)>("softmax", d_in, made.matrix.num_rows,
                                                           made.matrix.row_length, made.d_out);
    return made;
  }

  static std::optional<Failure> compare_row(const Row& row, const float* got,
                                            const std::string& what) {
    const bool is_nan = row.is_nan();
    const double largest = is_nan ? 0 : row.largest();
    const double sum = is_nan ? 1 : row.sum(0, row.length, largest);
    for (int i = 0; i < row.length; ++i) {
      const double distance = largest - row.items[i];
      const double expected = is_nan ? kNotANumber : std::exp(-distance) / sum;
      if (is_nan ? std::isnan(got[i]) : is_share(got[i], expected, distance, row.length)) {
        continue;
      }
      const std::string item = what + "[" + std::to_string(i) + "]";
      if (judge::is_poison(got[i])) {
        return Failure{judge::kind::kOutputUnwritten, item + " was never written"};
      }
      return Failure{judge::kind::kWrongResult,
                     item + " should be " + number(expected) + ", but is " + number(got[i]) +
                         "; the item is " + number(row.items[i]) + ", the row's maximum " +
                         number(row.largest()),
                     is_nan ? "" : explain_row(row, got)};
    }
    return std::nullopt;
  }

  static std::optional<Failure> compare(const Case& made) {
    const std::vector<float> got = made.d_out.download();
    const Matrix& matrix = made.matrix;
    if (matrix.row_length == 0) return std::nullopt;
    for (int index = 0; index < matrix.num_rows; ++index) {
      const Row row{matrix.row(index), matrix.row_length};
      const float* const shares = got.data() + (row.items - matrix.items.data());
      auto failure =
          compare_row(row, shares, text(matrix) + ": d_out[" + std::to_string(index) + "]");
      if (failure) return failure;
    }
    return std::nullopt;
  }

  std::optional<Failure> attempt(Matrix matrix) {
    begin_case();
    const Case made = make_case(std::move(matrix));
    if (auto failure = run({made.call})) return failure;
    return compare(made);
  }

  int some(int most) { return static_cast<int>(next_seed() % (most + 1)); }
};

TEST_F(Softmax, SolvesTheCaseStudy) {
  const int num_rows = judge::kOnGpu ? 32768 : 64 + some(3);
  if (const auto failure = attempt(random_matrix(num_rows, 256))) fail(*failure);
}

TEST_F(Softmax, TakesRowsOfAnyLength) {
  expect_for_sizes({1,
                    2,
                    3,
                    4,
                    5,
                    31,
                    32,
                    33,
                    63,
                    64,
                    65,
                    127,
                    128,
                    129,
                    255,
                    257,
                    258,
                    511,
                    512,
                    513,
                    1000,
                    1001,
                    1023,
                    1024,
                    1025,
                    1028,
                    2047,
                    2048,
                    4096,
                    4097,
                    5000 + some(500)},
                   [&](int row_length) { return attempt(random_matrix(3, row_length)); });
}

TEST_F(Softmax, TakesLongRows) {
  std::vector<int> lengths = {8192, 10007, 16384, 32768, 32772, 100000, 100003};
  if (judge::kOnGpu) lengths.insert(lengths.end(), {1000000, 1000001});
  expect_for_sizes(lengths, [&](int row_length) { return attempt(random_matrix(1, row_length)); });
}

// A rung may launch a block for each row.
int many_rows(int row_length) {
  if (!judge::kOnGpu) return 140;
  return (judge::options().few_launches ? 200'000 : 4'000'000) / (row_length + 12);
}

TEST_F(Softmax, TakesManyRows) {
  for (const int row_length : {1, 2, 4, 7, 8, 12, 16, 20, 33, 64, 100, 128}) {
    const int num_rows = many_rows(row_length) + some(100);
    if (const auto failure = attempt(random_matrix(num_rows, row_length))) return fail(*failure);
  }
}

// Items so large that exp gives infinity, or so small that it gives 0 for a whole row.
TEST_F(Softmax, TakesLargeNumbers) {
  for (const int row_length : {40, 256, 1300, 40000}) {
    for (const float base : {1000.0F, -1000.0F, 1e6F}) {
      if (const auto failure = attempt(random_matrix(2, row_length, 20, base))) {
        return fail(*failure);
      }
    }
    Matrix matrix = random_matrix(2, row_length);
    for (float& item : matrix.items) item = item > 0 ? kLargest : -kLargest;
    matrix.items[some(row_length - 1)] = 1;
    if (const auto failure = attempt(matrix)) return fail(*failure);
  }
}

TEST_F(Softmax, TakesInfinityAndNotANumber) {
  for (const int row_length : {1, 33, 256, 1025, 4096, 33000}) {
    // Row 0 as it is; 1: all but one item masked; 2: half masked; 3: all; 4: a NaN; 5: +infinity.
    Matrix matrix = random_matrix(6, row_length);
    const auto begin = [&](int row) { return matrix.items.begin() + row * row_length; };
    std::fill(begin(1), begin(2), -kInfinity);
    begin(1)[some(row_length - 1)] = -3;
    std::fill(begin(2), begin(2) + row_length / 2, -kInfinity);
    std::fill(begin(3), begin(4), -kInfinity);
    begin(4)[some(row_length - 1)] = kNotANumber;
    begin(5)[some(row_length - 1)] = kInfinity;
    if (const auto failure = attempt(matrix)) return fail(*failure);
  }
}

// One large share, and many so small that each alone would vanish next to it; together they do not.
TEST_F(Softmax, AddsUpSmallShares) {
  for (const int row_length : {256, 4096, 100000}) {
    Matrix matrix = random_matrix(1, row_length, 0.01F, -17.4F);
    matrix.items[0] = 0;
    if (const auto failure = attempt(matrix)) return fail(*failure);
  }
  // Ever larger items, for which a running sum must be rescaled repeatedly.
  for (const int row_length : {1000, 50000}) {
    Matrix matrix = random_matrix(1, row_length, 0.001F, 0);
    for (int i = 0; i < row_length; ++i) matrix.items[i] += 0.002F * static_cast<float>(i);
    if (const auto failure = attempt(matrix)) return fail(*failure);
  }
}

TEST_F(Softmax, WorksOnEveryCall) {
  begin_case();
  std::vector<Case> cases;
  std::vector<wire::Call> calls;
  for (const auto& [num_rows, row_length] :
       {std::pair{5, 256}, std::pair{0, 256}, std::pair{5, 0}, std::pair{7, 33}, std::pair{1, 5000},
        std::pair{5, 256}}) {
    cases.push_back(
        make_case(random_matrix(num_rows, row_length), "_" + std::to_string(cases.size())));
    calls.push_back(cases.back().call);
  }
  if (const auto failure = run(calls)) return fail(*failure);
  for (const Case& made : cases) {
    if (const auto failure = compare(made)) return fail(*failure);
  }
}

TEST_F(Softmax, DependsOnNoOrderOfExecution) {
  for (const int row_length : {100, 256, 700, 3000, 33000}) {
    set_schedule(next_seed() | 1);
    const int num_rows = row_length > 10000 ? 1 : 9;
    if (const auto failure = attempt(random_matrix(num_rows, row_length))) return fail(*failure);
  }
}

}  // namespace
}  // namespace lab_judge
