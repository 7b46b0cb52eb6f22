// SPDX-License-Identifier: MIT
#include "data.h"

#include "fixture/test_data.h"
#include "protocol/call_encoding.h"
#include "stencil.cuh"

namespace lab_judge {
namespace {

using lab::kRadius;
using lab::kTaps;

constexpr int kLargestWeight = 7;

std::vector<Term> terms_of_picture(const std::vector<float>& weights) {
  std::vector<Term> terms;
  for (int j = 0; j < kTaps; ++j) {
    for (int i = 0; i < kTaps; ++i) {
      terms.push_back({i - kRadius, j - kRadius, 0, weights[j * kTaps + i]});
    }
  }
  return terms;
}

std::vector<Term> terms_of_volume(float centre, float neighbour) {
  return {{0, 0, 0, centre},     {1, 0, 0, neighbour}, {-1, 0, 0, neighbour}, {0, 1, 0, neighbour},
          {0, -1, 0, neighbour}, {0, 0, 1, neighbour}, {0, 0, -1, neighbour}};
}

}  // namespace

Function function_of(const std::string& rung) {
  if (rung == "03_two_dimensions") return Function::kPicture;
  if (rung == "04_separable") return Function::kSeparable;
  if (rung == "05_sliding" || rung == "06_vectors") return Function::kVolume;
  if (rung == "07_temporal") return Function::kVolumeTwice;
  return Function::kLine;
}

int num_dimensions(Function function) {
  if (function == Function::kLine) return 1;
  return are_arrays(function) ? 2 : 3;
}

int num_steps(Function function) { return function == Function::kVolumeTwice ? 2 : 1; }

bool are_arrays(Function function) {
  return function != Function::kVolume && function != Function::kVolumeTwice;
}

int largest_input(Function function) { return are_arrays(function) ? 1000 : 2000; }

Weights random_weights(Function function, std::uint64_t seed) {
  std::vector<std::size_t> sizes;
  switch (function) {
    case Function::kLine:
      sizes = {kTaps};
      break;
    case Function::kPicture:
      sizes = {std::size_t{kTaps} * kTaps};
      break;
    case Function::kSeparable:
      sizes = {kTaps, kTaps};
      break;
    case Function::kVolume:
    case Function::kVolumeTwice:
      sizes = {2};
      break;
  }
  Weights weights;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    weights.push_back(judge::random_integers(seed + i, sizes[i], kLargestWeight));
    // No weight is 0, so that a missing term shows.
    for (float& weight : weights.back()) weight += weight >= 0 ? 1 : 0;
  }
  return weights;
}

std::vector<Term> terms_of(Function function, const Weights& weights) {
  switch (function) {
    case Function::kLine: {
      std::vector<Term> terms;
      for (int i = 0; i < kTaps; ++i) terms.push_back({i - kRadius, 0, 0, weights[0][i]});
      return terms;
    }
    case Function::kPicture:
      return terms_of_picture(weights[0]);
    case Function::kSeparable: {
      std::vector<float> products;
      for (const float of_row : weights[1]) {
        for (const float of_column : weights[0]) products.push_back(of_row * of_column);
      }
      return terms_of_picture(products);
    }
    case Function::kVolume:
    case Function::kVolumeTwice:
      break;
  }
  return terms_of_volume(weights[0][0], weights[0][1]);
}

wire::Call encode(Function function, const Shape& shape, const judge::Buffer<float>& d_in,
                  const std::vector<judge::Buffer<float>>& d_weights, const Weights& weights,
                  const judge::Buffer<float>& d_out) {
  using judge::encode_call;
  switch (function) {
    case Function::kLine:
      return encode_call<decltype(lab::filter_line)>("filter_line", d_in, shape.width, d_weights[0],
                                                     d_out);
    case Function::kPicture:
      return encode_call<decltype(lab::filter_picture)>("filter_picture", d_in, shape.width,
                                                        shape.height, d_weights[0], d_out);
    case Function::kSeparable:
      return encode_call<decltype(lab::filter_separable)>(
          "filter_separable", d_in, shape.width, shape.height, d_weights[0], d_weights[1], d_out);
    case Function::kVolume:
    case Function::kVolumeTwice:
      break;
  }
  // Both have one signature.
  const char* const name = function == Function::kVolume ? "seven_point" : "seven_point_twice";
  return encode_call<decltype(lab::seven_point)>(name, d_in, shape.width, shape.height, shape.depth,
                                                 double{weights[0][0]}, double{weights[0][1]},
                                                 d_out);
}

}  // namespace lab_judge
