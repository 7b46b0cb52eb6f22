// SPDX-License-Identifier: MIT
// CUDA's named constants. The single-precision ones are the nearest float.
#pragma once

#include <limits>
#include <numbers>

#include "simt/integer_intrinsics.h"

#define CUDART_INF_F std::numeric_limits<float>::infinity()
#define CUDART_NAN_F __int_as_float(0x7fffffff)
#define CUDART_MIN_DENORM_F std::numeric_limits<float>::denorm_min()
#define CUDART_MAX_NORMAL_F std::numeric_limits<float>::max()
#define CUDART_NEG_ZERO_F (-0.0f)
#define CUDART_ZERO_F 0.0f
#define CUDART_ONE_F 1.0f
#define CUDART_PI_F std::numbers::pi_v<float>
#define CUDART_PIO2_F 1.570796327f
#define CUDART_PIO4_F 0.785398163f
#define CUDART_3PIO4_F 2.356194490f
#define CUDART_2_OVER_PI_F 0.636619772f
#define CUDART_SQRT_2_OVER_PI_F 0.797884561f
#define CUDART_SQRT_TWO_F std::numbers::sqrt2_v<float>
#define CUDART_SQRT_HALF_F 0.707106781f
#define CUDART_SQRT_THREE_F std::numbers::sqrt3_v<float>
#define CUDART_THIRD_F 0.333333333f
#define CUDART_L2E_F std::numbers::log2e_v<float>
#define CUDART_LGE_F std::numbers::log10e_v<float>
#define CUDART_LN2_F std::numbers::ln2_v<float>
#define CUDART_LNT_F std::numbers::ln10_v<float>
#define CUDART_L2T_F 3.321928094f
#define CUDART_LG2_F 0.301029996f

#define CUDART_INF std::numeric_limits<double>::infinity()
#define CUDART_NAN __longlong_as_double(static_cast<long long>(0xfff8000000000000ull))
#define CUDART_MIN_DENORM std::numeric_limits<double>::denorm_min()
#define CUDART_MAX_NORMAL std::numeric_limits<double>::max()
#define CUDART_NEG_ZERO (-0.0)
#define CUDART_ZERO 0.0
#define CUDART_ONE 1.0
#define CUDART_PI std::numbers::pi
#define CUDART_PIO2 1.5707963267948966
#define CUDART_PIO4 0.78539816339744828
#define CUDART_3PIO4 2.3561944901923448
#define CUDART_2_OVER_PI 0.63661977236758138
#define CUDART_SQRT_2OPI 0.79788456080286536
#define CUDART_SQRT_TWO std::numbers::sqrt2
#define CUDART_SQRT_HALF 0.70710678118654757
#define CUDART_THIRD (1.0 / 3.0)
#define CUDART_L2E std::numbers::log2e
#define CUDART_LGE std::numbers::log10e
#define CUDART_LN2 std::numbers::ln2
#define CUDART_LNT std::numbers::ln10
#define CUDART_L2T 3.3219280948873622
#define CUDART_LG2 0.30102999566398120
