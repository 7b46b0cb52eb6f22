// SPDX-License-Identifier: MIT
// Makes and checks what measured calls sort in device memory: copying gigabytes would take seconds.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lab_judge {

// How many of `count` keys are smaller than the key before them, in the same group.
std::uint64_t count_descents(const std::uint32_t* d_keys, std::size_t count,
                             std::size_t group_items);

// A sum over `count` keys that changes if any key does, whatever their order in a group is. Which
// changes cancel out depends on the seed, which no submission knows.
std::uint64_t fingerprint_of_groups(const std::uint32_t* d_keys, std::size_t count,
                                    std::uint64_t seed, std::size_t group_items);

// Sets each value to its index.
void fill_indices(std::uint32_t* d_values, std::size_t count);

// How many of `count` pairs are wrong: a pair is right if its key is the one that fill_words() made
// from `seed` for the index in its value, and if (key, value) is larger than the pair before. None
// wrong proves that no pair appears twice and that equal keys kept their order.
std::uint64_t count_wrong_pairs(const std::uint32_t* d_keys, const std::uint32_t* d_values,
                                std::size_t count, std::uint64_t seed);

}  // namespace lab_judge
