// SPDX-License-Identifier: MIT
// Rung 05. The judge makes the table, so the rung is independent of earlier rungs.
#include <algorithm>
#include <cmath>
#include <sstream>

#include "fixture.h"

namespace lab_judge {
namespace {

constexpr double kTolerance = 5 * 0x1p-24;  // of the contract, relative

struct Window {
  int width;
  int height;
};

// Columns [x0, x1) and rows [y0, y1) of the picture.
struct Box {
  int x0, y0, x1, y1;
};

Box box_at(Shape shape, Window window, int x, int y) {
  return {std::max(x - (window.width - 1) / 2, 0), std::max(y - (window.height - 1) / 2, 0),
          std::min(x + window.width / 2, shape.width - 1) + 1,
          std::min(y + window.height / 2, shape.height - 1) + 1};
}

double count_of(Box box) { return static_cast<double>(box.x1 - box.x0) * (box.y1 - box.y0); }

// A mistake's mean at one pixel.
struct Mistake {
  const char* clause;
  double (*mean)(const ExactTable& exact, Window window, Box box, int x, int y);
};

double sum_of(const ExactTable& exact, Box box) {
  return static_cast<double>(exact.sum(box.x0, box.y0, box.x1, box.y1));
}

// The most specific first. A table's entry (x, y) is exact.table(x, y), 0 where x or y is -1.
constexpr Mistake kMistakes[] = {
    {"the sum is not divided by the number of pixels",
     [](const ExactTable& exact, Window, Box box, int, int) { return sum_of(exact, box); }},
    {"at the borders the sum is divided by the whole window's pixels, "
     "and not by those that lie in the picture",
     [](const ExactTable& exact, Window window, Box box, int, int) {
       return sum_of(exact, box) / (static_cast<double>(window.width) * window.height);
     }},
    {"A is not added back: it is part of both B and C, so it was taken away twice",
     [](const ExactTable& exact, Window, Box box, int, int) {
       return (sum_of(exact, box) - static_cast<double>(exact.sum(0, 0, box.x0, box.y0))) /
              count_of(box);
     }},
    {"A, B and C are read at the window's first row and column, and not one before: that row and "
     "column are missing from the sum",
     [](const ExactTable& exact, Window, Box box, int, int) {
       return static_cast<double>(exact.sum(box.x0 + 1, box.y0 + 1, box.x1, box.y1)) /
              count_of(box);
     }},
    {"the window ends one row and one column too early",
     [](const ExactTable& exact, Window, Box box, int, int) {
       return static_cast<double>(exact.sum(box.x0, box.y0, box.x1 - 1, box.y1 - 1)) /
              count_of(box);
     }},
    {"width and height of the window are interchanged",
     [](const ExactTable& exact, Window window, Box, int x, int y) {
       const Box other = box_at(exact.shape(), {window.height, window.width}, x, y);
       return sum_of(exact, other) / count_of(other);
     }},
    {"the window of an even size reaches one too far to the left and up",
     [](const ExactTable& exact, Window window, Box, int x, int y) {
       const Shape shape = exact.shape();
       const Box other = {std::max(x - window.width / 2, 0), std::max(y - window.height / 2, 0),
                          std::min(x + (window.width - 1) / 2, shape.width - 1) + 1,
                          std::min(y + (window.height - 1) / 2, shape.height - 1) + 1};
       return sum_of(exact, other) / count_of(other);
     }},
    {"the mean is cut to a whole number",
     [](const ExactTable& exact, Window, Box box, int, int) {
       return std::trunc(sum_of(exact, box) / count_of(box));
     }},
};

bool is_close(double got, double expected) {
  return std::abs(got - expected) <= kTolerance * std::abs(expected);
}

class BoxFilter : public PictureFixture {
 protected:
  std::optional<Failure> blur(Shape shape, Window window) {
    const auto picture = random_picture(shape, next_seed(), 1000);
    const ExactTable exact(shape, {picture.begin(), picture.end()});
    std::vector<int> h_table(shape.num_pixels());
    for (int y = 0; y < shape.height; ++y) {
      for (int x = 0; x < shape.width; ++x) {
        h_table[static_cast<std::size_t>(y) * shape.width + x] =
            static_cast<int>(exact.table(x, y));
      }
    }
    begin_case();
    give_scratch(shape);
    const auto d_table = input("d_table", h_table);
    const auto d_out = output<float>("d_out", h_table.size());
    if (auto failure = call<decltype(lab::box_filter)>(
            "box_filter", d_table, shape.width, shape.height, window.width, window.height, d_out)) {
      return failure;
    }
    return compare(exact, window, d_out.download());
  }

