// SPDX-License-Identifier: MIT
// mma.sync and ldmatrix. Rows and columns of elements are those of the PTX ISA's chapter "Matrix
// Fragments", written out for each shape.
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "device_test.h"

namespace simt_test::ptx_matrix_test {
namespace {

class PtxMatrix : public DeviceTest {};

// Row and column of element i of a lane.
struct Place {
  int row, column;
};
using PlaceOf = Place (*)(int group, int place, int i);

Place a_tf32_k4(int g, int t, int i) { return {i == 0 ? g : g + 8, t}; }
Place a_tf32_k8(int g, int t, int i) {
  return {i == 0 || i == 2 ? g : g + 8, i == 0 || i == 1 ? t : t + 4};
}
Place a_half_k8(int g, int t, int i) { return {i < 2 ? g : g + 8, t * 2 + (i & 1)}; }
Place a_half_k16(int g, int t, int i) {
  const bool is_upper = i < 2 || (4 <= i && i < 6);
  return {is_upper ? g : g + 8, t * 2 + (i & 1) + (i >= 4 ? 8 : 0)};
}
Place a_byte_k16(int g, int t, int i) { return {i < 4 ? g : g + 8, t * 4 + (i & 3)}; }
Place a_byte_k32(int g, int t, int i) {
  const bool is_upper = i < 4 || (8 <= i && i < 12);
  return {is_upper ? g : g + 8, t * 4 + (i & 3) + (i >= 8 ? 16 : 0)};
}
Place a_double(int g, int t, int) { return {g, t}; }
Place b_word(int g, int t, int i) { return {t + 4 * i, g}; }  // tf32 and double
Place b_half(int g, int t, int i) { return {t * 2 + (i & 1) + (i >= 2 ? 8 : 0), g}; }
Place b_byte(int g, int t, int i) { return {t * 4 + (i & 3) + (i >= 4 ? 16 : 0), g}; }
Place sums(int g, int t, int i) { return {i < 2 ? g : g + 8, t * 2 + (i & 1)}; }

// Registers of 32 lanes, as 32-bit words; `Wide` for double.
template <class T, class Register = unsigned>
std::vector<Register> packed(PlaceOf place, int num_elements, int (*value)(int row, int column)) {
  constexpr int kPer = sizeof(Register) / sizeof(T);
  std::vector<Register> registers(32 * num_elements / kPer);
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < num_elements; ++i) {
      const auto [row, column] = place(lane / 4, lane % 4, i);
      const T element = static_cast<T>(static_cast<float>(value(row, column)));
      std::memcpy(reinterpret_cast<T*>(&registers[(lane * num_elements + i) / kPer]) + i % kPer,
                  &element, sizeof(T));
    }
  }
  return registers;
}

int value_a(int row, int column) { return (row * 3 + column) % 7 - 2; }
int value_b(int row, int column) { return (row + column * 2) % 5 - 1; }
int value_c(int row, int column) { return row - column; }

template <class T, class Register = unsigned>
void expect_product(const Register* d, int rows, int depth) {
  constexpr int kPer = sizeof(Register) / sizeof(T);
  const int num_elements = rows / 4;
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < num_elements; ++i) {
      const auto [row, column] = sums(lane / 4, lane % 4, i);
      int expected = value_c(row, column);
      for (int k = 0; k < depth; ++k) expected += value_a(row, k) * value_b(k, column);
      T got;
      std::memcpy(&got, reinterpret_cast<const T*>(&d[(lane * num_elements + i) / kPer]) + i % kPer,
                  sizeof(T));
      ASSERT_EQ(static_cast<double>(static_cast<float>(got)), expected)
          << "row " << row << ", column " << column;
    }
  }
}

