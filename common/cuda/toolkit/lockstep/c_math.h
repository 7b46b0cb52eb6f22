// SPDX-License-Identifier: MIT
// C's <math.h>, where clang compiles for the device, without the functions that math.h has for both
// sides: a second one of the host's alone is an error. <math.h> makes the names with f and l from
// these.
#pragma once

#define fabs lockstep_hosts_fabs
#define floor lockstep_hosts_floor
#define ceil lockstep_hosts_ceil
#define trunc lockstep_hosts_trunc
#define rint lockstep_hosts_rint
#define nearbyint lockstep_hosts_nearbyint
#define round lockstep_hosts_round
#define sqrt lockstep_hosts_sqrt
#define fmin lockstep_hosts_fmin
#define fmax lockstep_hosts_fmax
#define copysign lockstep_hosts_copysign
#define fdim lockstep_hosts_fdim
#define fma lockstep_hosts_fma
#define _GLIBCXX_INCLUDE_NEXT_C_HEADERS  // C's own, and not <cmath>
#include <math.h>
#undef _GLIBCXX_INCLUDE_NEXT_C_HEADERS
#undef fabs
#undef floor
#undef ceil
#undef trunc
#undef rint
#undef nearbyint
#undef round
#undef sqrt
#undef fmin
#undef fmax
#undef copysign
#undef fdim
#undef fma

extern "C" {
long double fabsl(long double) noexcept;
long double floorl(long double) noexcept;
long double ceill(long double) noexcept;
long double truncl(long double) noexcept;
long double rintl(long double) noexcept;
long double nearbyintl(long double) noexcept;
long double roundl(long double) noexcept;
long double sqrtl(long double) noexcept;
long double fminl(long double, long double) noexcept;
long double fmaxl(long double, long double) noexcept;
long double copysignl(long double, long double) noexcept;
long double fdiml(long double, long double) noexcept;
long double fmal(long double, long double, long double) noexcept;
}
