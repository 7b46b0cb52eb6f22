// SPDX-License-Identifier: MIT
#include "reference.h"

#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

namespace lab_judge {

double sum(Items h_in) { return std::accumulate(h_in.begin(), h_in.end(), 0.0); }

double smallest(Items h_in) {
  double best = std::numeric_limits<double>::infinity();
  for (const float item : h_in) {
    if (item < best) best = item;
  }
  return best;
}

double largest(Items h_in) {
  double best = -std::numeric_limits<double>::infinity();
  for (const float item : h_in) {
    if (item > best) best = item;
  }
  return best;
}

double product(Items h_in) {
  return std::accumulate(h_in.begin(), h_in.end(), 1.0, std::multiplies<>());
}

double mean(Items h_in) { return sum(h_in) / static_cast<double>(h_in.size()); }

double euclidean_norm(Items h_in) { return std::sqrt(dot_product(h_in, h_in)); }

double dot_product(Items h_a, Items h_b) {
  return std::inner_product(h_a.begin(), h_a.end(), h_b.begin(), 0.0);
}

double Points::squared_distance(int i) const {
  const double x = h_x[i];
  const double y = h_y[i];
  const double z = h_z[i];
  return x * x + y * y + z * z;
}

int farthest_point(const Points& points) {
  int farthest = -1;
  double most = -1;
  for (int i = 0; i < static_cast<int>(points.h_x.size()); ++i) {
    if (points.squared_distance(i) > most) {
      most = points.squared_distance(i);
      farthest = i;
    }
  }
  return farthest;
}

double sum_tolerance(int num_items, double magnitude, bool order_is_free) {
  const double additions = order_is_free ? 32 + num_items / 1024.0 : num_items;
  return additions * kUnit * magnitude;
}

}  // namespace lab_judge
