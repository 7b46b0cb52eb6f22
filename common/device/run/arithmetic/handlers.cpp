// SPDX-License-Identifier: MIT
#include "run/arithmetic/handlers.h"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace run::arithmetic {

namespace {

// The processor's rounding mode, for the life of an object.
class Mode {
 public:
#if defined(__x86_64__)
  explicit Mode(Rounding rounding) : before_(_mm_getcsr()) {
    const unsigned mode = rounding == Rounding::kZero ? 3u : (rounding == Rounding::kUp ? 2u : 1u);
    _mm_setcsr((before_ & ~0x6000u) | mode << 13);
  }
  ~Mode() { _mm_setcsr(before_); }
#elif defined(__aarch64__)
  explicit Mode(Rounding rounding) {
    __asm__ volatile("mrs %0, fpcr" : "=r"(before_));
    const std::uint64_t mode =
        rounding == Rounding::kZero ? 3 : (rounding == Rounding::kUp ? 1 : 2);
    const std::uint64_t changed = (before_ & ~(std::uint64_t{3} << 22)) | mode << 22;
    __asm__ volatile("msr fpcr, %0" : : "r"(changed) : "memory");
  }
  ~Mode() { __asm__ volatile("msr fpcr, %0" : : "r"(before_) : "memory"); }
#else
#error "Directed rounding needs the processor's rounding mode."
#endif
  Mode(const Mode&) = delete;
  Mode& operator=(const Mode&) = delete;

 private:
#if defined(__x86_64__)
  unsigned before_;
#else
  std::uint64_t before_ = 0;
#endif
};

}  // namespace

// The handler is called through a pointer, so no arithmetic moves across the change of mode.
const code::Op* run_directed(run::Warp& warp, const code::Op* op, std::uint32_t lanes) {
  const Directed& directed = *static_cast<const Directed*>(op->details);
  const Mode mode(directed.rounding);
  return directed.handler(warp, op, lanes);
}

}  // namespace run::arithmetic
