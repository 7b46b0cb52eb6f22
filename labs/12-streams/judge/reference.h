// SPDX-License-Identifier: MIT
// What is right, by the contract's words, on the host.
#pragma once

#include <cstdint>
#include <vector>

#include "data.h"

namespace lab_judge {

// lab::mix() of the contract, which is for the device only.
std::uint32_t mix(std::uint32_t word, int num_rounds);
Words mixed(const Words& words, int num_rounds);
Words reversed_batches(const Words& words, const std::vector<int>& sizes, int num_rounds);
Words after_steps(Words words, const Words& keys);
Words sums_of(const Words& words);

}  // namespace lab_judge
