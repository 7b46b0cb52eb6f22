// SPDX-License-Identifier: MIT
// nvcuda::wmma: tiles of matrices that a warp's 32 lanes hold together, and multiply. Which lane
// holds which element is not specified: here element e of the tile, row by row, is in lane e % 32.
// A device may hold elements twice, as num_elements says; so does the emulator. Products are added
// without rounding; a device rounds in between, so its last bits may differ.
#pragma once

#include <cstddef>
#include <type_traits>

#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "simt/warp.h"

namespace simt {

// c[rows][columns] += a[rows][depth] * b[depth][columns]
void multiply_tiles(const double* a, const double* b, double* c, int rows, int columns, int depth);

// Another lane's elements. They are on its stack, where the checkers would object.
void copy_elements(void* to, const void* from, std::size_t size_bytes);

// The 32-bit integer that a sum of products wraps around to, or is limited to.
int integer_sum(double sum, bool is_saturated);

}  // namespace simt

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
SIMT_INLINE float __float_to_tf32(float x) {
  unsigned bits = __builtin_bit_cast(unsigned, x);
  if ((bits & 0x7f800000u) != 0x7f800000u) bits = (bits + 0x1000u) & ~0x1fffu;
  return __builtin_bit_cast(float, bits);
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
  storage_element_type x[num_elements];
};

template <class Use, int m, int n, int k, class T, class Layout, class Value>
SIMT_INLINE void fill_fragment(fragment<Use, m, n, k, T, Layout>& tile, const Value& value) {
  for (auto& element : tile.x) {
    element = static_cast<typename detail::Stored<T>::Type>(value);
  }
}

namespace detail {

// Where element i of the running lane's part is in memory.
template <class Fragment>
SIMT_INLINE std::size_t offset_of(int i, unsigned stride, bool by_rows) {
  const int element = i % Fragment::kDistinct * kLanes + simt::lane_id();
  const auto row = static_cast<std::size_t>(element / Fragment::kColumns);
  const auto column = static_cast<std::size_t>(element % Fragment::kColumns);
  return by_rows ? row * stride + column : column * stride + row;
}

// No lane goes on before all are here, as on a device; that orders no memory.
SIMT_INLINE void meet() { simt::warp_operation(simt::WarpOperation::kBallot, 0xffffffffu, 1); }

template <class Fragment, class T>
SIMT_INLINE void load(Fragment& tile, const T* source, unsigned stride, bool by_rows) {
  meet();
  for (int i = 0; i < Fragment::num_elements; ++i) {
    tile.x[i] = i < Fragment::kDistinct ? source[offset_of<Fragment>(i, stride, by_rows)]
                                        : tile.x[i - Fragment::kDistinct];
  }
}

}  // namespace detail

template <class Use, int m, int n, int k, class T, class Layout>
SIMT_INLINE void load_matrix_sync(fragment<Use, m, n, k, T, Layout>& tile,
                                  const typename detail::Stored<T>::Type* source, unsigned stride) {
  static_assert(!std::is_void_v<Layout>, "an accumulator is loaded with a layout");
  detail::load(tile, source, stride, std::is_same_v<Layout, row_major>);
}
template <int m, int n, int k, class T>
SIMT_INLINE void load_matrix_sync(fragment<accumulator, m, n, k, T>& tile, const T* source,
                                  unsigned stride, layout_t layout) {
  detail::load(tile, source, stride, layout == mem_row_major);
}
template <int m, int n, int k, class T>
SIMT_INLINE void store_matrix_sync(T* destination, const fragment<accumulator, m, n, k, T>& tile,
                                   unsigned stride, layout_t layout) {
  using Fragment = fragment<accumulator, m, n, k, T>;
  detail::meet();
  for (int i = 0; i < Fragment::num_elements; ++i) {
    destination[detail::offset_of<Fragment>(i, stride, layout == mem_row_major)] = tile.x[i];
  }
}

namespace detail {

template <class T, class Stored>
SIMT_INLINE double factor(Stored x) {
  if constexpr (std::is_same_v<T, precision::tf32>) {  // a device ignores the bits that it lacks
    return __builtin_bit_cast(float, __builtin_bit_cast(unsigned, x) & ~0x1fffu);
  } else {
    return static_cast<double>(x);
  }
}

template <class Fragment>
SIMT_UNTRACED void gather(const Fragment* const* parts, double* tile) {
  typename Fragment::storage_element_type own[Fragment::num_elements];
  for (int lane = 0; lane < kLanes; ++lane) {
    const bool has_exited = parts[lane] == nullptr;
    if (!has_exited) simt::copy_elements(own, parts[lane]->x, sizeof own);
    for (int i = 0; i < Fragment::kDistinct; ++i) {
      tile[i * kLanes + lane] = has_exited ? 0 : factor<typename Fragment::element_type>(own[i]);
    }
  }
}

template <class D, class A, class B, class C>
struct Product {
  D* d;
  const A* a;
  const B* b;
  const C* c;
  bool is_saturated;

  // For all lanes of the warp at once.
  static SIMT_UNTRACED void compute(void* const* lanes) {
    const A* all_a[kLanes] = {};
    const B* all_b[kLanes] = {};
    const C* all_c[kLanes] = {};
    for (int lane = 0; lane < kLanes; ++lane) {
      const auto* const own = static_cast<const Product*>(lanes[lane]);
      if (own == nullptr) continue;
      all_a[lane] = own->a;
      all_b[lane] = own->b;
      all_c[lane] = own->c;
    }
    double tile_a[A::kRows * A::kColumns], tile_b[B::kRows * B::kColumns];
    double tile_c[C::kRows * C::kColumns];
    gather(all_a, tile_a);
    gather(all_b, tile_b);
    gather(all_c, tile_c);
    simt::multiply_tiles(tile_a, tile_b, tile_c, A::kRows, B::kColumns, A::kColumns);
    for (int lane = 0; lane < kLanes; ++lane) {
      const auto* const own = static_cast<const Product*>(lanes[lane]);
      if (own == nullptr) continue;
      typename D::element_type sums[D::num_elements];
      for (int i = 0; i < D::num_elements; ++i) {
        const double sum = tile_c[i * kLanes + lane];
        if constexpr (std::is_same_v<typename D::element_type, int>) {
          sums[i] = simt::integer_sum(sum, own->is_saturated);
        } else {
          sums[i] = static_cast<typename D::element_type>(sum);
        }
      }
      simt::copy_elements(own->d->x, sums, sizeof sums);
    }
  }
};

}  // namespace detail

// d = a * b + c. The sums may have another type than c.
template <int m, int n, int k, class A, class LayoutA, class B, class LayoutB, class D, class C>
SIMT_INLINE void mma_sync(fragment<accumulator, m, n, k, D>& d,
                          const fragment<matrix_a, m, n, k, A, LayoutA>& a,
                          const fragment<matrix_b, m, n, k, B, LayoutB>& b,
                          const fragment<accumulator, m, n, k, C>& c, bool satf = false) {
  static_assert(std::is_same_v<A, B>, "both factors have the same type");
  using Product =
      detail::Product<fragment<accumulator, m, n, k, D>, fragment<matrix_a, m, n, k, A, LayoutA>,
                      fragment<matrix_b, m, n, k, B, LayoutB>, fragment<accumulator, m, n, k, C>>;
  Product product = {&d, &a, &b, &c, satf};
  simt::WarpCall call = {&Product::compute, &product};
  simt::warp_operation(simt::WarpOperation::kTogether, 0xffffffffu,
                       reinterpret_cast<std::uintptr_t>(&call));
}

}  // namespace nvcuda::wmma
