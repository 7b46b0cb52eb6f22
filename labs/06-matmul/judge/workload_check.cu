// SPDX-License-Identifier: MIT
#include "fixture/device_loop.cuh"
#include "fixture/test_data.h"
#include "workload_check.h"

namespace lab_judge {
namespace {

constexpr std::size_t kPieceTerms = 64;  // of a long sum

LOCKSTEP_HOST_DEVICE constexpr std::size_t num_pieces(std::size_t num_terms) {
  return (num_terms + kPieceTerms - 1) / kPieceTerms;
}

// u' C x.
struct LeftSide {
  const float* d_c;
  std::size_t edge;
  std::uint64_t u_seed, x_seed;
  LOCKSTEP_HOST_DEVICE std::uint64_t operator()(std::size_t element) const {
    const float value = d_c[element];
    // All sums are whole numbers below this; a NaN is not in range either.
    const bool is_possible = value >= -0x1p24F && value <= 0x1p24F &&
                             value == static_cast<float>(static_cast<std::int64_t>(value));
    const std::uint64_t word = is_possible
                                   ? static_cast<std::uint64_t>(static_cast<std::int64_t>(value))
                                   : std::uint64_t{1} << 40;
    return judge::random_bits(u_seed, element / edge) * word *
           judge::random_bits(x_seed, element % edge);
  }
};

// u' A and B x. Each piece adds up a part of the terms of one sum: with one thread for each sum,
// most of a GPU would wait.
struct AddPiece {
  const float* d_a;  // (edge, depth)
  const float* d_b;  // (depth, edge)
  std::size_t edge, depth;
  std::uint64_t u_seed, x_seed;
  std::uint64_t* d_u_a;  // (pieces, depth)
  std::uint64_t* d_b_x;
  LOCKSTEP_HOST_DEVICE std::uint64_t operator()(std::size_t index) const {
    const std::size_t k = index % depth;
    const std::size_t begin = index / depth * kPieceTerms;
    const std::size_t end = begin + kPieceTerms < edge ? begin + kPieceTerms : edge;
    std::uint64_t u_a = 0;
    std::uint64_t b_x = 0;
    for (std::size_t i = begin; i < end; ++i) {
      u_a += judge::random_bits(u_seed, i) *
             static_cast<std::uint64_t>(static_cast<std::int64_t>(d_a[i * depth + k]));
      b_x += judge::random_bits(x_seed, i) *
             static_cast<std::uint64_t>(static_cast<std::int64_t>(d_b[k * edge + i]));
    }
    d_u_a[index] = u_a;
    d_b_x[index] = b_x;
    return 0;
  }
};

struct RightSide {
  const std::uint64_t* d_u_a;
  const std::uint64_t* d_b_x;
  std::size_t edge, depth;
  LOCKSTEP_HOST_DEVICE std::uint64_t operator()(std::size_t k) const {
    std::uint64_t u_a = 0;
    std::uint64_t b_x = 0;
    for (std::size_t piece = 0; piece < num_pieces(edge); ++piece) {
      u_a += d_u_a[piece * depth + k];
      b_x += d_b_x[piece * depth + k];
    }
    return u_a * b_x;
  }
};

}  // namespace

bool is_product(const float* d_a, const float* d_b, const float* d_c, std::size_t edge,
                std::size_t depth, std::uint64_t u_seed, std::uint64_t x_seed) {
  const std::uint64_t left = judge::sum_over(edge * edge, LeftSide{d_c, edge, u_seed, x_seed});
  const std::size_t num_parts = num_pieces(edge) * depth;
  judge::PrivateArray<std::uint64_t> u_a(num_parts);
  judge::PrivateArray<std::uint64_t> b_x(num_parts);
  judge::sum_over(num_parts, AddPiece{d_a, d_b, edge, depth, u_seed, x_seed, u_a.device_data(),
                                      b_x.device_data()});
  const std::uint64_t right =
      judge::sum_over(depth, RightSide{u_a.device_data(), b_x.device_data(), edge, depth});
  return left == right;
}

}  // namespace lab_judge
