// SPDX-License-Identifier: MIT
#include "reference.h"

#include <algorithm>

namespace lab_judge {

std::string to_text(const Shape& shape) {
  std::string text = std::to_string(shape.width);
  if (shape.height > 1 || shape.depth > 1) text += " x " + std::to_string(shape.height);
  if (shape.depth > 1) text += " x " + std::to_string(shape.depth);
  return text;
}

std::vector<float> filtered(const Shape& shape, const std::vector<float>& h_in,
                            const std::vector<Term>& terms) {
  std::vector<float> h_out(shape.num_points());
  for (int z = 0; z < shape.depth; ++z) {
    for (int y = 0; y < shape.height; ++y) {
      float* const row = h_out.data() + shape.item(0, y, z);
      for (const auto [dx, dy, dz, weight] : terms) {
        if (!shape.contains(0, y + dy, z + dz)) continue;
        const float* const other = h_in.data() + shape.item(0, y + dy, z + dz);
        const int end = std::min(shape.width, shape.width - dx);
        for (int x = std::max(0, -dx); x < end; ++x) row[x] += weight * other[x + dx];
      }
    }
  }
  return h_out;
}

}  // namespace lab_judge
