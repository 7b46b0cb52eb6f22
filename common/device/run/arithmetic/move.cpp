// SPDX-License-Identifier: MIT
// mov that packs a vector into a register, or unpacks it.
#include "run/arithmetic/handlers.h"
#include "run/arithmetic/lanes.h"

namespace run::arithmetic {

namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;

template <class Element, class Whole>
const Op* pack_two(Warp& warp, const Op* op, std::uint32_t lanes) {
  const U32* a = row<U32>(warp, op->a);
  const U32* b = row<U32>(warp, op->b);
  Beside<Whole> beside;
  Result<Whole> result(warp, op->d, lanes, beside);
  Whole* d = result.get();
  LAB_FOR_LANES(i) {
    d[i] = static_cast<Whole>(static_cast<Element>(a[i])) |
           static_cast<Whole>(static_cast<Element>(b[i])) << (8 * sizeof(Element));
  }
  return op + 1;
}

// The second destination is in op->c.
template <class Element, class Whole>
const Op* unpack_two(Warp& warp, const Op* op, std::uint32_t lanes) {
  const Whole* a = row<Whole>(warp, op->a);
  alignas(64) U32 low[32], high[32];  // a destination may be the source itself
  LAB_FOR_LANES(i) {
    low[i] = static_cast<Element>(a[i]);
    high[i] = static_cast<Element>(a[i] >> (8 * sizeof(Element)));
  }
  blend(row<U32>(warp, op->d), low, lanes);
  blend(row<U32>(warp, op->c), high, lanes);
  return op + 1;
}

LAB_INLINE U64 low_bits(int bits) { return ~U64{0} >> (64 - bits); }

}  // namespace

const Op* run_pack(Warp& warp, const Op* op, std::uint32_t lanes) {
  const MoveRows& rows = *static_cast<const MoveRows*>(op->details);
  U64 words[2][32] = {};
  for (int k = 0; k < rows.num_elements; ++k) {
    const int at = k * rows.element_bits;
    U64* whole = words[at / 64];
    for (int i = 0; i < 32; ++i) {
      const U64 element = rows.element_bits == 64 ? row<U64>(warp, rows.elements[k])[i]
                                                  : row<U32>(warp, rows.elements[k])[i];
      whole[i] |= (element & low_bits(rows.element_bits)) << at % 64;
    }
  }
  if (rows.whole_bits <= 32) {
    U32 narrow[32];
    LAB_FOR_LANES(i) narrow[i] = static_cast<U32>(words[0][i]);
    blend(row<U32>(warp, op->d), narrow, lanes);
    return op + 1;
  }
  blend(row<U64>(warp, op->d), words[0], lanes);
  if (rows.whole_bits == 128) {
    blend(row<U64>(warp, op->d + code::kRowBytes64), words[1], lanes);
  }
  return op + 1;
}

const Op* run_unpack(Warp& warp, const Op* op, std::uint32_t lanes) {
  const MoveRows& rows = *static_cast<const MoveRows*>(op->details);
  U64 words[2][32] = {};
  for (int i = 0; i < 32; ++i) {
    words[0][i] = rows.whole_bits <= 32 ? row<U32>(warp, op->a)[i] : row<U64>(warp, op->a)[i];
    if (rows.whole_bits == 128) words[1][i] = row<U64>(warp, op->a + code::kRowBytes64)[i];
  }
  for (int k = 0; k < rows.num_elements; ++k) {
    if (!rows.exists[k]) continue;
    const int at = k * rows.element_bits;
    const U64* whole = words[at / 64];
    if (rows.element_bits == 64) {
      blend(row<U64>(warp, rows.elements[k]), whole, lanes);
      continue;
    }
    U32 narrow[32];
    for (int i = 0; i < 32; ++i) {
      narrow[i] = static_cast<U32>(whole[i] >> at % 64 & low_bits(rows.element_bits));
    }
    blend(row<U32>(warp, rows.elements[k]), narrow, lanes);
  }
  return op + 1;
}

// A handler for two elements: rows in op->a and op->b, or in op->d and op->c.
Handler pick_quick_move(const MoveRows& rows, bool is_pack) {
  if (rows.num_elements != 2 || rows.whole_bits == 128) return nullptr;
  if (rows.element_bits == 32) {
    return is_pack ? pack_two<U32, U64>
                   : (rows.exists[0] && rows.exists[1] ? unpack_two<U32, U64> : nullptr);
  }
  if (rows.element_bits != 16) return nullptr;
  return is_pack ? pack_two<std::uint16_t, U32>
                 : (rows.exists[0] && rows.exists[1] ? unpack_two<std::uint16_t, U32> : nullptr);
}

const Op* run_lop3_predicate(Warp& warp, const Op* op, std::uint32_t lanes) {
  const LopRows& rows = *static_cast<const LopRows*>(op->details);
  const U32* a = row<U32>(warp, op->a);
  const U32* b = row<U32>(warp, op->b);
  const U32* c = row<U32>(warp, op->c);
  U32 words[32];
  std::int32_t truth[32];
  for (int i = 0; i < 32; ++i) {
    U32 value = 0;
    for (int k = 0; k < 8; ++k) {
      const U32 term = ((k & 4) != 0 ? a[i] : ~a[i]) & ((k & 2) != 0 ? b[i] : ~b[i]) &
                       ((k & 1) != 0 ? c[i] : ~c[i]);
      if ((op->immediate >> k & 1) != 0) value |= term;
    }
    words[i] = value;
    truth[i] = value != 0 ? -1 : 0;
  }
  const U32 with = predicate(warp, rows.with) ^ (rows.is_negated ? ~U32{0} : 0);
  const U32 mask = mask_of(truth);
  const U32 combined = rows.combine == Combine::kAnd
                           ? mask & with
                           : (rows.combine == Combine::kOr ? mask | with : mask ^ with);
  blend(row<U32>(warp, op->d), words, lanes);
  set_predicate(predicate(warp, rows.predicate), combined, lanes);
  return op + 1;
}

}  // namespace run::arithmetic
