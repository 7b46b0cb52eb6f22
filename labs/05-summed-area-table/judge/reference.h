// SPDX-License-Identifier: MIT
// The right table of a picture, exact.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace lab_judge {

struct Shape {
  int width;
  int height;
  std::size_t num_pixels() const { return static_cast<std::size_t>(width) * height; }
  bool operator==(const Shape&) const = default;
};
std::string to_text(Shape shape);  // "5 x 3"

// A pixel that no thread wrote.
inline constexpr std::int64_t kUnwritten = std::numeric_limits<std::int64_t>::min();

// Sums over any rectangle of a picture of whole numbers, exact.
class ExactTable {
 public:
  ExactTable(Shape shape, const std::vector<std::int64_t>& picture);  // (height, width)

  Shape shape() const { return shape_; }
  // Over the columns [x0, x1) and the rows [y0, y1), cut to the picture.
  std::int64_t sum(int x0, int y0, int x1, int y1) const;
  std::int64_t table(int x, int y) const { return sum(0, 0, x + 1, y + 1); }
  std::int64_t pixel(int x, int y) const { return sum(x, y, x + 1, y + 1); }

 private:
  std::int64_t corner(int x, int y) const;  // the sum over [0, x) and [0, y)

  Shape shape_;
  std::vector<std::int64_t> corners_;  // (height + 1, width + 1)
};

struct Pixel {
  int x;
  int y;
};
// The first pixel, row by row, at which `got` (height, width) is not the table.
std::optional<Pixel> first_wrong(const ExactTable& exact, const std::vector<std::int64_t>& got);

}  // namespace lab_judge
