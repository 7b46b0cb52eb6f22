// SPDX-License-Identifier: MIT
#include "data.h"
#include "fixture/device_loop.cuh"
#include "fixture/test_data.h"
#include "workload_checks.h"

namespace lab_judge {
namespace {

struct Fill {
  std::uint64_t seed;
  lab::Fraction* d_items;
  LOCKSTEP_HOST_DEVICE std::uint64_t operator()(std::size_t i) const {
    d_items[i] = random_fraction(seed, i);
    return 0;
  }
};

struct FillAscending {
  std::uint64_t seed;
  int stride;
  lab::Fraction* d_items;
  LOCKSTEP_HOST_DEVICE std::uint64_t operator()(std::size_t i) const {
    d_items[i] = ascending_fraction(seed, i, stride);
    return 0;
  }
};

struct Weight {
  std::uint64_t salt;
  const lab::Fraction* d_items;
  LOCKSTEP_HOST_DEVICE std::uint64_t operator()(std::size_t i) const {
    const std::uint64_t high = static_cast<std::uint32_t>(d_items[i].numerator);
    return judge::random_bits(salt,
                              high << 32 | static_cast<std::uint32_t>(d_items[i].denominator));
  }
};

struct Descent {
  std::size_t run_items;
  const lab::Fraction* d_items;
  LOCKSTEP_HOST_DEVICE std::uint64_t operator()(std::size_t i) const {
    if ((i + 1) % run_items == 0) return 0;
    return lab::ByValue()(d_items[i + 1], d_items[i]) ? 1 : 0;
  }
};

}  // namespace

void fill(lab::Fraction* d_items, std::size_t num_items, std::uint64_t seed) {
  judge::sum_over(num_items, Fill{seed, d_items});
}

void fill_ascending(lab::Fraction* d_items, std::size_t num_items, std::uint64_t seed, int stride) {
  judge::sum_over(num_items, FillAscending{seed, stride, d_items});
}

std::uint64_t weight_of(const lab::Fraction* d_items, std::size_t num_items, std::uint64_t salt) {
  return judge::sum_over(num_items, Weight{salt, d_items});
}

std::uint64_t count_descents(const lab::Fraction* d_items, std::size_t num_items,
                             std::size_t run_items) {
  if (num_items == 0) return 0;
  return judge::sum_over(num_items - 1, Descent{run_items, d_items});
}

}  // namespace lab_judge
