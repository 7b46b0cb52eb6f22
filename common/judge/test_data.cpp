// SPDX-License-Identifier: MIT
#include "test_data.h"

namespace judge {

SeedSequence::SeedSequence(std::uint64_t run_seed, std::string_view test_name) : seed_(run_seed) {
  for (const char letter : test_name) {
    seed_ = random_bits(seed_, static_cast<unsigned char>(letter));
  }
}

std::vector<float> random_integers(std::uint64_t seed, std::size_t count, int limit) {
  std::vector<float> h_items(count);
  for (std::size_t i = 0; i < count; ++i) h_items[i] = random_integer(seed, i, limit);
  return h_items;
}

std::vector<float> random_units(std::uint64_t seed, std::size_t count) {
  std::vector<float> h_items(count);
  for (std::size_t i = 0; i < count; ++i) h_items[i] = random_unit(seed, i);
  return h_items;
}

}  // namespace judge
