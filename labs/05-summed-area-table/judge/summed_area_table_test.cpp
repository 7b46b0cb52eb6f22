// SPDX-License-Identifier: MIT
// Rungs 01 to 04: the table.
#include "summed_area_table.cuh"

#include <algorithm>
#include <cmath>

#include "diagnosis.h"
#include "fixture.h"
#include "judge.h"

namespace lab_judge {
namespace {

using judge::Buffer;

constexpr double kUnit = 0x1p-24;  // u of the contract: half an ulp of a float in [1, 2)
constexpr int kLimit = 1000;       // of random pixels; 2^20 of them stay below 2^31

class SummedAreaTable : public PictureFixture {
 protected:
  // Explains what is wrong with a table of whole numbers, compared exactly.
  template <class T>
  static std::optional<Failure> compare(Shape shape, const std::vector<T>& h_in,
                                        const std::vector<T>& h_out) {
    const ExactTable exact(shape, {h_in.begin(), h_in.end()});
    std::vector<std::int64_t> got(h_out.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
      // Tables of this lab stay far below the largest value; a NaN or a fraction never equals a
      // sum.
      const bool is_whole = std::trunc(static_cast<double>(h_out[i])) == h_out[i];
      got[i] = !judge::is_poison(h_out[i]) && is_whole ? static_cast<std::int64_t>(h_out[i])
                                                       : kUnwritten;
    }
    const auto wrong = first_wrong(exact, got);
    if (!wrong) return std::nullopt;
    const auto [x, y] = *wrong;
    const T value = h_out[static_cast<std::size_t>(y) * shape.width + x];
    const bool is_written = !judge::is_poison(value);
    const std::string pixel = "pixel x = " + std::to_string(x) + ", y = " + std::to_string(y);
    Failure failure{is_written ? judge::kind::kWrongResult : judge::kind::kOutputUnwritten, "",
                    explain(exact, got)};
    failure.message = is_written ? pixel + ": expected " + std::to_string(exact.table(x, y)) +
                                       ", got " + judge::number(static_cast<double>(value)) +
                                       " (the first wrong one, row by row)"
                                 : pixel + " was never written (the first such, row by row)";
    if (const std::string grid = grid_text(shape, h_out); !grid.empty()) {
      failure.message += "\ninput " + grid_text(shape, h_in) + ", output " + grid;
    }
    return failure;
  }

  template <class T>
  wire::Call encode(const Buffer<T>& d_in, Shape shape, const Buffer<T>& d_out) {
    if constexpr (std::is_same_v<T, int>) {
      return judge::encode_call<decltype(lab::summed_area_table)>("summed_area_table", d_in,
                                                                  shape.width, shape.height, d_out);
    } else {
      return judge::encode_call<decltype(lab::summed_area_table_float)>(
          "summed_area_table_float", d_in, shape.width, shape.height, d_out);
    }
  }

  // Calls the rung on one picture of whole numbers and returns what is wrong with its table.
  template <class T>
  std::optional<Failure> table_of(Shape shape, const std::vector<T>& h_in) {
    begin_case();
    give_scratch(shape);
    const auto d_in = input("d_in", h_in);
    const auto d_out = output<T>("d_out", h_in.size());
    if (auto failure = run({encode(d_in, shape, d_out)})) return failure;
    return compare(shape, h_in, d_out.download());
  }