 private:
  using MeanAt = std::function<double(Box box, int x, int y)>;
  static bool holds_everywhere(Shape shape, Window window, const std::vector<float>& h_out,
                               const MeanAt& mean) {
    for (int y = 0; y < shape.height; ++y) {
      for (int x = 0; x < shape.width; ++x) {
        const float got = h_out[static_cast<std::size_t>(y) * shape.width + x];
        if (!is_close(got, mean(box_at(shape, window, x, y), x, y))) return false;
      }
    }
    return true;
  }

  static std::optional<Failure> compare(const ExactTable& exact, Window window,
                                        const std::vector<float>& h_out) {
    const Shape shape = exact.shape();
    for (int y = 0; y < shape.height; ++y) {
      for (int x = 0; x < shape.width; ++x) {
        const float got = h_out[static_cast<std::size_t>(y) * shape.width + x];
        const Box box = box_at(shape, window, x, y);
        const double expected = sum_of(exact, box) / count_of(box);
        if (is_close(got, expected)) continue;
        std::ostringstream message;
        message.precision(9);
        message << "window " << window.width << " x " << window.height << ", pixel x = " << x
                << ", y = " << y << ": ";
        if (judge::is_poison(got)) {
          message << "never written";
          return Failure{judge::kind::kOutputUnwritten, message.str()};
        }
        message << "expected the mean " << expected << " of columns " << box.x0 << " to "
                << box.x1 - 1 << " and rows " << box.y0 << " to " << box.y1 - 1 << ", got " << got
                << " (the first wrong one, row by row)";
        Failure failure{judge::kind::kWrongResult, message.str()};
        for (const Mistake& mistake : kMistakes) {
          const auto mean = [&](Box at, int column, int row) {
            return mistake.mean(exact, window, at, column, row);
          };
          if (!holds_everywhere(shape, window, h_out, mean)) continue;
          failure.pattern = mistake.clause;
          break;
        }
        return failure;
      }
    }
    return std::nullopt;
  }
};

TEST_F(BoxFilter, AveragesSquareWindows) {
  for (const int size : {1, 3, 5, 9, 21}) {
    expect_for_shapes({{1, 1}, {2, 3}, {9, 8}, {33, 31}, {70, 45}, {101, 53}}, [&](Shape shape) {
      return blur(shape, {size, size});
    });
    if (HasFailure()) return;
  }
}

TEST_F(BoxFilter, AveragesWindowsOfAnySize) {
  // Even sizes reach one pixel further right and down than left and up; width and height differ.
  for (const Window window : {Window{1, 2}, {2, 1}, {2, 2}, {4, 3}, {3, 8}, {1, 17}, {40, 1}}) {
    expect_for_shapes({{3, 5}, {31, 33}, {97, 41}},
                      [&](Shape shape) { return blur(shape, window); });
    if (HasFailure()) return;
  }
}

TEST_F(BoxFilter, CutsWindowsToThePicture) {
  // Windows that reach past two, three or all four borders at once.
  for (const Window window : {Window{1000, 3}, {2, 1000}, {99, 99}, {2147483647, 2147483647}}) {
    expect_for_shapes({{1, 7}, {7, 1}, {12, 9}, {100, 33}, {50, 99}},
                      [&](Shape shape) { return blur(shape, window); });
    if (HasFailure()) return;
  }
}

TEST_F(BoxFilter, FiltersPicturesOfManyItems) {
  const int extra = static_cast<int>(next_seed() % 37);
  const Shape shape = judge::kOnGpu ? Shape{2003 + extra, 1009} : Shape{601 + extra, 409};
  // With 4 rows per block it is more than a grid may have blocks in its second dimension.
  const Shape tall = {1, judge::kOnGpu ? 1 << 22 : (1 << 18) + 1};
  expect_for_shapes({shape, tall}, [&](Shape tried) { return blur(tried, {31, 17}); });
}

TEST_F(BoxFilter, AcceptsPicturesWithoutPixels) {
  if (const auto failure = blur({33, 2}, {3, 3})) return fail(*failure);
  for (const Shape shape : {Shape{0, 0}, Shape{7, 0}, Shape{0, 7}}) {
    begin_case();
    give_scratch(shape);
    auto failure = call<decltype(lab::box_filter)>("box_filter", nullptr, shape.width, shape.height,
                                                   3, 3, nullptr);
    if (!failure) continue;
    failure->message = "with a picture of " + to_text(shape) + " pixels: " + failure->message;
    return fail(*failure);
  }
}

TEST_F(BoxFilter, DependsOnNoOrderOfExecution) {
  expect_in_any_order(4, [&](int) {
    const int extra = static_cast<int>(next_seed() % 60);
    return blur({200 + extra, 90}, {7, 12});
  });
}

}  // namespace
}  // namespace lab_judge
