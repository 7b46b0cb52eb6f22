// SPDX-License-Identifier: MIT
// The right results, by definition: a sum of weighted points, term by term. All are whole numbers
// below 2^24, so floats add them up without rounding.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace lab_judge {

// Of a line, a picture or a volume.
struct Shape {
  int width;
  int height = 1;
  int depth = 1;

  std::size_t num_points() const { return std::size_t{1} * width * height * depth; }
  bool contains(int x, int y, int z) const {
    return 0 <= x && x < width && 0 <= y && y < height && 0 <= z && z < depth;
  }
  std::size_t item(int x, int y, int z) const {
    return (std::size_t{1} * z * height + y) * width + x;
  }
  friend bool operator==(const Shape&, const Shape&) = default;
};

std::string to_text(const Shape& shape);  // "5 x 3"

// The point (x + dx, y + dy, z + dz) has this weight in the sum at (x, y, z).
struct Term {
  int dx, dy, dz;
  float weight;
};

// Points that lie outside count as 0.
std::vector<float> filtered(const Shape& shape, const std::vector<float>& h_in,
                            const std::vector<Term>& terms);

}  // namespace lab_judge
