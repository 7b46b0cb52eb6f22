// SPDX-License-Identifier: MIT
// Video instructions. They are rare, and run lane by lane.
// Source: PTX ISA 8.7, "Scalar Video Instructions" and "SIMD Video Instructions".
#include "run/arithmetic/lanes.h"
#include "run/arithmetic/parts.h"

LAB_BEGIN_LEVEL

namespace {

using U32 = std::uint32_t;
using S64 = std::int64_t;
using S128 = __int128;

LAB_INLINE S64 extracted(U32 word, int shift, int bits, bool is_signed) {
  const S64 field = static_cast<S64>(word >> shift) & ((S64{1} << bits) - 1);
  const S64 sign = S64{1} << (bits - 1);
  return is_signed ? (field ^ sign) - sign : field;
}

LAB_INLINE S64 clamped(S64 value, int bits, bool is_signed) {
  const S64 most = is_signed ? (S64{1} << (bits - 1)) - 1 : (S64{1} << bits) - 1;
  const S64 least = is_signed ? -(S64{1} << (bits - 1)) : 0;
  return value > most ? most : (value < least ? least : value);
}

// With the low 32 bits, and the side on which it saturates.
LAB_INLINE S64 limited(S128 value) {
  const S128 far = S128{1} << 62;
  const S64 low = static_cast<S64>(static_cast<unsigned __int128>(value) & 0xffffffff);
  return value >= far ? (S64{1} << 61) + low
                      : (value <= -far ? -(S64{1} << 61) + low : static_cast<S64>(value));
}

LAB_INLINE bool compared(Compare comparison, S64 a, S64 b) {
  switch (comparison) {
    case Compare::kEq:
      return a == b;
    case Compare::kNe:
      return a != b;
    case Compare::kLt:
      return a < b;
    case Compare::kLe:
      return a <= b;
    case Compare::kGt:
      return a > b;
    default:
      return a >= b;
  }
}

// Before saturation; a and b have at most 33 bits.
LAB_INLINE S64 computed(const Video& video, S64 a, S64 b, S64 c) {
  switch (video.operation) {
    case VideoOperation::kAdd:
      return a + b;
    case VideoOperation::kSub:
      return a - b;
    case VideoOperation::kAbsDiff:
      return a > b ? a - b : b - a;
    case VideoOperation::kMin:
      return a < b ? a : b;
    case VideoOperation::kMax:
      return a > b ? a : b;
    case VideoOperation::kShl:  // of 33 bits by 32 it may leave 64: the sign stays right
      return limited(static_cast<S128>(a) << (video.wraps ? b & 31 : (b < 32 ? b : 32)));
    case VideoOperation::kShr:
      return a >> (video.wraps ? b & 31 : (b < 32 ? b : 32));
    case VideoOperation::kMad:
      return limited((static_cast<S128>(a) * b + c + (video.plus_one ? 1 : 0)) >> video.scale);
    case VideoOperation::kSet:
      return compared(video.comparison, a, b) ? 1 : 0;
    case VideoOperation::kAverage:
      return (a + b + (a + b >= 0 ? 1 : 0)) >> 1;
  }
  return 0;
}

U32 scalar(const Video& video, U32 a, U32 b, U32 c) {
  const S64 left = extracted(a, video.a.shift, video.a.bits, video.a.is_signed);
  const S64 right = extracted(b, video.b.shift, video.b.bits, video.b.is_signed);
  // c of vmad has the sign of the product's type.
  const S64 third = extracted(c, 0, 32, video.d_signed);
  const S64 value = computed(video, left, right, third);
  const int bits = video.second == VideoSecond::kMerge ? video.merge.bits : 32;
  const U32 result =
      video.sat ? static_cast<U32>(clamped(value, bits, video.d_signed)) : static_cast<U32>(value);
  const S64 number = extracted(result, 0, 32, video.d_signed);
  switch (video.second) {
    case VideoSecond::kNone:
      return result;
    case VideoSecond::kAdd:
      return result + c;
    case VideoSecond::kMin:
      return number < third ? result : c;
    case VideoSecond::kMax:
      return number > third ? result : c;
    case VideoSecond::kMerge: {
      const U32 mask = static_cast<U32>((std::uint64_t{1} << bits) - 1) << video.merge.shift;
      return (c & ~mask) | (result << video.merge.shift & mask);
    }
  }
  return result;
}

// The elements of b:a are counted from a's lowest one on.
LAB_INLINE S64 selected(U32 a, U32 b, int index, int num_elements, int bits, bool a_signed,
                        bool b_signed) {
  const bool in_b = index >= num_elements;
  return extracted(in_b ? b : a, index % num_elements * bits, bits, in_b ? b_signed : a_signed);
}

U32 simd(const Video& video, U32 a, U32 b, U32 c) {
  const int bits = 32 / video.num_elements;
  const U32 ones = (U32{1} << bits) - 1;
  U32 result = c;
  for (int k = 0; k < video.num_elements; ++k) {
    if ((video.mask >> k & 1) == 0) continue;
    const S64 left =
        selected(a, b, video.select_a[k], video.num_elements, bits, video.a_signed, video.b_signed);
    const S64 right =
        selected(a, b, video.select_b[k], video.num_elements, bits, video.a_signed, video.b_signed);
    const S64 value = computed(video, left, right, 0);
    const U32 element = (video.sat ? static_cast<U32>(clamped(value, bits, video.d_signed))
                                   : static_cast<U32>(value)) &
                        ones;
    if (video.second == VideoSecond::kAdd) {
      result += static_cast<U32>(extracted(element, 0, bits, video.d_signed));
    } else {
      result = (result & ~(ones << k * bits)) | element << k * bits;
    }
  }
  return result;
}

}  // namespace

const Op* run_video(Warp& warp, const Op* op, std::uint32_t lanes) {
  const Video& video = *static_cast<const Video*>(op->details);
  const U32* a = row<U32>(warp, op->a);
  const U32* b = row<U32>(warp, op->b);
  const U32* c = row<U32>(warp, op->c);
  U32 words[32];
  for (int i = 0; i < 32; ++i) {
    words[i] =
        video.num_elements == 1 ? scalar(video, a[i], b[i], c[i]) : simd(video, a[i], b[i], c[i]);
  }
  blend(row<U32>(warp, op->d), words, lanes);
  return op + 1;
}

LAB_END_LEVEL
