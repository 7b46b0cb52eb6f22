// SPDX-License-Identifier: MIT
#include <cuda_bf16.h>
#include <cuda_fp8.h>

#include <utility>

#include "fixture/device_loop.cuh"
#include "fixture/test_data.h"
#include "workload_check.h"

namespace lab_judge {
namespace {

constexpr std::size_t kPieceTerms = 64;  // of a long sum

LOCKSTEP_HOST_DEVICE constexpr std::size_t num_pieces(std::size_t num_terms) {
  return (num_terms + kPieceTerms - 1) / kPieceTerms;
}

// A whole number of any type as a word of 64 bits.
template <class T>
LOCKSTEP_HOST_DEVICE std::uint64_t word_of(T number) {
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<float>(number)));
}
LOCKSTEP_HOST_DEVICE inline std::uint64_t scale_of(const float* d_scales, std::size_t index) {
  return d_scales == nullptr ? 1 : word_of(d_scales[index]);
}

template <class T>
struct Fill {
  T* d_items;
  std::uint64_t seed;
  int limit;
  LOCKSTEP_HOST_DEVICE std::uint64_t operator()(std::size_t index) const {
    d_items[index] = T(judge::random_integer(seed, index, limit));
    return 0;
  }
};

// u' C x.
struct LeftSide {
  const float* d_c;
  std::size_t edge;
  std::uint64_t u_seed, x_seed;
  LOCKSTEP_HOST_DEVICE std::uint64_t operator()(std::size_t element) const {
    const float value = d_c[element];
    // All sums are whole numbers below this, scaled by up to 4; a NaN is not in range either.
    const bool is_possible = value >= -0x1p26F && value <= 0x1p26F &&
                             value == static_cast<float>(static_cast<std::int64_t>(value));
    const std::uint64_t word = is_possible ? word_of(value) : std::uint64_t{1} << 40;
    return judge::random_bits(u_seed, element / edge) * word *
           judge::random_bits(x_seed, element % edge);
  }
};

// u' A and B x. Each piece adds up a part of the terms of one sum: with one thread for each sum,
// most of a GPU would wait.
template <class T>
struct AddPiece {
  Product<T> p;
  std::uint64_t u_seed, x_seed;
  std::uint64_t* d_u_a;  // (pieces, depth)
  std::uint64_t* d_b_x;
  LOCKSTEP_HOST_DEVICE std::uint64_t operator()(std::size_t index) const {
    const std::size_t k = index % p.depth;
    const std::size_t begin = index / p.depth * kPieceTerms;
    const std::size_t end = begin + kPieceTerms < p.edge ? begin + kPieceTerms : p.edge;
    std::uint64_t u_a = 0;
    std::uint64_t b_x = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const T b = p.by_columns ? p.d_b[i * p.depth + k] : p.d_b[k * p.edge + i];
      u_a += judge::random_bits(u_seed, i) * scale_of(p.d_a_scales, i) *
             word_of(p.d_a[i * p.depth + k]);
      b_x += judge::random_bits(x_seed, i) * scale_of(p.d_b_scales, i) * word_of(b);
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

template <class T>
void fill_integers(T* d_items, std::size_t count, std::uint64_t seed, int limit) {
  judge::sum_over(count, Fill<T>{d_items, seed, limit});
}

template <class T>
bool is_product(const Product<T>& product, std::uint64_t u_seed, std::uint64_t x_seed) {
  const auto [edge, depth] = std::pair{product.edge, product.depth};
  const std::uint64_t left =
      judge::sum_over(edge * edge, LeftSide{product.d_c, edge, u_seed, x_seed});
  const std::size_t num_parts = num_pieces(edge) * depth;
  judge::PrivateArray<std::uint64_t> u_a(num_parts);
  judge::PrivateArray<std::uint64_t> b_x(num_parts);
  judge::sum_over(num_parts,
                  AddPiece<T>{product, u_seed, x_seed, u_a.device_data(), b_x.device_data()});
  const std::uint64_t right =
      judge::sum_over(depth, RightSide{u_a.device_data(), b_x.device_data(), edge, depth});
  return left == right;
}

template void fill_integers(float*, std::size_t, std::uint64_t, int);
template void fill_integers(__nv_bfloat16*, std::size_t, std::uint64_t, int);
template void fill_integers(__nv_fp8_e4m3*, std::size_t, std::uint64_t, int);
template bool is_product(const Product<float>&, std::uint64_t, std::uint64_t);
template bool is_product(const Product<__nv_bfloat16>&, std::uint64_t, std::uint64_t);
template bool is_product(const Product<__nv_fp8_e4m3>&, std::uint64_t, std::uint64_t);

}  // namespace lab_judge
