// SPDX-License-Identifier: MIT
// The queries, keys and values that are judged, on the host and in device memory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "attention.cuh"
#include "fixture/host_device.h"
#include "fixture/test_data.h"

namespace lab_judge {

// What is judged: a function, and the scratch memory that the contract grants a rung.
enum class Kind { kThreeKernels, kFused, kCausal, kSplitKeys, kBf16 };
Kind kind_of(const std::string& rung);

struct Shape {
  int num_heads = 0;
  int num_queries = 0;
  int num_keys = 0;  // kCausal: the same
  std::size_t num_rows() const { return std::size_t{1} * num_heads * num_queries; }
};
std::string text(const Shape& shape);  // "2 heads with 65 queries and 130 keys"

// Bytes, as the contract grants.
std::size_t scratch_bytes(Kind kind, const Shape& shape);

// Arrays as the contract lays them out. Of kBf16 every number is a bfloat16.
struct Problem {
  Kind kind = Kind::kThreeKernels;
  Shape shape;
  std::vector<float> h_q, h_k, h_v;
};

// Random problems. Every second query looks for one key, which gets about half of its weight: so
// each key matters to some query, wherever it lies. The others have similar weights for all keys.
// `shift` is added to all scores, about: it changes no weight.
Problem random_problem(Kind kind, const Shape& shape, std::uint64_t seed, float shift = 0);

// Each query has one score of more than 100 above all others. Queries share out the keys, so each
// key has it somewhere if there are as many queries.
Problem peaked_problem(Kind kind, const Shape& shape, std::uint64_t seed);

// Keys that are 0 in every other element, and queries that are nearly constant. So keys have nearly
// equal scores, of about 25, from elements that a shorter type rounds in different ways.
Problem fine_problem(Kind kind, const Shape& shape, std::uint64_t seed);

// The numbers of random problems, by their place.
struct Numbers {
  std::uint64_t seed;
  int num_queries, num_keys;
  bool is_causal;

  LOCKSTEP_HOST_DEVICE float key(std::uint64_t index) const {
    return 2 * judge::random_unit(seed, index) - 1;
  }
  LOCKSTEP_HOST_DEVICE float value(std::uint64_t index) const {
    return 2 * judge::random_unit(~seed, index) - 1;
  }
  LOCKSTEP_HOST_DEVICE float query(std::uint64_t index) const {
    const std::uint64_t row = index / lab::kHeadSize;
    const std::uint64_t head = row / num_queries;
    const std::uint64_t place = row % num_queries;
    const std::uint64_t sought =
        judge::random_bits(seed ^ kQuerySalt, row) % (is_causal ? place + 1 : num_keys);
    float num_doublings = 0;  // of the number of keys
    for (int keys = num_keys; keys > 1; keys /= 2) ++num_doublings;
    const float strength = row % 2 == 0 ? num_doublings / 5 + 0.2F : 0.4F;
    const float noise = 2 * judge::random_unit(seed + kQuerySalt, index) - 1;
    return strength * key((head * num_keys + sought) * lab::kHeadSize + index % lab::kHeadSize) +
           0.25F * noise;
  }

 private:
  static constexpr std::uint64_t kQuerySalt = 0x5EA2C4F1;
};

}  // namespace lab_judge
