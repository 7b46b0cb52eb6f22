// SPDX-License-Identifier: MIT
#include "fixture/device_loop.cuh"
#include "fixture/test_data.h"
#include "workload_tables.h"

namespace lab_judge {
namespace {

constexpr int kPictureLimit = 7;  // 2^28 pixels of at most this magnitude: below 2^31 in all
constexpr int kTableLimit = (1 << 20) - 1;
constexpr double kMeanTolerance = 5 * 0x1p-24;  // box_filter's contract

struct FillIntegers {
  int* d_items;
  std::uint64_t seed;
  int limit;
  LOCKSTEP_HOST_DEVICE std::uint64_t operator()(std::size_t index) const {
    d_items[index] = static_cast<int>(judge::random_integer(seed, index, limit));
    return 0;
  }
};

// A table's entry, 0 beyond its left and upper border. (x, y) is the last pixel that it sums.
LOCKSTEP_HOST_DEVICE inline std::int64_t entry(const int* d_table, int width, std::int64_t x,
                                               std::int64_t y) {
  if (x < 0 || y < 0) return 0;
  return d_table[y * width + x];
}

struct WrongSum {
  const int* d_picture;
  const int* d_table;
  int width;
  LOCKSTEP_HOST_DEVICE std::uint64_t operator()(std::size_t index) const {
    const auto x = static_cast<std::int64_t>(index % width);
    const auto y = static_cast<std::int64_t>(index / width);
    const std::int64_t expected = d_picture[index] + entry(d_table, width, x - 1, y) +
                                  entry(d_table, width, x, y - 1) -
                                  entry(d_table, width, x - 1, y - 1);
    return d_table[index] == expected ? 0 : 1;
  }
};

struct WrongMean {
  const int* d_table;
  const float* d_means;
  int width, height, window_width, window_height;
  LOCKSTEP_HOST_DEVICE std::uint64_t operator()(std::size_t index) const {
    const int x = static_cast<int>(index % width);
    const int y = static_cast<int>(index / width);
    // One before the first, and the last; cut to the picture.
    const auto at_least = [](int value, int floor) { return value < floor ? floor : value; };
    const auto at_most = [](int value, int ceiling) { return value > ceiling ? ceiling : value; };
    const int x0 = at_least(x - (window_width - 1) / 2 - 1, -1);
    const int y0 = at_least(y - (window_height - 1) / 2 - 1, -1);
    const int x1 = at_most(x + window_width / 2, width - 1);
    const int y1 = at_most(y + window_height / 2, height - 1);
    const auto sum =
        static_cast<double>(entry(d_table, width, x1, y1) - entry(d_table, width, x0, y1) -
                            entry(d_table, width, x1, y0) + entry(d_table, width, x0, y0));
    const double mean = sum / (static_cast<double>(x1 - x0) * (y1 - y0));
    const double error = d_means[index] - mean;
    const double allowed = kMeanTolerance * (mean < 0 ? -mean : mean);
    return error <= allowed && -error <= allowed ? 0 : 1;  // a NaN is neither
  }
};

}  // namespace

void fill_picture(int* d_picture, Shape shape, std::uint64_t seed) {
  judge::sum_over(shape.num_pixels(), FillIntegers{d_picture, seed, kPictureLimit});
}

void fill_table(int* d_table, Shape shape, std::uint64_t seed) {
  judge::sum_over(shape.num_pixels(), FillIntegers{d_table, seed, kTableLimit});
}

std::uint64_t count_wrong(const int* d_picture, const int* d_table, Shape shape) {
  return judge::sum_over(shape.num_pixels(), WrongSum{d_picture, d_table, shape.width});
}

std::uint64_t count_wrong_means(const int* d_table, const float* d_means, Shape shape,
                                int window_width, int window_height) {
  return judge::sum_over(shape.num_pixels(), WrongMean{d_table, d_means, shape.width, shape.height,
                                                       window_width, window_height});
}

}  // namespace lab_judge
