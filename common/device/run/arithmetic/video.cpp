// SPDX-License-Identifier: MIT
// The video instructions: arithmetic on a word, its halfwords or its bytes, added up or not.
// vadd2 and its siblings are rare, so one loop reads what to do instead of being made for it.
#include "run/arithmetic/handlers.h"
#include "run/arithmetic/lanes.h"

namespace run::arithmetic {

namespace {

std::int64_t part_of(std::uint32_t word, int width, int index, bool is_signed) {
  const std::uint32_t top = word << (32 - width * (index + 1));
  return is_signed ? static_cast<std::int32_t>(top) >> (32 - width)
                   : static_cast<std::int64_t>(top >> (32 - width));
}

bool holds(Compare comparison, std::int64_t a, std::int64_t b) {
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

std::int64_t combined(const VideoRows& rows, std::int64_t a, std::int64_t b) {
  switch (rows.operation) {
    case Video::kAdd:
      return a + b;
    case Video::kSub:
      return a - b;
    case Video::kAbsDiff:
      return a < b ? b - a : a - b;
    case Video::kAverage:
      return (a + b + (a + b >= 0 ? 1 : 0)) >> 1;
    case Video::kMin:
      return a < b ? a : b;
    case Video::kMax:
      return a < b ? b : a;
    case Video::kShl:
      return a << (rows.clamps ? (b < 32 ? b : 32) : b & 31);
    case Video::kShr:
      return a >> (rows.clamps ? (b < 32 ? b : 32) : b & 31);
    case Video::kSet:
      return holds(rows.comparison, a, b) ? 1 : 0;
  }
  return 0;
}

std::uint32_t video(const VideoRows& rows, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  const int width = 32 / rows.num_parts;
  const std::int64_t above = std::int64_t{1} << (rows.d_signed ? width - 1 : width);
  const std::int64_t least = rows.d_signed ? -above : 0;
  std::uint32_t placed = 0, sum = 0;
  for (int k = 0; k < rows.num_parts; ++k) {
    std::int64_t result =
        combined(rows, part_of(a, width, k, rows.a_signed), part_of(b, width, k, rows.b_signed));
    if (rows.saturates) result = result < least ? least : (result < above ? result : above - 1);
    const std::uint32_t part = static_cast<std::uint32_t>(result) & (UINT32_MAX >> (32 - width));
    placed |= part << width * k;
    sum += static_cast<std::uint32_t>(result);  // a GPU does not cut what it adds
  }
  return rows.adds ? sum + c : placed;
}

}  // namespace

const Op* run_video(Warp& warp, const Op* op, std::uint32_t lanes) {
  const VideoRows& rows = *static_cast<const VideoRows*>(op->details);
  const std::uint32_t* a = row<std::uint32_t>(warp, op->a);
  const std::uint32_t* b = row<std::uint32_t>(warp, op->b);
  const std::uint32_t* c = row<std::uint32_t>(warp, op->c);
  Beside<std::uint32_t> beside;
  Result<std::uint32_t> result(warp, op->d, lanes, beside);
  for (int i = 0; i < 32; ++i) result.get()[i] = video(rows, a[i], b[i], c[i]);
  return op + 1;
}

}  // namespace run::arithmetic