// Calls the kernel with registers of all lanes, lane by lane, and checks what it makes of them.
template <class In, class Sum, class Register = unsigned, class Kernel>
void check(Kernel kernel, PlaceOf place_a, PlaceOf place_b, int rows, int depth) {
  using Registers = std::vector<Register>;
  const auto fill = [](Managed<Register>& to, const Registers& from) {
    for (std::size_t i = 0; i < from.size(); ++i) to[static_cast<int>(i)] = from[i];
  };
  const Registers from_a = packed<In, Register>(place_a, rows * depth / 32, value_a);
  const Registers from_b = packed<In, Register>(place_b, depth / 4, value_b);
  const Registers from_c = packed<Sum, Register>(sums, rows / 4, value_c);
  const auto count = [](const Registers& registers) { return static_cast<int>(registers.size()); };
  Managed<Register> a(count(from_a)), b(count(from_b)), c(count(from_c)), d(count(from_c));
  fill(a, from_a);
  fill(b, from_b);
  fill(c, from_c);
  kernel(a.get(), b.get(), c.get(), d.get());
  expect_product<Sum, Register>(d.get(), rows, depth);
}

// Each text is written out: the rewriter does not see one that a macro's parameters make.
__global__ void tf32_k4(const unsigned* a, const unsigned* b, const unsigned* c, unsigned* d) {
  const int t = threadIdx.x;
  asm volatile(
      "mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 "
      "{%0,%1,%2,%3}, {%4,%5}, {%6}, {%7,%8,%9,%10};"
      : "=r"(d[4 * t]), "=r"(d[4 * t + 1]), "=r"(d[4 * t + 2]), "=r"(d[4 * t + 3])
      : "r"(a[2 * t]), "r"(a[2 * t + 1]), "r"(b[1 * t]), "r"(c[4 * t]), "r"(c[4 * t + 1]),
        "r"(c[4 * t + 2]), "r"(c[4 * t + 3]));
}
__global__ void tf32_k8(const unsigned* a, const unsigned* b, const unsigned* c, unsigned* d) {
  const int t = threadIdx.x;
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
      "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13};"
      : "=r"(d[4 * t]), "=r"(d[4 * t + 1]), "=r"(d[4 * t + 2]), "=r"(d[4 * t + 3])
      : "r"(a[4 * t]), "r"(a[4 * t + 1]), "r"(a[4 * t + 2]), "r"(a[4 * t + 3]), "r"(b[2 * t]),
        "r"(b[2 * t + 1]), "r"(c[4 * t]), "r"(c[4 * t + 1]), "r"(c[4 * t + 2]), "r"(c[4 * t + 3]));
}
__global__ void half_k8(const unsigned* a, const unsigned* b, const unsigned* c, unsigned* d) {
  const int t = threadIdx.x;
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 "
      "{%0,%1,%2,%3}, {%4,%5}, {%6}, {%7,%8,%9,%10};"
      : "=r"(d[4 * t]), "=r"(d[4 * t + 1]), "=r"(d[4 * t + 2]), "=r"(d[4 * t + 3])
      : "r"(a[2 * t]), "r"(a[2 * t + 1]), "r"(b[1 * t]), "r"(c[4 * t]), "r"(c[4 * t + 1]),
        "r"(c[4 * t + 2]), "r"(c[4 * t + 3]));
}
__global__ void half_k16(const unsigned* a, const unsigned* b, const unsigned* c, unsigned* d) {
  const int t = threadIdx.x;
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
      "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13};"
      : "=r"(d[4 * t]), "=r"(d[4 * t + 1]), "=r"(d[4 * t + 2]), "=r"(d[4 * t + 3])
      : "r"(a[4 * t]), "r"(a[4 * t + 1]), "r"(a[4 * t + 2]), "r"(a[4 * t + 3]), "r"(b[2 * t]),
        "r"(b[2 * t + 1]), "r"(c[4 * t]), "r"(c[4 * t + 1]), "r"(c[4 * t + 2]), "r"(c[4 * t + 3]));
}
__global__ void bfloat_k8(const unsigned* a, const unsigned* b, const unsigned* c, unsigned* d) {
  const int t = threadIdx.x;
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 "
      "{%0,%1,%2,%3}, {%4,%5}, {%6}, {%7,%8,%9,%10};"
      : "=r"(d[4 * t]), "=r"(d[4 * t + 1]), "=r"(d[4 * t + 2]), "=r"(d[4 * t + 3])
      : "r"(a[2 * t]), "r"(a[2 * t + 1]), "r"(b[1 * t]), "r"(c[4 * t]), "r"(c[4 * t + 1]),
        "r"(c[4 * t + 2]), "r"(c[4 * t + 3]));
}
__global__ void bfloat_k16(const unsigned* a, const unsigned* b, const unsigned* c, unsigned* d) {
  const int t = threadIdx.x;
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
      "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13};"
      : "=r"(d[4 * t]), "=r"(d[4 * t + 1]), "=r"(d[4 * t + 2]), "=r"(d[4 * t + 3])
      : "r"(a[4 * t]), "r"(a[4 * t + 1]), "r"(a[4 * t + 2]), "r"(a[4 * t + 3]), "r"(b[2 * t]),
        "r"(b[2 * t + 1]), "r"(c[4 * t]), "r"(c[4 * t + 1]), "r"(c[4 * t + 2]), "r"(c[4 * t + 3]));
}
__global__ void byte_k16(const unsigned* a, const unsigned* b, const unsigned* c, unsigned* d) {
  const int t = threadIdx.x;
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.satfinite.s32.s8.s8.s32 "
      "{%0,%1,%2,%3}, {%4,%5}, {%6}, {%7,%8,%9,%10};"
      : "=r"(d[4 * t]), "=r"(d[4 * t + 1]), "=r"(d[4 * t + 2]), "=r"(d[4 * t + 3])
      : "r"(a[2 * t]), "r"(a[2 * t + 1]), "r"(b[1 * t]), "r"(c[4 * t]), "r"(c[4 * t + 1]),
        "r"(c[4 * t + 2]), "r"(c[4 * t + 3]));
}
__global__ void byte_k32(const unsigned* a, const unsigned* b, const unsigned* c, unsigned* d) {
  const int t = threadIdx.x;
  asm volatile(
      "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 "
      "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13};"
      : "=r"(d[4 * t]), "=r"(d[4 * t + 1]), "=r"(d[4 * t + 2]), "=r"(d[4 * t + 3])
      : "r"(a[4 * t]), "r"(a[4 * t + 1]), "r"(a[4 * t + 2]), "r"(a[4 * t + 3]), "r"(b[2 * t]),
        "r"(b[2 * t + 1]), "r"(c[4 * t]), "r"(c[4 * t + 1]), "r"(c[4 * t + 2]), "r"(c[4 * t + 3]));
}
__global__ void half_sums(const unsigned* a, const unsigned* b, const unsigned* c, unsigned* d) {
  const int t = threadIdx.x;
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%8,%9};"
      : "=r"(d[2 * t]), "=r"(d[2 * t + 1])
      : "r"(a[4 * t]), "r"(a[4 * t + 1]), "r"(a[4 * t + 2]), "r"(a[4 * t + 3]), "r"(b[2 * t]),
        "r"(b[2 * t + 1]), "r"(c[2 * t]), "r"(c[2 * t + 1]));
}

