// SPDX-License-Identifier: MIT
// mma.sync and ldmatrix: products of matrices whose elements are in given registers of given lanes.
// Lane l has the group l / 4, and the place l % 4 in it.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "simt/matrix_fragment.h"
#include "simt/ptx/memory.h"
#include "simt/ptx/register.h"
#include "simt/warp.h"

namespace simt::ptx {

// A float of which the last 13 bits do not count.
struct Tf32 {
  float value;
};

template <class T>
constexpr int kPerRegister = sizeof(T) == 8 ? 1 : static_cast<int>(4 / sizeof(T));

// Element i of a register.
template <class T>
SIMT_UNTRACED double element(const Register& from, int i) {
  const auto bits = static_cast<Bits<sizeof(T)>>(from.bits >> (8 * sizeof(T) * std::size_t(i)));
  if constexpr (std::is_same_v<T, Tf32>) {
    return __builtin_bit_cast(float, bits & ~0x1fffu);
  } else {
    return static_cast<double>(__builtin_bit_cast(T, bits));
  }
}
template <class T>
SIMT_UNTRACED void set_element(Register& to, int i, double value, bool is_limited) {
  T rounded;
  if constexpr (std::is_same_v<T, int>) {
    rounded = integer_sum(value, is_limited);
  } else {
    rounded = static_cast<T>(value);
  }
  const std::uint64_t bits = __builtin_bit_cast(Bits<sizeof(T)>, rounded);
  to.bits |= bits << (8 * sizeof(T) * std::size_t(i));
}

// d = a * b + c: m rows, 8 columns and the depth k, in the registers that the PTX ISA gives for
// mma.m16n8k16 and its relatives. A register of a has neighbours of a row, one of b of a column.
template <int m, int k, class D, class A, class B, class C>
struct MatrixProduct {
  static constexpr int kColumns = 8;
  static constexpr int kLanes = kWarpSize;

  Register a[m * k / kLanes / kPerRegister<A>];
  Register b[k * kColumns / kLanes / kPerRegister<B>];
  Register c[m * kColumns / kLanes / kPerRegister<C>];
  Register d[m * kColumns / kLanes / kPerRegister<D>];
  bool is_limited = false;

  SIMT_INLINE void multiply() {
    WarpCall call = {&compute, this};
    warp_operation(WarpOperation::kTogether, 0xffffffffu, reinterpret_cast<std::uintptr_t>(&call));
  }

 private:
  // Where elements are: visit(register, element of it, place in the matrix, row by row).
  template <class T, class Visit>
  static SIMT_UNTRACED void for_each_factor(int lane, bool is_a, Visit visit) {
    constexpr int kPer = kPerRegister<T>;
    const int group = lane / 4, place = lane % 4;
    const int halves = is_a ? m / 8 : 1;  // a has its upper 8 rows in every other register
    const int count = (is_a ? m : kColumns) * k / kLanes / kPer;
    for (int r = 0; r < count; ++r) {
      for (int i = 0; i < kPer; ++i) {
        const int depth = r / halves * 4 * kPer + place * kPer + i;
        const int outer = group + r % halves * 8;
        visit(r, i, is_a ? outer * k + depth : depth * kColumns + outer);
      }
    }
  }
  template <class T, class Visit>
  static SIMT_UNTRACED void for_each_sum(int lane, Visit visit) {
    constexpr int kPer = kPerRegister<T>;
    for (int i = 0; i < m * kColumns / kLanes; ++i) {
      const int row = lane / 4 + i / 2 * 8, column = lane % 4 * 2 + i % 2;
      visit(i / kPer, i % kPer, row * kColumns + column);
    }
  }

  // For all lanes of the warp at once. Those that have exited hold zeros.
  static SIMT_UNTRACED void compute(void* const* lanes) {
    double tile_a[m * k] = {}, tile_b[k * kColumns] = {}, tile_c[m * kColumns] = {};
    MatrixProduct own;
    for (int lane = 0; lane < kLanes; ++lane) {
      if (lanes[lane] == nullptr) continue;
      copy_elements(&own, lanes[lane], sizeof own);
      for_each_factor<A>(lane, true, [&](int r, int i, int to) SIMT_UNTRACED {
        tile_a[to] = element<A>(own.a[r], i);
      });
      for_each_factor<B>(lane, false, [&](int r, int i, int to) SIMT_UNTRACED {
        tile_b[to] = element<B>(own.b[r], i);
      });
      for_each_sum<C>(
          lane, [&](int r, int i, int to) SIMT_UNTRACED { tile_c[to] = element<C>(own.c[r], i); });
    }
    multiply_tiles(tile_a, tile_b, tile_c, m, kColumns, k);
    for (int lane = 0; lane < kLanes; ++lane) {
      if (lanes[lane] == nullptr) continue;
      copy_elements(&own, lanes[lane], sizeof own);
      for (Register& sums : own.d) sums.bits = 0;
      for_each_sum<D>(lane, [&](int r, int i, int from) SIMT_UNTRACED {
        set_element<D>(own.d[r], i, tile_c[from], own.is_limited);
      });
      copy_elements(lanes[lane], &own, sizeof own);
    }
  }
};

// ldmatrix: lane l gives the address of row l % 8 of matrix l / 8, and gets two neighbours of row
// l / 4 of each; transposed, of column l / 4. Each lane reads the word that it gets without
// transposing: so banks meet as on a device.
SIMT_INLINE unsigned load_matrix(int matrix, const unsigned char* row, bool is_transposed) {
  const int lane = lane_id(), group = lane / 4, place = lane % 4;
  const auto address = reinterpret_cast<std::uintptr_t>(row);
  const auto from =
      simt::shuffle(0xffffffffu, static_cast<unsigned long long>(address), matrix * 8 + group);
  // Reading all of a row reports one that is not aligned.
  if (from % 16 != 0) return pointer<const Vector<unsigned, 4>>(from, 0)->x[place];
  const unsigned word = pointer<const unsigned>(from, 0)[place];
  if (!is_transposed) return word;
  unsigned result = 0;
  for (int i = 0; i < 2; ++i) {  // rows 2 * place and the next of column `group`
    const unsigned there = simt::shuffle(0xffffffffu, word, (2 * place + i) * 4 + group / 2);
    result |= (there >> (group % 2 * 16) & 0xffff) << (16 * i);
  }
  return result;
}

}  // namespace simt::ptx
