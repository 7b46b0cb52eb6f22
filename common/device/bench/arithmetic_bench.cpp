// SPDX-License-Identifier: MIT
// Nanoseconds per call of a handler: all lanes (full), and 13 of 32 with another part of the warp
// alive (part).
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>

#include "tests/opcodes/one_warp.h"

namespace {

constexpr const char* kLines[] = {
    "add.s32 %r0, %r50, %r51",
    "fma.rn.f32 %r0, %r50, %r51, %r52",
    "mul.wide.s32 %d0, %r50, %r51",
    "setp.lt.s32 %p0, %r50, %r51",
    "setp.ltu.f32 %p0, %r50, %r51",
    "add.f32 %r0, %r50, %r51",
    "max.f32 %r0, %r50, %r51",
    "add.s64 %d0, %d50, %d51",
    "mad.lo.s32 %r0, %r50, %r51, %r52",
    "mul.hi.u64 %d0, %d50, %d51",
    "shl.b32 %r0, %r50, 3",
    "lop3.b32 %r0, %r50, %r51, %r52, 0x96",
    "selp.b32 %r0, %r50, %r51, %p52",
    "and.pred %p0, %p50, %p51",
    "prmt.b32 %r0, %r50, %r51, 0x5410",
    "mov.b64 {%r0, %r1}, %d50",
    "cvt.s64.s32 %d0, %r50",
    "cvt.rn.f32.s32 %r0, %r50",
    "cvt.rn.f16.f32 %h0, %r50",
    "cvt.rm.f32.f64 %r0, %d50",
    "fma.rn.f16x2 %r0, %r50, %r51, %r52",
    "fma.rn.bf16x2 %r0, %r50, %r51, %r52",
    "fma.rn.f64 %d0, %d50, %d51, %d52",
    "div.rn.f32 %r0, %r50, %r51",
    "fma.rz.f32 %r0, %r50, %r51, %r52",
    "div.s32 %r0, %r50, %r51",
    "ex2.approx.f32 %r0, %r50",
    "sin.approx.f32 %r0, %r50",
    "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%r0, %r1, %r2, %r3}, "
    "{%r50, %r51, %r52, %r53}, {%r54, %r55}, {%r0, %r1, %r2, %r3}",
    "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%r0, %r1, %r2, %r3}, "
    "{%r50, %r51, %r52, %r53}, {%r54, %r55}, {%r0, %r1, %r2, %r3}",
};

double nanoseconds(opcodes::OneWarp& warp, std::uint32_t lanes, std::uint32_t only) {
  constexpr int kCalls = 20000;
  double best = 1e9;
  for (int repeat = 0; repeat < 9; ++repeat) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < kCalls; ++i) warp.run(lanes, only);
    const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - start;
    best = std::min(best, taken.count() / kCalls);
  }
  return best;
}

}  // namespace

int main() {
  std::printf("full   part  ns per call\n");
  for (const std::string line : kLines) {
    opcodes::OneWarp warp(line);
    for (int lane = 0; lane < 32; ++lane) {
      for (int number = 50; number < 56; ++number) {
        for (const char kind : {'r', 'd', 'p'}) {
          const std::string name = std::string("%") + kind + std::to_string(number);
          const float value = 1.5f + static_cast<float>(lane + number) / 64;
          const double wide = value;
          const std::uint64_t bits = kind == 'd' ? __builtin_bit_cast(std::uint64_t, wide)
                                                 : __builtin_bit_cast(std::uint32_t, value);
          if (line.find(name) != std::string::npos) warp.set(name, lane, bits);
        }
      }
    }
    const double full = nanoseconds(warp, UINT32_MAX, UINT32_MAX);
    const double part = nanoseconds(warp, 0x8421f0f5, 0x8421f0f5);
    std::printf("%7.1f %7.1f  %s\n", full, part, line.substr(0, line.find(' ')).c_str());
  }
  return 0;
}