__global__ void double_k4(const double* a, const double* b, const double* c, double* d) {
  const int t = threadIdx.x;
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%4,%5};"
               : "=d"(d[2 * t]), "=d"(d[2 * t + 1])
               : "d"(a[t]), "d"(b[t]), "d"(c[2 * t]), "d"(c[2 * t + 1]));
}

#define LAUNCH(kernel)              \
  [](auto... pointers) {            \
    kernel<<<1, 32>>>(pointers...); \
    cudaDeviceSynchronize();        \
  }

TEST_F(PtxMatrix, MultipliesFragmentsOfThePtxIsa) {
  check<float, float>(LAUNCH(tf32_k4), a_tf32_k4, b_word, 16, 4);
  check<float, float>(LAUNCH(tf32_k8), a_tf32_k8, b_word, 16, 8);
  check<__half, float>(LAUNCH(half_k8), a_half_k8, b_half, 16, 8);
  check<__half, float>(LAUNCH(half_k16), a_half_k16, b_half, 16, 16);
  check<__half, __half>(LAUNCH(half_sums), a_half_k16, b_half, 16, 16);
  check<__nv_bfloat16, float>(LAUNCH(bfloat_k8), a_half_k8, b_half, 16, 8);
  check<__nv_bfloat16, float>(LAUNCH(bfloat_k16), a_half_k16, b_half, 16, 16);
  check<signed char, int>(LAUNCH(byte_k16), a_byte_k16, b_byte, 16, 16);
  check<signed char, int>(LAUNCH(byte_k32), a_byte_k32, b_byte, 16, 32);
  check<double, double, double>(LAUNCH(double_k4), a_double, b_word, 8, 4);
}

