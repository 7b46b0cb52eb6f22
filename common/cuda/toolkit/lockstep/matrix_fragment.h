// SPDX-License-Identifier: MIT
// nvcuda::wmma: tiles of matrices that a warp's 32 lanes hold together, and multiply. Which lane
// holds which element, the device knows. Loads, stores and products are one instruction each.
#pragma once

#include <type_traits>

#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "lockstep/keywords.h"

#ifdef __CUDA__

namespace nvcuda::wmma {

struct row_major;
struct col_major;
struct matrix_a;
struct matrix_b;
struct accumulator;
enum layout_t { mem_row_major, mem_col_major };

namespace precision {
struct tf32;
}  // namespace precision

// Drops the 13 bits of a float's fraction that a tf32 lacks, rounded to nearest.
LOCKSTEP_DEVICE float __float_to_tf32(float x) {
  float result;
  __asm__("cvt.rna.tf32.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
}

namespace detail {

constexpr int kLanes = 32;

template <class T>
struct Stored {
  using Type = T;
};
template <>
struct Stored<precision::tf32> {
  using Type = float;
};

template <class T, class... Types>
constexpr bool is_any_of = (std::is_same_v<T, Types> || ...);

// The shapes and types that a device multiplies; those of 4 bits and 1 bit are not here.
template <int m, int n, int k, class T>
constexpr bool is_input() {
  if (is_any_of<T, __half, __nv_bfloat16, signed char, unsigned char>) {
    return k == 16 && ((m == 16 && n == 16) || (m == 32 && n == 8) || (m == 8 && n == 32));
  }
  if (std::is_same_v<T, precision::tf32>) return m == 16 && n == 16 && k == 8;
  return std::is_same_v<T, double> && m == 8 && n == 8 && k == 4;
}
template <int m, int n, int k, class T>
constexpr bool is_sum() {
  if (std::is_same_v<T, float>) {
    return is_input<m, n, k, __half>() || is_input<m, n, k, precision::tf32>();
  }
  if (is_any_of<T, __half, int>) return is_input<m, n, k, __half>();
  return std::is_same_v<T, double> && is_input<m, n, k, double>();
}

template <class Use, int m, int n, int k, class T>
constexpr bool is_valid = std::is_same_v<Use, accumulator> ? is_sum<m, n, k, T>()
                                                           : is_input<m, n, k, T>();

// Factors of type half have 16 elements per lane, whatever their shape.
template <class Use, class T, int num_distinct>
constexpr int num_copies() {
  const bool is_half_factor = std::is_same_v<T, __half> && !std::is_same_v<Use, accumulator>;
  return is_half_factor ? 16 / num_distinct : 1;
}

}  // namespace detail

template <class Use, int m, int n, int k, class T, class Layout = void>
class fragment {
  static_assert(detail::is_valid<Use, m, n, k, T>,
                "no device multiplies tiles of this shape and type");
  static_assert(std::is_same_v<Use, accumulator> == std::is_void_v<Layout>,
                "matrix_a and matrix_b need row_major or col_major, and accumulator has neither");

 public:
  using element_type = T;
  using storage_element_type = typename detail::Stored<T>::Type;
  static constexpr int kRows = std::is_same_v<Use, matrix_b> ? k : m;
  static constexpr int kColumns = std::is_same_v<Use, matrix_a> ? k : n;
  static constexpr int kDistinct = kRows * kColumns / detail::kLanes;

  static constexpr int num_elements = kDistinct * detail::num_copies<Use, T, kDistinct>();
  static constexpr int num_storage_elements = num_elements;
  alignas(num_elements * sizeof(storage_element_type) % 4 == 0
              ? 4
              : 1) alignas(storage_element_type) storage_element_type x[num_elements];
};

template <class Use, int m, int n, int k, class T, class Layout, class Value>
LOCKSTEP_DEVICE void fill_fragment(fragment<Use, m, n, k, T, Layout>& tile, const Value& value) {
  for (auto& element : tile.x) {
    element = static_cast<typename detail::Stored<T>::Type>(value);
  }
}

namespace detail {

// The registers of clang's functions: integers for factors and for sums of halfs, else numbers.
template <class To, class T>
LOCKSTEP_DEVICE To* registers(T* x) {
  return reinterpret_cast<To*>(x);
}
template <class To, class T>
LOCKSTEP_DEVICE const To* registers(const T* x) {
  return reinterpret_cast<const To*>(x);
}

}  // namespace detail

// LOCKSTEP_FACTOR: loads of matrix_a and matrix_b, by rows (0) or by columns (1).
#define LOCKSTEP_FACTOR(use, m, n, k, T, Register, builtin)                                     \
  template <class Layout>                                                                       \
  LOCKSTEP_DEVICE void load_matrix_sync(fragment<use, m, n, k, T, Layout>& tile,                \
                                        const typename detail::Stored<T>::Type* source,         \
                                        unsigned int stride) {                                  \
    if constexpr (std::is_same_v<Layout, row_major>) {                                          \
      builtin(detail::registers<Register>(tile.x), detail::registers<Register>(source), stride, \
              0);                                                                               \
    } else {                                                                                    \
      builtin(detail::registers<Register>(tile.x), detail::registers<Register>(source), stride, \
              1);                                                                               \
    }                                                                                           \
  }
// LOCKSTEP_SUM: loads and stores of accumulators.
#define LOCKSTEP_SUM(m, n, k, T, Register, load, store)                                            \
  LOCKSTEP_DEVICE void load_matrix_sync(fragment<accumulator, m, n, k, T>& tile, const T* source,  \
                                        unsigned int stride, layout_t layout) {                    \
    if (layout == mem_row_major) {                                                                 \
      load(detail::registers<Register>(tile.x), detail::registers<Register>(source), stride, 0);   \
    } else {                                                                                       \
      load(detail::registers<Register>(tile.x), detail::registers<Register>(source), stride, 1);   \
    }                                                                                              \
  }                                                                                                \
  LOCKSTEP_DEVICE void store_matrix_sync(T* destination,                                           \
                                         const fragment<accumulator, m, n, k, T>& tile,            \
                                         unsigned int stride, layout_t layout) {                   \
    if (layout == mem_row_major) {                                                                 \
      store(detail::registers<Register>(destination), detail::registers<Register>(tile.x), stride, \
            0);                                                                                    \
    } else {                                                                                       \
      store(detail::registers<Register>(destination), detail::registers<Register>(tile.x), stride, \
            1);                                                                                    \
    }                                                                                              \
  }
// LOCKSTEP_PRODUCT: d = a * b + c. Layouts of a and b in one number: 2 for a by columns, 1 for b.
#define LOCKSTEP_PRODUCT(m, n, k, T, D, DRegister, C, CRegister, Register, builtin)           \
  template <class LayoutA, class LayoutB>                                                     \
  LOCKSTEP_DEVICE void mma_sync(                                                              \
      fragment<accumulator, m, n, k, D>& d, const fragment<matrix_a, m, n, k, T, LayoutA>& a, \
      const fragment<matrix_b, m, n, k, T, LayoutB>& b,                                       \
      const fragment<accumulator, m, n, k, C>& c, [[maybe_unused]] bool satf = false) {       \
    constexpr bool kIsByColumnA = std::is_same_v<LayoutA, col_major>;                         \
    constexpr bool kIsByColumnB = std::is_same_v<LayoutB, col_major>;                         \
    auto* const to = detail::registers<DRegister>(d.x);                                       \
    const auto* const of_a = detail::registers<Register>(a.x);                                \
    const auto* const of_b = detail::registers<Register>(b.x);                                \
    const auto* const of_c = detail::registers<CRegister>(c.x);                               \
    LOCKSTEP_IN_LAYOUTS(builtin)                                                              \
  }
#define LOCKSTEP_IN_LAYOUTS(builtin)              \
  if constexpr (!kIsByColumnA && !kIsByColumnB) { \
    LOCKSTEP_MULTIPLY(builtin, 0)                 \
  } else if constexpr (!kIsByColumnA) {           \
    LOCKSTEP_MULTIPLY(builtin, 1)                 \
  } else if constexpr (!kIsByColumnB) {           \
    LOCKSTEP_MULTIPLY(builtin, 2)                 \
  } else {                                        \
    LOCKSTEP_MULTIPLY(builtin, 3)                 \
  }

#define LOCKSTEP_SHAPE(m, n, shape)                                                          \
  LOCKSTEP_FACTOR(matrix_a, m, n, 16, __half, int, __hmma_##shape##_ld_a)                    \
  LOCKSTEP_FACTOR(matrix_b, m, n, 16, __half, int, __hmma_##shape##_ld_b)                    \
  LOCKSTEP_FACTOR(matrix_a, m, n, 16, __nv_bfloat16, int, __mma_bf16_##shape##_ld_a)         \
  LOCKSTEP_FACTOR(matrix_b, m, n, 16, __nv_bfloat16, int, __mma_bf16_##shape##_ld_b)         \
  LOCKSTEP_FACTOR(matrix_a, m, n, 16, signed char, int, __imma_##shape##_ld_a_s8)            \
  LOCKSTEP_FACTOR(matrix_b, m, n, 16, signed char, int, __imma_##shape##_ld_b_s8)            \
  LOCKSTEP_FACTOR(matrix_a, m, n, 16, unsigned char, int, __imma_##shape##_ld_a_u8)          \
  LOCKSTEP_FACTOR(matrix_b, m, n, 16, unsigned char, int, __imma_##shape##_ld_b_u8)          \
  LOCKSTEP_SUM(m, n, 16, float, float, __hmma_##shape##_ld_c_f32, __hmma_##shape##_st_c_f32) \
  LOCKSTEP_SUM(m, n, 16, __half, int, __hmma_##shape##_ld_c_f16, __hmma_##shape##_st_c_f16)  \
  LOCKSTEP_SUM(m, n, 16, int, int, __imma_##shape##_ld_c, __imma_##shape##_st_c_i32)
LOCKSTEP_SHAPE(16, 16, m16n16k16)
LOCKSTEP_SHAPE(32, 8, m32n8k16)
LOCKSTEP_SHAPE(8, 32, m8n32k16)
#undef LOCKSTEP_SHAPE
LOCKSTEP_FACTOR(matrix_a, 16, 16, 8, precision::tf32, int, __mma_tf32_m16n16k8_ld_a)
LOCKSTEP_FACTOR(matrix_b, 16, 16, 8, precision::tf32, int, __mma_tf32_m16n16k8_ld_b)
LOCKSTEP_SUM(16, 16, 8, float, float, __mma_tf32_m16n16k8_ld_c, __mma_m16n16k8_st_c_f32)
LOCKSTEP_FACTOR(matrix_a, 8, 8, 4, double, double, __dmma_m8n8k4_ld_a)
LOCKSTEP_FACTOR(matrix_b, 8, 8, 4, double, double, __dmma_m8n8k4_ld_b)
LOCKSTEP_SUM(8, 8, 4, double, double, __dmma_m8n8k4_ld_c, __dmma_m8n8k4_st_c_f64)
#undef LOCKSTEP_FACTOR
#undef LOCKSTEP_SUM

// Only sums of integers can be saturated.
#define LOCKSTEP_MULTIPLY(builtin, layouts) builtin(to, of_a, of_b, of_c, layouts, 0);
#define LOCKSTEP_SHAPE(m, n, shape)                                                                \
  LOCKSTEP_PRODUCT(m, n, 16, __half, float, float, float, float, int, __hmma_##shape##_mma_f32f32) \
  LOCKSTEP_PRODUCT(m, n, 16, __half, float, float, __half, int, int, __hmma_##shape##_mma_f32f16)  \
  LOCKSTEP_PRODUCT(m, n, 16, __half, __half, int, float, float, int, __hmma_##shape##_mma_f16f32)  \
  LOCKSTEP_PRODUCT(m, n, 16, __half, __half, int, __half, int, int, __hmma_##shape##_mma_f16f16)   \
  LOCKSTEP_PRODUCT(m, n, 16, __nv_bfloat16, float, float, float, float, int,                       \
                   __mma_bf16_##shape##_mma_f32)
LOCKSTEP_SHAPE(16, 16, m16n16k16)
LOCKSTEP_SHAPE(32, 8, m32n8k16)
LOCKSTEP_SHAPE(8, 32, m8n32k16)
#undef LOCKSTEP_SHAPE
LOCKSTEP_PRODUCT(16, 16, 8, precision::tf32, float, float, float, float, int,
                 __mma_tf32_m16n16k8_mma_f32)
LOCKSTEP_PRODUCT(8, 8, 4, double, double, double, double, double, double, __dmma_m8n8k4_mma_f64)
#undef LOCKSTEP_MULTIPLY
#define LOCKSTEP_MULTIPLY(builtin, layouts)    \
  if (satf) {                                  \
    builtin(to, of_a, of_b, of_c, layouts, 1); \
  } else {                                     \
    builtin(to, of_a, of_b, of_c, layouts, 0); \
  }
#define LOCKSTEP_SHAPE(m, n, shape)                                                         \
  LOCKSTEP_PRODUCT(m, n, 16, signed char, int, int, int, int, int, __imma_##shape##_mma_s8) \
  LOCKSTEP_PRODUCT(m, n, 16, unsigned char, int, int, int, int, int, __imma_##shape##_mma_u8)
LOCKSTEP_SHAPE(16, 16, m16n16k16)
LOCKSTEP_SHAPE(32, 8, m32n8k16)
LOCKSTEP_SHAPE(8, 32, m8n32k16)
#undef LOCKSTEP_SHAPE
#undef LOCKSTEP_MULTIPLY
#undef LOCKSTEP_IN_LAYOUTS
#undef LOCKSTEP_PRODUCT

}  // namespace nvcuda::wmma

#endif
