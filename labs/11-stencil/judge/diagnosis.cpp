// SPDX-License-Identifier: MIT
#include "diagnosis.h"

#include <algorithm>
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

Values filtered_by(const Shape& shape, const Values& h_in, const std::vector<Term>& terms,
                   const Read& read) {
  Values h_out;
  for (int z = 0; z < shape.depth; ++z) {
    for (int y = 0; y < shape.height; ++y) {
      for (int x = 0; x < shape.width; ++x) {
        double sum = 0;
        for (const auto [dx, dy, dz, weight] : terms) {
          sum += double{weight} * read(h_in, {x, y, z}, {x + dx, y + dy, z + dz});
        }
        h_out.push_back(static_cast<float>(sum));
      }
    }
  }
  return h_out;
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

// Grids whose tiles have no halo.
constexpr int kTileSides[] = {8, 14, 16, 32, 64, 120, 128, 256, 512, 1024, 2048};

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
    Values values = h_in;
    for (int step = 0; step < steps; ++step) values = filtered_by(shape, values, tried, read);
    return values == h_out;
  };
  const auto reads = [&](float (*other)(const Shape&, const Values&, const Point&)) {
    return gives(terms, [&](const Values& values, const Point&, const Point& wanted) {
      return other(shape, values, wanted);
    });
  };

  add(std::ranges::all_of(h_out, [](float value) { return value == 0; }), "nothing is added up");
  add(h_out == h_in, "the input is copied to the output");
  if (steps == 2) {
    add(filtered(shape, h_in, terms) == h_out, "the second step is missing");
    // Outside, a point has neighbours inside. So the first step gives it a value if it is computed.
    Shape wide = {shape.width + 2, shape.height + 2, shape.depth + 2};
    Values padded(wide.num_points());
    for (int z = 0; z < shape.depth; ++z) {
      for (int y = 0; y < shape.height; ++y) {
        for (int x = 0; x < shape.width; ++x) {
          padded[wide.item(x + 1, y + 1, z + 1)] = h_in[shape.item(x, y, z)];
        }
      }
    }
    const Values twice = filtered(wide, filtered(wide, padded, terms), terms);
    bool is_same = true;
    for (int z = 0; z < shape.depth; ++z) {
      for (int y = 0; y < shape.height; ++y) {
        for (int x = 0; x < shape.width; ++x) {
          is_same = is_same && h_out[shape.item(x, y, z)] == twice[wide.item(x + 1, y + 1, z + 1)];
        }
      }
    }
    add(is_same, "the first step gives values to points outside, which stay 0");
  }
  if (function == Function::kSeparable) {
    add(gives(one_pass(weights, true), right), "only the rows are filtered");
    add(gives(one_pass(weights, false), right), "only the columns are filtered");
  }
  if (num_dimensions(function) < 3) {
    add(gives(reversed(terms), right), "the weights are used in reverse order");
    add(gives(without(terms,
                      [](const Term& term) {
                        return term.dx == lab::kRadius || term.dy == lab::kRadius;
                      }),
              right),
        "the last weights are left out: the sum runs up to kRadius, and includes it");
  }
  if (num_dimensions(function) == 2) {
    add(gives(transposed(terms), right), "rows and columns of the weights are interchanged");
  } else if (num_dimensions(function) == 3) {
    add(gives(without(terms, [](const Term& term) { return term.dz == 1; }), right),
        "the neighbour above is missing");
    add(gives(without(terms, [](const Term& term) { return term.dz == -1; }), right),
        "the neighbour below is missing");
  }
  add(reads(nearest), "points outside have the value of the nearest point inside; they count as 0");
  add(reads(around), "points outside continue on the other side; they count as 0");
  add(reads(in_memory),
      "past the end of a row comes the next row: compare each coordinate with its own bound");
  for (const int side : kTileSides) {
    if (std::max({shape.width, shape.height, shape.depth}) <= side) break;
    const auto without_halo = [&](bool along_x, bool along_y, bool along_z) {
      return gives(terms, [&](const Values& values, const Point& at, const Point& wanted) {
        const bool is_in_tile = (!along_x || at.x / side == wanted.x / side) &&
                                (!along_y || at.y / side == wanted.y / side) &&
                                (!along_z || at.z / side == wanted.z / side);
        return is_in_tile ? zero_outside(shape, values, wanted) : 0;
      });
    };
    add(without_halo(true, false, false) || without_halo(false, true, false) ||
            without_halo(false, false, true) || without_halo(true, true, false),
        "points of neighbouring tiles count as 0: is the halo missing?");
  }
  return clauses;
}

}  // namespace lab_judge