  std::optional<Failure> table_of_random(Shape shape) {
    return table_of(shape, random_picture(shape, next_seed(), kLimit));
  }
};

TEST_F(SummedAreaTable, GivesTheWorkedExample) {
  const Shape shape = {3, 3};
  if (auto failure = table_of<int>(shape, {1, 2, 3, 4, 5, 6, 7, 8, 9})) {
    failure->message = "the handout's example: " + failure->message;
    return fail(*failure);
  }
  // The same shape with other numbers, which a program cannot know in advance.
  if (const auto failure = table_of_random(shape)) fail(*failure);
}

TEST_F(SummedAreaTable, SumsSmallPictures) {
  expect_for_shapes({{1, 1},
                     {5, 3},
                     {3, 5},
                     {2, 1},
                     {1, 2},
                     {2, 2},
                     {7, 7},
                     {31, 2},
                     {32, 4},
                     {33, 5},
                     {4, 31},
                     {5, 32},
                     {6, 33},
                     {31, 31},
                     {32, 32},
                     {33, 33}},
                    [&](Shape shape) { return table_of_random(shape); });
}

TEST_F(SummedAreaTable, SumsSingleRowsAndColumns) {
  // Past 1024, the most threads of a block, and past 32 tiles of the width of a warp.
  const int length = (judge::kOnGpu ? 2000 : 1100) + static_cast<int>(next_seed() % 500);
  expect_for_shapes({{127, 1},
                     {128, 1},
                     {129, 1},
                     {1, 127},
                     {1, 128},
                     {1, 129},
                     {length, 1},
                     {1, length},
                     {length, 2},
                     {3, length}},
                    [&](Shape shape) { return table_of_random(shape); });
}

TEST_F(SummedAreaTable, SumsAcrossTiles) {
  // Around the usual tile sizes, and primes, which no tile divides. Width and height differ.
  std::vector<Shape> shapes = {{63, 65},   {64, 64},   {65, 63},   {127, 129},
                               {128, 128}, {129, 127}, {101, 211}, {211, 101},
                               {257, 256}, {300, 140}, {140, 300}};
  if (judge::kOnGpu) shapes.insert(shapes.end(), {{256, 257}, {449, 331}});
  expect_for_shapes(shapes, [&](Shape shape) { return table_of_random(shape); });
}

TEST_F(SummedAreaTable, SumsPicturesOfManyItems) {
  // On the device 6 x 6 tiles of 128 x 128, the largest in use.
  const int extra = static_cast<int>(next_seed() % 37);
  const Shape shape =
      judge::kOnGpu ? Shape{5003 + extra, 4099 - extra} : Shape{653 + extra, 691 - extra};
  expect_for_shapes({shape}, [&](Shape tried) {
    return table_of(tried, random_picture(tried, next_seed(), 50));
  });
}

TEST_F(SummedAreaTable, AcceptsPicturesWithoutPixels) {
  if (const auto failure = table_of_random({33, 2})) return fail(*failure);
  for (const Shape shape : {Shape{0, 0}, Shape{7, 0}, Shape{0, 7}, Shape{100000, 0}}) {
    begin_case();
    give_scratch(shape);
    auto failure = call<decltype(lab::summed_area_table)>("summed_area_table", nullptr, shape.width,
                                                          shape.height, nullptr);
    if (!failure) continue;
    failure->message = "with a picture of " + to_text(shape) + " pixels: " + failure->message;
    return fail(*failure);
  }
}

TEST_F(SummedAreaTable, SumsFloatsOfWholeNumbersExactly) {
  expect_for_shapes({{1, 1}, {5, 3}, {33, 34}, {130, 67}, {67, 130}, {301, 203}}, [&](Shape shape) {
    // Below 2^24 in all: no sum rounds, whatever the order.
    const auto picture = random_picture(shape, next_seed(), 100);
    return table_of(shape, std::vector<float>(picture.begin(), picture.end()));
  });
}

TEST_F(SummedAreaTable, SumsRealNumbersWithinTheErrorBound) {
  const Shape large = judge::kOnGpu ? Shape{1201, 700} : Shape{601, 350};
  expect_for_shapes({{40, 30}, {257, 129}, large}, [&](Shape shape) -> std::optional<Failure> {
    // All positive, because cancellation would hide errors. The bound depends on each pixel's
    // own sum: a program that adds the whole picture's sum and subtracts it again exceeds it.
    const auto h_in = judge::random_units(next_seed(), shape.num_pixels());
    begin_case();
    give_scratch(shape);
    const auto d_in = input("d_in", h_in);
    const auto d_out = output<float>("d_out", h_in.size());
    if (auto failure = run({encode(d_in, shape, d_out)})) return failure;
    const std::vector<float> h_out = d_out.download();
    std::vector<double> above(shape.width);  // the row before, in double
    for (int y = 0; y < shape.height; ++y) {
      double row = 0;
      for (int x = 0; x < shape.width; ++x) {
        const std::size_t item = static_cast<std::size_t>(y) * shape.width + x;
        row += h_in[item];
        const double expected = row + above[x];
        const double allowed = (0.0 + shape.width + shape.height + 64) * kUnit * expected;
        if (!(std::abs(h_out[item] - expected) <= allowed)) {
          const std::string pixel = "pixel x = " + std::to_string(x) + ", y = " + std::to_string(y);
          if (judge::is_poison(h_out[item])) {
            return Failure{judge::kind::kOutputUnwritten, pixel + " was never written"};
          }
          const bool are_whole = std::all_of(
              h_out.begin(), h_out.end(), [](float value) { return std::trunc(value) == value; });
          return Failure{judge::kind::kWrongResult,
                         pixel + ": expected " + judge::number(expected) + ", got " +
                             judge::number(h_out[item]) + " (allowed error " +
                             judge::number(allowed) + ")",
                         are_whole ? "all sums are whole numbers: a sum is kept in an int" : ""};
        }
        above[x] = expected;
      }
    }
    return std::nullopt;
  });
}

TEST_F(SummedAreaTable, WorksOnEveryCall) {
  begin_case();
  const std::vector<Shape> shapes = {{150, 90}, {20, 3}, {90, 150}, {129, 65}, {150, 90}};
  give_scratch(shapes.front());
  std::vector<std::vector<int>> h_ins;
  std::vector<Buffer<int>> d_outs;
  std::vector<wire::Call> calls;
  for (const Shape shape : shapes) {
    h_ins.push_back(random_picture(shape, next_seed(), kLimit));
    const auto number = std::to_string(calls.size());
    const auto d_in = input("d_in_" + number, h_ins.back());
    d_outs.push_back(output<int>("d_out_" + number, shape.num_pixels()));
    calls.push_back(encode(d_in, shape, d_outs.back()));
  }
  const auto failure = run_in_a_row(calls, [&](std::size_t i) {
    auto wrong = compare(shapes[i], h_ins[i], d_outs[i].download());
    if (wrong) wrong->message = "a picture of " + to_text(shapes[i]) + " pixels: " + wrong->message;
    return wrong;
  });
  if (failure) fail(*failure);
}

TEST_F(SummedAreaTable, DependsOnNoOrderOfExecution) {
  // First more tiles than are resident at a time, where blocks wait for each other: the emulated
  // device has room for 4 blocks of 512 threads, and tiles have up to 128 x 128 pixels. Then now a
  // long row of tiles, now a square of them.
  const std::string& rung = judge::options().rung;
  const bool may_wait = rung == "03b_two_look_backs" || rung == "04_single_pass";
  expect_in_any_order(8, [&](int round) {
    const int extra = static_cast<int>(next_seed() % 60);
    const Shape shape = round == 0 && may_wait ? Shape{390 + extra, 300}
                        : round % 2 == 0       ? Shape{700 + extra, 66}
                                               : Shape{260 + extra, 300 - extra};
    auto failure = table_of_random(shape);
    if (failure) {
      failure->message = "with a picture of " + to_text(shape) + " pixels: " + failure->message;
    }
    return failure;
  });
}

}  // namespace
}  // namespace lab_judge
