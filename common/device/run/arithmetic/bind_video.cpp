// SPDX-License-Identifier: MIT
// Spellings of the video instructions: vadd, vsub, vabsdiff, vmin, vmax, vshl, vshr, vmad, vset,
// and vadd2, vadd4 and similar.
#include "run/arithmetic/binder.h"

namespace run::arithmetic {

namespace {

struct Named {
  std::string_view name;
  VideoOperation operation;
  bool is_simd;  // has forms of two and four, too
};
constexpr Named kOperations[] = {
    {"vadd", VideoOperation::kAdd, true},         {"vsub", VideoOperation::kSub, true},
    {"vabsdiff", VideoOperation::kAbsDiff, true}, {"vmin", VideoOperation::kMin, true},
    {"vmax", VideoOperation::kMax, true},         {"vshl", VideoOperation::kShl, false},
    {"vshr", VideoOperation::kShr, false},        {"vmad", VideoOperation::kMad, false},
    {"vset", VideoOperation::kSet, true},         {"vavrg", VideoOperation::kAverage, true},
};

// "h1", "b3"; empty: the whole word.
VideoPart part_of(Binder& binder, std::string_view selector, bool is_signed) {
  VideoPart part;
  part.is_signed = is_signed;
  if (selector.empty()) return part;
  const int index = selector.size() == 2 ? selector[1] - '0' : -1;
  const bool is_half = selector[0] == 'h';
  if (index < 0 || index >= (is_half ? 2 : 4) || (!is_half && selector[0] != 'b')) binder.refuse();
  part.bits = is_half ? 16 : 8;
  part.shift = index * part.bits;
  return part;
}

bool is_32(Type type) { return type == Type::kU32 || type == Type::kS32; }

bool bind_scalar(Binder& binder, Video video) {
  const bool is_mad = video.operation == VideoOperation::kMad;
  const bool is_set = video.operation == VideoOperation::kSet;
  const bool is_shift =
      video.operation == VideoOperation::kShl || video.operation == VideoOperation::kShr;
  if (is_set) {
    constexpr Compare kComparisons[] = {Compare::kEq, Compare::kNe, Compare::kLt,
                                        Compare::kLe, Compare::kGt, Compare::kGe};
    const int comparison = binder.take_one({"eq", "ne", "lt", "le", "gt", "ge"});
    if (comparison < 0) binder.refuse();
    video.comparison = kComparisons[comparison];
  } else {
    video.sat = binder.take("sat");
  }
  if (is_shift) {
    const int mode = binder.take_one({"clamp", "wrap"});
    if (mode < 0) binder.refuse();
    video.wraps = mode == 1;
  }
  if (is_mad) {
    video.plus_one = binder.take("po");
    const int scale = binder.take_one({"shr7", "shr15"});
    video.scale = scale < 0 ? 0 : (scale == 0 ? 7 : 15);
  } else {
    constexpr VideoSecond kSeconds[] = {VideoSecond::kAdd, VideoSecond::kMin, VideoSecond::kMax};
    const int second = binder.take_one({"add", "min", "max"});
    if (second >= 0) video.second = kSeconds[second];
  }
  const Type d = is_set ? Type::kU32 : binder.type();
  const Type a = binder.type(), b = binder.type();
  if (!is_32(d) || !is_32(a) || !is_32(b)) binder.refuse();
  video.d_signed = is_signed(d);
  video.a = part_of(binder, binder.operand(1).selector, is_signed(a));
  video.b = part_of(binder, binder.operand(2).selector, is_signed(b));
  const std::string_view merged = binder.operand(0).selector;
  if (!merged.empty()) {
    if (video.second != VideoSecond::kNone) binder.refuse();
    video.second = VideoSecond::kMerge;
    video.merge = part_of(binder, merged, video.d_signed);
  }
  if (is_mad || video.second != VideoSecond::kNone) {
    binder.rows(d, a, b, d);
  } else {
    binder.rows(d, a, b);
    binder.op.c = binder.op.b;
  }
  if (is_mad) {
    // The product is signed if a factor is; with c it is cut to the type of d.
    video.d_signed = is_signed(d);
  }
  binder.details(video);
  binder.finish(binder.table.video);
  return true;
}

// The digits of "h10" or "b3210", the lowest element last; without them the elements of a, or b.
void read_selector(Binder& binder, std::string_view selector, int num_elements, int first,
                   std::uint8_t* to) {
  for (int k = 0; k < num_elements; ++k) to[k] = static_cast<std::uint8_t>(first + k);
  if (selector.empty()) return;
  if (selector.size() != static_cast<std::size_t>(num_elements) + 1) binder.refuse();
  for (int k = 0; k < num_elements; ++k) {
    const int digit = selector[selector.size() - 1 - static_cast<std::size_t>(k)] - '0';
    if (digit < 0 || digit >= 2 * num_elements) binder.refuse();
    to[k] = static_cast<std::uint8_t>(digit);
  }
}

bool bind_simd(Binder& binder, Video video) {
  if (video.operation == VideoOperation::kSet) {
    constexpr Compare kComparisons[] = {Compare::kEq, Compare::kNe, Compare::kLt,
                                        Compare::kLe, Compare::kGt, Compare::kGe};
    const int comparison = binder.take_one({"eq", "ne", "lt", "le", "gt", "ge"});
    if (comparison < 0) binder.refuse();
    video.comparison = kComparisons[comparison];
  }
  video.sat = binder.take("sat");
  if (binder.take("add")) video.second = VideoSecond::kAdd;
  const Type d = video.operation == VideoOperation::kSet ? Type::kU32 : binder.type();
  const Type a = binder.type(), b = binder.type();
  if (!is_32(d) || !is_32(a) || !is_32(b)) binder.refuse();
  video.d_signed = is_signed(d);
  video.a_signed = is_signed(a);
  video.b_signed = is_signed(b);
  const int count = video.num_elements;
  read_selector(binder, binder.operand(1).selector, count, 0, video.select_a);
  read_selector(binder, binder.operand(2).selector, count, count, video.select_b);
  const std::string_view mask = binder.operand(0).selector;
  video.mask = static_cast<std::uint8_t>((1 << count) - 1);
  if (!mask.empty()) {
    video.mask = 0;
    for (const char c : mask.substr(1)) {
      if (c < '0' || c >= '0' + count) binder.refuse();
      video.mask |= static_cast<std::uint8_t>(1 << (c - '0'));
    }
  }
  binder.rows(d, a, b, d);
  binder.details(video);
  binder.finish(binder.table.video);
  return true;
}

}  // namespace

bool bind_video(Binder& binder, std::string_view opcode) {
  for (const Named& named : kOperations) {
    if (opcode.substr(0, named.name.size()) != named.name) continue;
    const std::string_view rest = opcode.substr(named.name.size());
    Video video;
    video.operation = named.operation;
    if (rest.empty() && named.operation != VideoOperation::kAverage) {
      return bind_scalar(binder, video);
    }
    if (!named.is_simd || (rest != "2" && rest != "4")) continue;
    video.num_elements = rest == "2" ? 2 : 4;
    return bind_simd(binder, video);
  }
  return false;
}

}  // namespace run::arithmetic
