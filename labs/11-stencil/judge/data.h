// SPDX-License-Identifier: MIT
// The functions of the contract as data: their weights, their terms, and their calls.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "process/submission.h"
#include "reference.h"

namespace lab_judge {

enum class Function { kLine, kPicture, kSeparable, kVolume, kVolumeTwice };

// Which of them a rung defines.
Function function_of(const std::string& rung);

int num_dimensions(Function function);
int num_steps(Function function);

// What a call takes besides the points: one array, or for kSeparable a row and a column, or for
// volumes the weights of the centre and of a neighbour.
using Weights = std::vector<std::vector<float>>;
Weights random_weights(Function function, std::uint64_t seed);

// Of one step.
std::vector<Term> terms_of(Function function, const Weights& weights);

// Inputs of whole numbers up to this magnitude keep every sum below 2^24.
int largest_input(Function function);

// Device memory for those weights that travel as arrays.
bool are_arrays(Function function);

wire::Call encode(Function function, const Shape& shape, const judge::Buffer<float>& d_in,
                  const std::vector<judge::Buffer<float>>& d_weights, const Weights& weights,
                  const judge::Buffer<float>& d_out);

}  // namespace lab_judge
