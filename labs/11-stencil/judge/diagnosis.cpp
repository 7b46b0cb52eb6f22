// SPDX-License-Identifier: MIT
#include "diagnosis.h"

#include <algorithm>
#include <cstdlib>
#include <functional>

#include "stencil.cuh"

namespace lab_judge {
namespace {

struct Point {
  int x, y, z;
};

using Values = std::vector<float>;

// What a program that makes a mistake reads in place of a point, or outside of all.
using Read = std::function<float(const Values& values, const Point& at, const Point& wanted)>;

Point point_of(const Shape& shape, std::size_t item) {
  const std::size_t row = item / shape.width;
  return {static_cast<int>(item % shape.width), static_cast<int>(row % shape.height),
          static_cast<int>(row / shape.height)};
}

float sum_at(const Point& at, const Values& values, const std::vector<Term>& terms,
             const Read& read) {
  double sum = 0;
  for (const auto [dx, dy, dz, weight] : terms) {
    sum += double{weight} * read(values, at, {at.x + dx, at.y + dy, at.z + dz});
  }
  return static_cast<float>(sum);
}

// One step of a program that reads so.
Values filtered_by(const Shape& shape, const Values& h_in, const std::vector<Term>& terms,
                   const Read& read) {
  Values h_out(shape.num_points());
  for (std::size_t item = 0; item < h_out.size(); ++item) {
    h_out[item] = sum_at(point_of(shape, item), h_in, terms, read);
  }
  return h_out;
}

// Whether it makes h_out. Most guesses are wrong, and soon found to be.
bool makes(const Shape& shape, const Values& h_in, const std::vector<Term>& terms, const Read& read,
           const Values& h_out) {
  for (std::size_t item = 0; item < h_out.size(); ++item) {
    if (h_out[item] != sum_at(point_of(shape, item), h_in, terms, read)) return false;
  }
  return true;
}

// All ways to read outside, of which the contract's is none.
float nearest(const Shape& shape, const Values& values, const Point& wanted) {
  return values[shape.item(std::clamp(wanted.x, 0, shape.width - 1),
                           std::clamp(wanted.y, 0, shape.height - 1),
                           std::clamp(wanted.z, 0, shape.depth - 1))];
}
float around(const Shape& shape, const Values& values, const Point& wanted) {
  const auto wrapped = [](int i, int size) { return ((i % size) + size) % size; };
  return values[shape.item(wrapped(wanted.x, shape.width), wrapped(wanted.y, shape.height),
                           wrapped(wanted.z, shape.depth))];
}
float in_memory(const Shape& shape, const Values& values, const Point& wanted) {
  const std::int64_t item =
      (std::int64_t{wanted.z} * shape.height + wanted.y) * shape.width + wanted.x;
  return 0 <= item && item < std::ssize(values) ? values[item] : 0;
}
float zero_outside(const Shape& shape, const Values& values, const Point& wanted) {
  const auto [x, y, z] = wanted;
  return shape.contains(x, y, z) ? values[shape.item(x, y, z)] : 0;
}

std::vector<Term> reversed(std::vector<Term> terms) {
  for (Term& term : terms) term = {-term.dx, -term.dy, -term.dz, term.weight};
  return terms;
}

std::vector<Term> transposed(std::vector<Term> terms) {
  for (Term& term : terms) std::swap(term.dx, term.dy);
  return terms;
}

std::vector<Term> moved(std::vector<Term> terms, int dx, int dy) {
  for (Term& term : terms) term = {term.dx + dx, term.dy + dy, term.dz, term.weight};
  return terms;
}

std::string has_the_sum_of_another(int by, const std::string& axes) {
  return "each point has the sum of the point " + std::to_string(std::abs(by)) +
         (by < 0 ? " before" : " after") + " it along " + axes;
}

// The terms that are left.
std::vector<Term> without(std::vector<Term> terms, const std::function<bool(const Term&)>& lost) {
  std::erase_if(terms, lost);
  return terms;
}

// The separable filter's row, or column, without the other pass.
std::vector<Term> one_pass(const Weights& weights, bool along_rows) {
  std::vector<Term> terms;
  for (int i = 0; i < lab::kTaps; ++i) {
    const int offset = i - lab::kRadius;
    terms.push_back(along_rows ? Term{offset, 0, 0, weights[0][i]}
                               : Term{0, offset, 0, weights[1][i]});
  }
  return terms;
}

// Whether h_out has two steps of which the first gives values to points that are outside along
// these axes: such a point has neighbours inside.
bool has_values_outside(const Shape& shape, const Values& h_in, const std::vector<Term>& terms,
                        const Point& axes, const Values& h_out) {
  const Shape wide = {shape.width + 2 * axes.x, shape.height + 2 * axes.y,
                      shape.depth + 2 * axes.z};
  const auto item_in_wide = [&](std::size_t item) {
    const auto [x, y, z] = point_of(shape, item);
    return wide.item(x + axes.x, y + axes.y, z + axes.z);
  };
  Values padded(wide.num_points());
  for (std::size_t item = 0; item < h_in.size(); ++item) padded[item_in_wide(item)] = h_in[item];
  const Values twice = filtered(wide, filtered(wide, padded, terms), terms);
  for (std::size_t item = 0; item < h_out.size(); ++item) {
    if (h_out[item] != twice[item_in_wide(item)]) return false;
  }
  return true;
}

constexpr int kPointsOfAWarp = 128;  // four per lane

// Of tiles, and of the planes that a block slides through.
constexpr int kTileSides[] = {8, 14, 16, 32, 64, 120, 128, 256, 512, 1024, 2048};

// Whether a point is lost whose tile is so many tiles after that of the sum.
using Lost = bool (*)(const Point& tiles);

}  // namespace

std::vector<std::string> explain(const Made& made) {
  const auto& [function, shape, weights, h_in, h_out] = made;
  const std::vector<Term> terms = terms_of(function, weights);
  const int steps = num_steps(function);
  std::vector<std::string> clauses;
  const auto add = [&](bool fits, const std::string& clause) {
    if (fits) clauses.push_back(clause);
  };
  const Read right = [&](const Values& values, const Point&, const Point& wanted) {
    return zero_outside(shape, values, wanted);
  };
  const auto gives = [&](const std::vector<Term>& tried, const Read& read) {
    return makes(shape, steps == 1 ? h_in : filtered_by(shape, h_in, tried, read), tried, read,
                 h_out);
  };
  const auto reads = [&](float (*other)(const Shape&, const Values&, const Point&)) {
    return gives(terms, [&](const Values& values, const Point&, const Point& wanted) {
      return other(shape, values, wanted);
    });
  };

  const bool is_zero = std::ranges::all_of(h_out, [](float value) { return value == 0; });
  if (is_zero && are_arrays(function)) {
    return {"nothing is added up, or all weights are 0: copy all their bytes, before the launch"};
  }
  if (is_zero) return {"nothing is added up"};
  add(h_out == h_in, "the input is copied to the output");
  if (steps == 2) {
    add(filtered(shape, h_in, terms) == h_out, "the second step is missing");
    bool has_values = false;
    for (int axes = 1; axes < 8; ++axes) {
      has_values = has_values || has_values_outside(shape, h_in, terms,
                                                    {axes & 1, axes >> 1 & 1, axes >> 2}, h_out);
    }
    add(has_values, "the first step gives values to points outside, which stay 0");
  }
  if (function == Function::kSeparable) {
    add(gives(one_pass(weights, true), right), "only the rows are filtered");
    add(gives(one_pass(weights, false), right), "only the columns are filtered");
    add(gives(terms_of(function, {weights[0], weights[0]}), right),
        "both passes use the weights of the row");
    add(gives(terms_of(function, {weights[1], weights[1]}), right),
        "both passes use the weights of the column");
  }
  if (num_dimensions(function) < 3) {
    add(gives(reversed(terms), right), "the weights are used in reverse order");
    add(gives(without(terms,
                      [](const Term& term) {
                        return term.dx == lab::kRadius || term.dy == lab::kRadius;
                      }),
              right),
        "the last weights are left out: the sum runs up to kRadius, and includes it");
    for (const int by : {-lab::kRadius, -1, 1, lab::kRadius}) {
      add(gives(moved(terms, by, 0), right), has_the_sum_of_another(by, "x"));
      add(gives(moved(terms, 0, by), right), has_the_sum_of_another(by, "y"));
      add(gives(moved(terms, by, by), right), has_the_sum_of_another(by, "x and y"));
    }
  }
  if (num_dimensions(function) == 2) {
    add(gives(transposed(terms), right), "rows and columns of the weights are interchanged");
  } else if (num_dimensions(function) == 3) {
    add(gives(without(terms, [](const Term& term) { return term.dz == 1; }), right),
        "the neighbour above is missing");
    add(gives(without(terms, [](const Term& term) { return term.dz == -1; }), right),
        "the neighbour below is missing");
    const Read itself_below = [&](const Values& values, const Point& at, const Point& wanted) {
      return zero_outside(shape, values, wanted.z < at.z && at.z > 0 ? at : wanted);
    };
    add(gives(terms, itself_below),
        "a point is its own neighbour below: in which order do the registers move on?");
    const Read own_at_the_ends = [&](const Values& values, const Point& at, const Point& wanted) {
      const bool is_first = at.x % kPointsOfAWarp == 0 && wanted.x < at.x;
      const bool is_last = at.x % kPointsOfAWarp == kPointsOfAWarp - 1 && wanted.x > at.x;
      const int x = is_first ? at.x + 3 : is_last ? at.x - 3 : wanted.x;
      return zero_outside(shape, values, {x, wanted.y, wanted.z});
    };
    add(gives(terms, own_at_the_ends),
        "the first and the last lane of a warp add their own points: no lane has their neighbours");
  }
  add(reads(nearest), "points outside have the value of the nearest point inside; they count as 0");
  add(reads(around), "points outside continue on the other side; they count as 0");
  add(reads(in_memory),
      "past the end of a row comes the next row: compare each coordinate with its own bound");
  const Values before_last_step = steps == 1 ? h_in : filtered(shape, h_in, terms);
  for (const int side : kTileSides) {
    if (std::max({shape.width, shape.height, shape.depth}) <= side) break;
    const auto loses = [&](Lost is_lost) {
      const Read read = [&](const Values& values, const Point& at, const Point& wanted) {
        const Point tiles = {wanted.x / side - at.x / side, wanted.y / side - at.y / side,
                             wanted.z / side - at.z / side};
        return is_lost(tiles) ? 0 : zero_outside(shape, values, wanted);
      };
      if (gives(terms, read)) return true;
      return steps == 2 && makes(shape, before_last_step, terms, read, h_out);
    };
    add(loses([](const Point& tiles) { return tiles.x != 0; }) ||
            loses([](const Point& tiles) { return tiles.y != 0; }) ||
            loses([](const Point& tiles) { return tiles.z != 0; }) ||
            loses([](const Point& tiles) { return tiles.x != 0 || tiles.y != 0; }),
        "points of neighbouring tiles count as 0: is the halo missing?");
    add(loses([](const Point& tiles) { return tiles.x < 0; }) ||
            loses([](const Point& tiles) { return tiles.y < 0; }),
        "points of the tile before count as 0: is the halo missing on that side?");
    add(loses([](const Point& tiles) { return tiles.x > 0; }) ||
            loses([](const Point& tiles) { return tiles.y > 0; }),
        "points of the tile after count as 0: is the halo missing on that side?");
    add(loses([](const Point& tiles) { return tiles.x != 0 && tiles.y != 0; }),
        "the corners of the halo count as 0");
    add(loses([](const Point& tiles) { return tiles.z < 0; }),
        "the plane below the first plane of a block counts as 0");
    add(loses([](const Point& tiles) { return tiles.z > 0; }),
        "the plane above the last plane of a block counts as 0");
  }
  return clauses;
}

}  // namespace lab_judge
