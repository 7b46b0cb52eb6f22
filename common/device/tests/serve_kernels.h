// SPDX-License-Identifier: MIT
#pragma once

namespace serve_test {

// Kernels of a few lines: stores n to out[0]; waits until *out is not 0, and adds n; never ends;
// has bounds of 64 threads; stores the size of its cluster.
inline constexpr const char* kKernels = R"(
.version 8.7
.target sm_90
.address_size 64
.visible .global .align 4 .u32 counter = 5;
.visible .const .align 4 .u32 factor = 3;
.visible .entry store(.param .u64 out, .param .u32 n)
{
.reg .b64 %p;
.reg .b32 %n;
ld.param.u64 %p, [out];
ld.param.u32 %n, [n];
st.global.u32 [%p], %n;
ret;
}
.visible .entry wait(.param .u64 out, .param .u32 n)
{
.reg .b64 %p;
.reg .b32 %n, %v;
.reg .pred %x;
ld.param.u64 %p, [out];
ld.param.u32 %n, [n];
AGAIN:
ld.volatile.global.u32 %v, [%p];
setp.eq.u32 %x, %v, 0;
@%x bra AGAIN;
add.u32 %v, %v, %n;
st.global.u32 [%p+4], %v;
ret;
}
.visible .entry bounded(.param .u64 out, .param .u32 n)
.maxntid 64, 1, 1
{
ret;
}
.visible .entry clustered(.param .u64 out, .param .u32 n)
.explicitcluster
.reqnctapercluster 2, 1, 1
{
.reg .b64 %p;
.reg .b32 %n;
ld.param.u64 %p, [out];
mov.u32 %n, %cluster_nctarank;
st.global.u32 [%p], %n;
ret;
}
)";

}  // namespace serve_test
