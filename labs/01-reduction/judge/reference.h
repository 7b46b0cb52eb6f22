// SPDX-License-Identifier: MIT
// The right results of the reductions, computed in double.
#pragma once

#include <span>
#include <vector>

namespace lab_judge {

inline constexpr double kUnit = 0x1p-24;  // u of the contract: half an ulp of a float in [1, 2)

using Items = std::span<const float>;

// Each returns the operation's identity for no items; a mean has none, and is NaN.
double sum(Items h_in);
double smallest(Items h_in);  // NaN does not count
double largest(Items h_in);   // NaN does not count
double product(Items h_in);
double mean(Items h_in);
double euclidean_norm(Items h_in);
double dot_product(Items h_a, Items h_b);  // of equal lengths

// A point per index, one array per coordinate.
struct Points {
  std::vector<float> h_x, h_y, h_z;
  double squared_distance(int i) const;  // from the origin
};

// The smallest index of those farthest from the origin, without NaN; -1 if there is none.
int farthest_point(const Points& points);

// How far a float sum may be off if the terms' magnitudes add up to `magnitude`. With a free order,
// at least 1024 threads add up their items, and trees add up their sums.
double sum_tolerance(int num_items, double magnitude, bool order_is_free);

}  // namespace lab_judge
