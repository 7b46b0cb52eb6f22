// SPDX-License-Identifier: MIT
// Device mathematics by all its names: float and double functions, fast and rounded intrinsics, min
// and max of mixed types with `using namespace std`, constants. On the host, the special functions
// of C++17.
#include <math_constants.h>

#include <algorithm>
#include <cmath>

#include "check.h"

using namespace std;

__global__ void evaluate(float* f, double* d, float x, double y) {
  int i = 0, j = 0;
  f[i++] = sqrtf(x) * rsqrtf(x);
  f[i++] = __expf(logf(x)) / x;
  f[i++] = __fdividef(x, x);
  f[i++] = __powf(x, 2.0f) / (x * x);
  f[i++] = __saturatef(x);
  f[i++] = max(1, (int)0.5f);
  f[i++] = min(1.0f, x) + fminf(0.f, x);
  f[i++] = sinf(CUDART_PI_F / 2);
  f[i++] = sinpif(0.5f);
  f[i++] = fabsf(-1.0f);
  f[i++] = exp2f(0) * exp10f(0.f);
  f[i++] = __fadd_rn(x, -x) + __fmul_rz(1.0f, 1.0f);
  f[i++] = isinf(CUDART_INF_F) && isnan(CUDART_NAN_F);
  f[i++] = abs(-1.0f) * std::abs(-1);
  f[i++] = norm3df(0.f, 3.f, 4.f) / 5;
  f[i++] = fmaf(x, 2.f, 1.f - 2 * x);
  d[j++] = sqrt(y) * rsqrt(y);
  d[j++] = pow(y, 3) / (y * y * y);
  d[j++] = fma(y, 2.0, 1.0 - 2 * y);
  d[j++] = normcdf(0.0) * 2;
  d[j++] = fmax(1.0, 0.5);
  d[j++] = cospi(0.0);
  d[j++] = round(0.7) * floor(1.2) * ceil(0.3) * trunc(1.9);
  d[j++] = erf(erfinv(0.25)) * 4;
  d[j++] = __double2int_rz(1.9) * max(1, 1u) * min(2LL, 1LL);
  d[j++] = __ddiv_rn(y, y);
  float s, c;
  sincosf(x, &s, &c);
  d[j++] = s * s + c * c;
}

int main() {
  const int num_floats = 16, num_doubles = 11;
  float* f;
  double* d;
  CHECK_CUDA(cudaMallocManaged(&f, num_floats * sizeof(float)));
  CHECK_CUDA(cudaMallocManaged(&d, num_doubles * sizeof(double)));
  evaluate<<<1, 1>>>(f, d, 2.5f, 1.75);
  CHECK_CUDA(cudaDeviceSynchronize());
  for (int i = 0; i < num_floats; ++i) EXPECT(fabsf(f[i] - 1) < 1e-5f);
  for (int i = 0; i < num_doubles; ++i) EXPECT(fabs(d[i] - 1) < 1e-6);
  EXPECT(fabs(std::riemann_zeta(2.0) - CUDART_PI * CUDART_PI / 6) < 1e-12);
  EXPECT(fabsf(std::cyl_bessel_jf(0, 2.4048256f)) < 1e-6f);
  cudaFree(f);
  cudaFree(d);
  return 0;
}
