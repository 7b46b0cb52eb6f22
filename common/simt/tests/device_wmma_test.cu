// SPDX-License-Identifier: MIT
// nvcuda::wmma: the products of all shapes and types, and the checks of its accesses.
#include <mma.h>

#include <vector>

#include "device_test.h"

namespace simt_test::wmma_test {
namespace {

using namespace nvcuda;

template <int m, int n, int k, class In, class Sum, class LayoutA, class LayoutB>
__global__ void product_kernel(
    const typename wmma::fragment<wmma::matrix_a, m, n, k, In, LayoutA>::storage_element_type* a,
    const typename wmma::fragment<wmma::matrix_b, m, n, k, In, LayoutB>::storage_element_type* b,
    const Sum* c, Sum* d) {
  wmma::fragment<wmma::matrix_a, m, n, k, In, LayoutA> tile_a;
  wmma::fragment<wmma::matrix_b, m, n, k, In, LayoutB> tile_b;
  wmma::fragment<wmma::accumulator, m, n, k, Sum> tile_c;
  wmma::load_matrix_sync(tile_a, a, std::is_same_v<LayoutA, wmma::row_major> ? k : m);
  wmma::load_matrix_sync(tile_b, b, std::is_same_v<LayoutB, wmma::row_major> ? n : k);
  wmma::load_matrix_sync(tile_c, c, n, wmma::mem_row_major);
  wmma::mma_sync(tile_c, tile_a, tile_b, tile_c);
  for (int i = 0; i < tile_c.num_elements; ++i) tile_c.x[i] = tile_c.x[i] + tile_c.x[i];
  wmma::store_matrix_sync(d, tile_c, n, wmma::mem_row_major);
}

class Wmma : public DeviceTest {
 protected:
  // Compares 2 * (a * b + c) of small whole numbers, which are exact in every type.
  template <int m, int n, int k, class In, class Sum, class LayoutA, class LayoutB>
  void expect_product() {
    using Stored =
        typename wmma::fragment<wmma::matrix_a, m, n, k, In, LayoutA>::storage_element_type;
    Managed<Stored> a(m * k), b(k * n);
    Managed<Sum> c(m * n), d(m * n);
    constexpr bool kRowsA = std::is_same_v<LayoutA, wmma::row_major>;
    constexpr bool kRowsB = std::is_same_v<LayoutB, wmma::row_major>;
    const auto value_a = [](int row, int i) { return (row * 3 + i) % 5; };
    const auto value_b = [](int i, int column) { return (i + column * 2) % 4; };
    for (int row = 0; row < m; ++row) {
      for (int i = 0; i < k; ++i) a[kRowsA ? row * k + i : i * m + row] = Stored(value_a(row, i));
    }
    for (int i = 0; i < k; ++i) {
      for (int column = 0; column < n; ++column) {
        b[kRowsB ? i * n + column : column * k + i] = Stored(value_b(i, column));
      }
    }
    for (int i = 0; i < m * n; ++i) c[i] = Sum(i % 3);
    product_kernel<m, n, k, In, Sum, LayoutA, LayoutB>
        <<<1, 32>>>(a.get(), b.get(), c.get(), d.get());
    for (int row = 0; row < m; ++row) {
      for (int column = 0; column < n; ++column) {
        int sum = (row * n + column) % 3;
        for (int i = 0; i < k; ++i) sum += value_a(row, i) * value_b(i, column);
        ASSERT_EQ(static_cast<double>(d[row * n + column]), 2.0 * sum) << row << ", " << column;
      }
    }
  }
};

TEST_F(Wmma, MultipliesHalves) {
  expect_product<16, 16, 16, half, float, wmma::row_major, wmma::col_major>();
  expect_product<16, 16, 16, half, half, wmma::col_major, wmma::row_major>();
  expect_product<32, 8, 16, half, float, wmma::row_major, wmma::row_major>();
  expect_product<8, 32, 16, half, float, wmma::col_major, wmma::col_major>();
}

TEST_F(Wmma, MultipliesOtherTypes) {
  expect_product<16, 16, 16, __nv_bfloat16, float, wmma::row_major, wmma::col_major>();
  expect_product<16, 16, 16, signed char, int, wmma::row_major, wmma::col_major>();
  expect_product<16, 16, 16, unsigned char, int, wmma::row_major, wmma::row_major>();
  expect_product<16, 16, 8, wmma::precision::tf32, float, wmma::row_major, wmma::col_major>();
  expect_product<8, 8, 4, double, double, wmma::row_major, wmma::col_major>();
}

TEST_F(Wmma, HoldsAsManyElementsAsADevice) {
  EXPECT_EQ((wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major>::num_elements), 16);
  EXPECT_EQ((wmma::fragment<wmma::matrix_b, 32, 8, 16, half, wmma::row_major>::num_elements), 16);
  EXPECT_EQ((wmma::fragment<wmma::accumulator, 16, 16, 16, float>::num_elements), 8);
  EXPECT_EQ(
      (wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major>::num_elements), 8);
}

__global__ void saturating_kernel(int* out, bool satf) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::col_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, int> c;
  wmma::fill_fragment(a, 1);
  wmma::fill_fragment(b, 1);
  wmma::fill_fragment(c, 0x7fffffff);
  wmma::mma_sync(c, a, b, c, satf);
  wmma::store_matrix_sync(out, c, 16, wmma::mem_col_major);
}

TEST_F(Wmma, WrapsAroundOrSaturates) {
  Managed<int> out(256);
  saturating_kernel<<<1, 32>>>(out.get(), true);
  EXPECT_EQ(out[100], 0x7fffffff);
  saturating_kernel<<<1, 32>>>(out.get(), false);
  EXPECT_EQ(out[100], static_cast<int>(0x8000000fu));
}

__global__ void short_kernel(const half* in, float* out) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
  wmma::load_matrix_sync(a, in, 16);
  out[threadIdx.x] = a.x[0];
}
constexpr int kLoadLine = __LINE__ - 3;

TEST_F(Wmma, ChecksAccesses) {
  Managed<half> in(255);
  Managed<float> out(32);
  short_kernel<<<1, 32>>>(in.get(), out.get());
  cudaDeviceSynchronize();
  const simt::Finding finding = expect_finding(simt::FindingKind::kOutOfBounds);
  EXPECT_EQ(finding.line, kLoadLine);
}

}  // namespace
}  // namespace simt_test::wmma_test
