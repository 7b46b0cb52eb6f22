// SPDX-License-Identifier: MIT
#include <algorithm>

#include "fixture/device_loop.cuh"
#include "stencil.cuh"
#include "workload_checks.h"

namespace lab_judge {
namespace {

constexpr int kMaxTerms = lab::kTaps * lab::kTaps;

// Both steps of two are computed anew for each point, so that the first needs no memory.
struct WrongPoint {
  int width, height, depth;
  int num_terms;
  int num_steps;
  const float* d_in;
  const float* d_out;
  Term terms[kMaxTerms];

  LOCKSTEP_HOST_DEVICE bool contains(int x, int y, int z) const {
    return 0 <= x && x < width && 0 <= y && y < height && 0 <= z && z < depth;
  }
  LOCKSTEP_HOST_DEVICE float once(int x, int y, int z) const {
    float sum = 0;
    for (int t = 0; t < num_terms; ++t) {
      const Term& term = terms[t];
      const int i = x + term.dx;
      const int j = y + term.dy;
      const int k = z + term.dz;
      if (!contains(i, j, k)) continue;
      sum += term.weight * d_in[(std::int64_t{k} * height + j) * width + i];
    }
    return sum;
  }
  LOCKSTEP_HOST_DEVICE float twice(int x, int y, int z) const {
    float sum = 0;
    for (int t = 0; t < num_terms; ++t) {
      const Term& term = terms[t];
      const int i = x + term.dx;
      const int j = y + term.dy;
      const int k = z + term.dz;
      if (contains(i, j, k)) sum += term.weight * once(i, j, k);
    }
    return sum;
  }
  LOCKSTEP_HOST_DEVICE std::uint64_t operator()(std::size_t item) const {
    const int x = static_cast<int>(item % width);
    const int y = static_cast<int>(item / width % height);
    const int z = static_cast<int>(item / width / height);
    const float expected = num_steps == 1 ? once(x, y, z) : twice(x, y, z);
    return d_out[item] == expected ? 0 : 1;
  }
};

}  // namespace

std::uint64_t count_wrong(const Shape& shape, const std::vector<Term>& terms, int num_steps,
                          const float* d_in, const float* d_out) {
  WrongPoint wrong{shape.width, shape.height, shape.depth, static_cast<int>(terms.size()),
                   num_steps,   d_in,         d_out,       {}};
  std::copy(terms.begin(), terms.end(), wrong.terms);
  return judge::sum_over(shape.num_points(), wrong);
}

}  // namespace lab_judge