// Matrix m has the element 100 * m + 8 * row + column.
__global__ void load_kernel(unsigned* plain, unsigned* transposed, int shift) {
  __shared__ alignas(16) unsigned short rows[4 * 64 + 8];
  const int t = threadIdx.x;
  for (int i = t; i < 4 * 64; i += 32)
    rows[i] = static_cast<unsigned short>(100 * (i / 64) + i % 64);
  __syncthreads();
  const auto row = static_cast<unsigned>(__cvta_generic_to_shared(rows + 8 * t + shift));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(plain[4 * t]), "=r"(plain[4 * t + 1]), "=r"(plain[4 * t + 2]),
                 "=r"(plain[4 * t + 3])
               : "r"(row));
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared::cta.b16 {%0,%1}, [%2];"
               : "=r"(transposed[2 * t]), "=r"(transposed[2 * t + 1])
               : "r"(row));
}
constexpr int kLoadLine = __LINE__ - 8;

TEST_F(PtxMatrix, LoadsMatricesByRowsOrByColumns) {
  Managed<unsigned> plain(128), transposed(64);
  load_kernel<<<1, 32>>>(plain.get(), transposed.get(), 0);
  cudaDeviceSynchronize();
  const auto pair = [](int first, int second) {
    return static_cast<unsigned>(first | second << 16);
  };
  for (int lane = 0; lane < 32; ++lane) {
    const int group = lane / 4, place = lane % 4;
    for (int m = 0; m < 4; ++m) {
      const int first = 100 * m + 8 * group + 2 * place;
      EXPECT_EQ(plain[4 * lane + m], pair(first, first + 1)) << lane;
    }
    for (int m = 0; m < 2; ++m) {
      const int first = 100 * m + 8 * (2 * place) + group;
      EXPECT_EQ(transposed[2 * lane + m], pair(first, first + 8)) << lane;
    }
  }
}

TEST_F(PtxMatrix, FindsARowThatIsNotAligned) {
  Managed<unsigned> plain(128), transposed(64);
  load_kernel<<<1, 32>>>(plain.get(), transposed.get(), 2);
  const simt::Finding finding =
      expect_fault(cudaErrorMisalignedAddress, simt::FindingKind::kMisaligned);
  EXPECT_EQ(finding.line, kLoadLine);
}

__global__ void unknown_shape(float* out) {
  float d[4] = {};
  unsigned a = 0;
  asm volatile("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.xor.popc {%0}, {%1}, {%1}, {%0};"
               : "+f"(d[0])
               : "r"(a));
  out[threadIdx.x] = d[0];
}

TEST_F(PtxMatrix, NamesAShapeThatItDoesNotKnow) {
  Managed<float> out(32);
  unknown_shape<<<1, 32>>>(out.get());
  const simt::Finding finding =
      expect_fault(cudaErrorIllegalInstruction, simt::FindingKind::kLaunchError);
  EXPECT_TRUE(contains(finding.message, "m16n8k256"));
}

}  // namespace
}  // namespace simt_test::ptx_matrix_test
