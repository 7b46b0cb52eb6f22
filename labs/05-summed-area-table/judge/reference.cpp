// SPDX-License-Identifier: MIT
#include "reference.h"

#include <algorithm>

namespace lab_judge {

std::string to_text(Shape shape) {
  return std::to_string(shape.width) + " x " + std::to_string(shape.height);
}

ExactTable::ExactTable(Shape shape, const std::vector<std::int64_t>& picture)
    : shape_(shape),
      corners_((static_cast<std::size_t>(shape.width) + 1) *
               (static_cast<std::size_t>(shape.height) + 1)) {
  const std::size_t pitch = static_cast<std::size_t>(shape.width) + 1;
  for (int y = 0; y < shape.height; ++y) {
    std::int64_t row = 0;
    for (int x = 0; x < shape.width; ++x) {
      row += picture[static_cast<std::size_t>(y) * shape.width + x];
      corners_[(y + 1) * pitch + x + 1] = corners_[y * pitch + x + 1] + row;
    }
  }
}

std::int64_t ExactTable::corner(int x, int y) const {
  x = std::clamp(x, 0, shape_.width);
  y = std::clamp(y, 0, shape_.height);
  return corners_[static_cast<std::size_t>(y) * (shape_.width + 1) + x];
}

std::int64_t ExactTable::sum(int x0, int y0, int x1, int y1) const {
  return corner(x1, y1) - corner(x0, y1) - corner(x1, y0) + corner(x0, y0);
}

std::optional<Pixel> first_wrong(const ExactTable& exact, const std::vector<std::int64_t>& got) {
  const Shape shape = exact.shape();
  for (int y = 0; y < shape.height; ++y) {
    for (int x = 0; x < shape.width; ++x) {
      if (got[static_cast<std::size_t>(y) * shape.width + x] != exact.table(x, y)) {
        return Pixel{x, y};
      }
    }
  }
  return std::nullopt;
}

}  // namespace lab_judge
