// SPDX-License-Identifier: MIT
#include "fixture/device_loop.cuh"
#include "fixture/test_data.h"
#include "workload_checks.h"

namespace lab_judge {
namespace {

using judge::random_bits;

LOCKSTEP_HOST_DEVICE std::uint32_t random_key(std::uint64_t seed, std::uint64_t index) {
  return static_cast<std::uint32_t>(random_bits(seed, index) >> 32);
}

struct Fingerprint {
  const std::uint32_t* d_keys;
  std::uint64_t seed;
  std::size_t group_items;
  LOCKSTEP_HOST_DEVICE std::uint64_t operator()(std::size_t index) const {
    const std::uint64_t group = index / group_items;
    return random_bits(seed, group << 32 | d_keys[index]);
  }
};

struct Descends {
  const std::uint32_t* d_keys;
  std::size_t group_items;
  LOCKSTEP_HOST_DEVICE std::uint64_t operator()(std::size_t index) const {
    return index % group_items != 0 && d_keys[index] < d_keys[index - 1] ? 1 : 0;
  }
};

struct FillIndex {
  std::uint32_t* d_values;
  LOCKSTEP_HOST_DEVICE std::uint64_t operator()(std::size_t index) const {
    d_values[index] = static_cast<std::uint32_t>(index);
    return 0;
  }
};

struct WrongPair {
  const std::uint32_t* d_keys;
  const std::uint32_t* d_values;
  std::uint64_t seed;
  std::size_t num_items;
  LOCKSTEP_HOST_DEVICE std::uint64_t operator()(std::size_t index) const {
    const std::uint32_t key = d_keys[index];
    const std::uint32_t value = d_values[index];
    if (value >= num_items || key != random_key(seed, value)) return 1;
    if (index == 0) return 0;
    const std::uint32_t key_before = d_keys[index - 1];
    return key_before < key || (key_before == key && d_values[index - 1] < value) ? 0 : 1;
  }
};

}  // namespace

std::uint64_t count_descents(const std::uint32_t* d_keys, std::size_t count,
                             std::size_t group_items) {
  return judge::sum_over(count, Descends{d_keys, group_items});
}

std::uint64_t fingerprint_of_groups(const std::uint32_t* d_keys, std::size_t count,
                                    std::uint64_t seed, std::size_t group_items) {
  return judge::sum_over(count, Fingerprint{d_keys, seed, group_items});
}

void fill_indices(std::uint32_t* d_values, std::size_t count) {
  judge::sum_over(count, FillIndex{d_values});
}

std::uint64_t count_wrong_pairs(const std::uint32_t* d_keys, const std::uint32_t* d_values,
                                std::size_t count, std::uint64_t seed) {
  return judge::sum_over(count, WrongPair{d_keys, d_values, seed, count});
}

}  // namespace lab_judge
