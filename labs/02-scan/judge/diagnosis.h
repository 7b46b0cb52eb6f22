// SPDX-License-Identifier: MIT
// Explains why a scan is wrong: the first wrong item, its value, and the classic mistake that would
// give exactly these values. A mistake is named only if it explains every item.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "fixture/words.h"
#include "process/submission.h"
#include "protocol/arena.h"
#include "reference.h"

namespace lab_judge {

// The clause that completes "It looks as if ..."; `block` is 0 where blocks play no part.
struct Explanation {
  std::string clause;
  std::size_t block = 0;
};

namespace internal {

inline constexpr std::size_t kMinBlock = 32;
inline constexpr std::size_t kMaxBlock = 8192;
inline constexpr std::size_t kMaxParted = 16384;  // of which the first items may be all of a sum
inline constexpr std::size_t kMaxItemsOfSteps = 1024;

// Whether predict(0), predict(1), ... called in this order, give the result.
template <class T, class Predict>
bool fits(const std::vector<T>& h_got, Predict predict) {
  for (std::size_t i = 0; i < h_got.size(); ++i) {
    if (!(predict(i) == h_got[i])) return false;
  }
  return true;
}

// Whether each result is that of Hillis and Steele's scan some steps before the last: the sum of a
// power of two of items, fewer at the beginning. Only for lengths that one block scans.
template <class T>
bool is_step_missing(const Result<T>& r) {
  const std::size_t num_items = r.h_in.size();
  if (num_items > kMaxItemsOfSteps) return false;
  const std::size_t shift = r.kind == Kind::kExclusive ? 1 : 0;
  for (std::size_t window = 2; window + shift < num_items; window *= 2) {
    const auto of_window = [&](std::size_t i) {
      const std::size_t end = i + 1 - shift;  // exclusive
      T sum = r.identity;
      for (std::size_t k = end < window ? 0 : end - window; k < end; ++k) {
        sum = r.combine(sum, r.h_in[k]);
      }
      return sum;
    };
    if (fits(r.h_got, of_window)) return true;
  }
  return false;
}

// Whether the scan goes through the items as 05c's goes through registers, row by row of vectors,
// although in memory the vectors of a lane are next to each other.
template <class T>
bool is_lane_by_lane(const Result<T>& r) {
  constexpr std::size_t kLanes = 32, kWidth = 4;
  const std::size_t num_items = r.h_in.size();
  for (const std::size_t vectors : {2, 4, 8}) {
    std::vector<T> predicted(num_items);
    T running = r.identity;
    for (std::size_t begin = 0; begin < num_items; begin += kLanes * kWidth * vectors) {
      for (std::size_t i = 0; i < kLanes * kWidth * vectors; ++i) {
        const std::size_t row = i / (kLanes * kWidth), lane = i / kWidth % kLanes;
        const std::size_t item = begin + (lane * vectors + row) * kWidth + i % kWidth;
        if (item >= num_items) continue;
        const T before = running;
        running = r.combine(running, r.h_in[item]);
        predicted[item] = r.kind == Kind::kExclusive ? before : running;
      }
    }
    if (fits(r.h_got, [&](std::size_t i) { return predicted[i]; })) return true;
  }
  return false;
}

// Blelloch's sweeps, up from one distance between children and down to another; `is_swapped`: on
// the way down, a left child's sum is combined with what lies before the node, instead of the
// reverse.
struct Sweeps {
  std::size_t from = 1;
  std::size_t to = 1;
  bool is_swapped = false;
};

// Whether such sweeps over a tile of all items give the result. Only for lengths that one block
// scans.
template <class T>
bool is_swept(const Result<T>& r, const Sweeps& sweeps) {
  const std::size_t num_items = r.h_in.size();
  if (num_items > kMaxItemsOfSteps) return false;
  const std::size_t size = std::bit_ceil(num_items);
  std::vector<T> tile = r.h_in;
  tile.resize(size, r.identity);
  for (std::size_t stride = sweeps.from; stride < size; stride *= 2) {
    for (std::size_t node = 2 * stride - 1; node < size; node += 2 * stride) {
      tile[node] = r.combine(tile[node - stride], tile[node]);
    }
  }
  tile[size - 1] = r.identity;
  for (std::size_t stride = size / 2; stride >= sweeps.to; stride /= 2) {
    for (std::size_t node = 2 * stride - 1; node < size; node += 2 * stride) {
      const T before = tile[node], left_sum = tile[node - stride];
      tile[node] = sweeps.is_swapped ? r.combine(left_sum, before) : r.combine(before, left_sum);
      tile[node - stride] = before;
    }
  }
  return fits(r.h_got, [&](std::size_t i) {
    return r.kind == Kind::kExclusive ? tile[i] : r.combine(tile[i], r.h_in[i]);
  });
}

// Whether a warp scans the sums of its lanes by shuffles, and a lane without a neighbour so far
// below adds what it gets: its own sum. Only for lengths that one warp scans in one row.
template <class T>
bool is_own_sum_shuffled(const Result<T>& r) {
  if constexpr (std::is_integral_v<T>) {
    constexpr std::size_t kLanes = 32;
    const std::size_t num_items = r.h_in.size();
    for (const std::size_t width : {1, 2, 4}) {
      if (num_items > kLanes * width) continue;
      std::vector<T> own(kLanes, r.identity);
      for (std::size_t i = 0; i < num_items; ++i) {
        own[i / width] = r.combine(own[i / width], r.h_in[i]);
      }
      std::vector<T> sums = own;
      for (std::size_t offset = 1; offset < kLanes; offset *= 2) {
        const std::vector<T> old = sums;
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
          sums[lane] = r.combine(old[lane < offset ? lane : lane - offset], old[lane]);
        }
      }
      T running = r.identity;
      const auto of_lane = [&](std::size_t i) {
        if (i % width == 0) running = sums[i / width] - own[i / width];
        const T before = running;
        running = r.combine(running, r.h_in[i]);
        return r.kind == Kind::kExclusive ? before : running;
      };
      if (fits(r.h_got, of_lane)) return true;
    }
  }
  return false;
}

// Mistakes that are independent of blocks.
template <class T>
std::string explain_whole(const Result<T>& r, const std::vector<T>& h_expected) {
  const auto combine = r.combine;
  const bool is_exclusive = r.kind == Kind::kExclusive;
  const auto other = reference(r, is_exclusive ? Kind::kInclusive : Kind::kExclusive);
  if (fits(r.h_got, [&](std::size_t i) { return other[i]; })) {
    return is_exclusive ? "the scan is inclusive: item i is counted in its own sum"
                        : "the scan is exclusive: item i is missing in its own sum";
  }
  if (fits(r.h_got, [&](std::size_t i) { return r.h_in[i]; })) {
    return "the output is a copy of the input";
  }
  if (fits(r.h_got, [&](std::size_t i) { return i == 0 ? r.identity : h_expected[i - 1]; })) {
    return "everything is one place too far to the right";
  }
  const T total = reference(r, Kind::kInclusive).back();
  if (fits(r.h_got, [&](std::size_t i) { return combine(total, h_expected[i]); })) {
    return "the sum of all items is added to every item: the tree's root must be set to 0 (the "
           "identity) between the up-sweep and the down-sweep, in the word where both sweeps keep "
           "it, and the first step down must be the root's";
  }
  if (fits(r.h_got, [&](std::size_t) { return r.identity; })) {
    return "nothing is added: every result is the identity. On the way down, save the left child's "
           "sum before its word is overwritten";
  }
  if (is_step_missing(r)) {
    return "each result holds only the nearest items, as before the last step: a step is missing, "
           "or the result is read from the other buffer";
  }
  if (is_lane_by_lane(r)) {
    return "the scan goes row by row, but a lane's vectors are next to each other in memory: put "
           "them a warp's width apart";
  }
  T running = r.identity;
  if (fits(r.h_got, [&](std::size_t i) {
        const T before = running;
        running = combine(r.h_in[i], running);
        return is_exclusive ? before : running;
      })) {
    return "the operator's operands are swapped: the earlier items are its first operand";
  }
  if (is_swept(r, {.to = 2})) {
    return "the last step down is missing, in which the children are neighbours: the loop must "
           "include the step with a distance of 1";
  }
  if (is_swept(r, {.from = 2})) {
    return "the first step up is missing, in which the children are neighbours: the loop must "
           "begin with a distance of 1";
  }
  if (is_swept(r, {.is_swapped = true})) {
    return "the operands are swapped on the way down: what is before the node is the operator's "
           "first operand, the left child's sum the second";
  }
  if (is_own_sum_shuffled(r)) {
    return "lanes add their own sum again: __shfl_up_sync gives a lane its own value where no lane "
           "is so far below it, and such a lane must not add";
  }
  if (fits(r.h_got, [&](std::size_t i) { return combine(T{}, h_expected[i]); })) {
    return "the scan starts with 0 and not with the operator's identity";
  }
  return {};
}

// Mistakes between blocks of this many items. Every prediction is the scan within a block, with
// something put before it.
template <class T>
std::string explain_blocks(const Result<T>& r, std::size_t block) {
  const auto combine = r.combine;
  const std::size_t num_items = r.h_in.size();
  const std::size_t num_blocks = (num_items + block - 1) / block;
  std::vector<T> sums(num_blocks, r.identity), sums_but_last(num_blocks, r.identity);
  for (std::size_t i = 0; i < num_items; ++i) {
    const bool is_last = i % block == block - 1;
    if (!is_last) sums_but_last[i / block] = combine(sums_but_last[i / block], r.h_in[i]);
    sums[i / block] = combine(sums[i / block], r.h_in[i]);
  }
  const auto scanned = [&](const std::vector<T>& terms, bool inclusive) {
    std::vector<T> out(terms.size());
    T running = r.identity;
    for (std::size_t b = 0; b < terms.size(); ++b) {
      const T before = running;
      running = combine(running, terms[b]);
      out[b] = inclusive ? running : before;
    }
    return out;
  };
  // Whether increment(block) before the scan within the block gives the result.
  const auto increments_are = [&](auto increment, bool swapped = false) {
    T local = r.identity;
    return fits(r.h_got, [&](std::size_t i) {
      if (i % block == 0) local = r.identity;
      const T before = local;
      local = combine(local, r.h_in[i]);
      const T within = r.kind == Kind::kInclusive ? local : before;
      const T outside = increment(i / block);
      return swapped ? combine(within, outside) : combine(outside, within);
    });
  };
  if (increments_are([&](std::size_t) { return r.identity; })) {
    return "each block is scanned on its own: the sum of the blocks before it is not added";
  }
  if (increments_are([&](std::size_t b) { return sums[b]; })) {
    return "each block's own sum is added to it, in place of the sum of all blocks before it: the "
           "block sums must be scanned first";
  }
  if (increments_are([&](std::size_t b) { return b == 0 ? r.identity : sums[b - 1]; })) {
    return "only the sum of the one block before is added, not that of all blocks before";
  }
  if (const auto inclusive = scanned(sums, true);
      increments_are([&](std::size_t b) { return inclusive[b]; })) {
    return "the block sums are scanned inclusively: a block's own sum is added to it, too";
  }
  if (const auto short_sums = scanned(sums_but_last, false);
      increments_are([&](std::size_t b) { return short_sums[b]; })) {
    return "each block's sum lacks the block's last item: the last result of an exclusive scan is "
           "not yet the sum";
  }
  if (const auto over_prefixes = scanned(scanned(sums, true), false);
      increments_are([&](std::size_t b) { return over_prefixes[b]; })) {
    return "a look-back goes on behind a prefix, which already holds everything before it: stop "
           "there";
  }
  std::vector<T> sums_of_parts(num_blocks, r.identity);
  // The items are read once for each part: of huge blocks that would take minutes.
  const std::size_t end_of_parts = block <= kMaxParted ? block : 0;
  for (std::size_t part = kMinBlock; part < end_of_parts; part += kMinBlock) {
    for (std::size_t b = 0; b < num_blocks; ++b) {
      const std::size_t end = std::min(b * block + part, num_items);
      for (std::size_t i = b * block + part - kMinBlock; i < end; ++i) {
        sums_of_parts[b] = combine(sums_of_parts[b], r.h_in[i]);
      }
    }
    const auto before = scanned(sums_of_parts, false);
    if (increments_are([&](std::size_t b) { return before[b]; })) {
      return "a block's sum holds only its first " + std::to_string(part) +
             " items: publish the sum that a thread knows which has added up all of them";
    }
  }
  if (const auto before = scanned(sums, false);
      increments_are([&](std::size_t b) { return before[b]; }, true)) {
    return "the sum of the blocks before is combined from the wrong side: "
           "it is the operator's first operand";
  }
  return {};
}

// Items that were never written. `first`, the first of them, is also the first wrong item.
template <class T>
std::string explain_unwritten(const std::vector<T>& h_got, std::size_t first) {
  const std::size_t num_items = h_got.size();
  for (std::size_t i = first; i < num_items; ++i) {
    if (!judge::is_poison(h_got[i])) return {};
  }
  if (first == 0) return "no item is ever written";
  return num_items - first <= first
             ? "the tail is dropped: "
               "the last, partial block's items are missing (does a division round down?)"
             : "only the first block's results are written";
}

}  // namespace internal

template <class T>
Explanation explain(const Result<T>& result, const std::vector<T>& h_expected, std::size_t first) {
  if (judge::is_poison(result.h_got[first])) {
    return {internal::explain_unwritten(result.h_got, first)};
  }
  if (auto clause = internal::explain_whole(result, h_expected); !clause.empty()) return {clause};
  // Mostly the first wrong item is the first of a block, often of the second or third.
  constexpr std::size_t kMaxBlocksBefore = 8;
  std::vector<std::size_t> blocks;
  for (std::size_t before = 1; before <= kMaxBlocksBefore && first > 0; ++before) {
    if (first % before != 0 || first / before < internal::kMinBlock) continue;
    blocks.push_back(first / before);
  }
  for (std::size_t block = internal::kMinBlock; block <= internal::kMaxBlock; block *= 2) {
    if (block < result.h_in.size()) blocks.push_back(block);
  }
  for (const std::size_t block : blocks) {
    if (auto clause = internal::explain_blocks(result, block); !clause.empty()) {
      return {clause, block};
    }
  }
  return {};
}

template <class T>
std::string list(const std::vector<T>& h_values, const std::function<std::string(T)>& text) {
  std::string line = "[";
  for (const T& value : h_values) {
    line += (line.size() > 1 ? " " : "") + (judge::is_poison(value) ? "?" : text(value));
  }
  return line + "]";
}

// Nothing if h_got is right.
template <class T>
std::optional<judge::Failure> compare(const Result<T>& result) {
  constexpr std::size_t kMaxListed = 16;
  const std::vector<T> h_expected = reference(result, result.kind);
  const std::size_t num_items = h_expected.size();
  std::size_t first = num_items;
  std::size_t num_wrong = 0;
  for (std::size_t i = num_items; i-- > 0;) {
    if (result.h_got[i] == h_expected[i]) continue;
    first = i;
    ++num_wrong;
  }
  if (num_wrong == 0) return std::nullopt;

  const Explanation explanation = explain(result, h_expected, first);
  const bool is_unwritten = judge::is_poison(result.h_got[first]);
  std::string message = result.function + " of " + judge::counted(num_items, "item") + ": " +
                        judge::counted(num_wrong, "is", "are") + " wrong, first d_out[" +
                        std::to_string(first) + "]";
  // The block's number, if the mistake is about blocks; else the index as a multiple of a power of
  // two.
  const std::size_t power = first & ~(first - 1);
  if (explanation.block > 0) {
    message += " (item " + std::to_string(first % explanation.block) + " of block " +
               std::to_string(first / explanation.block) + ", if blocks have " +
               std::to_string(explanation.block) + " items)";
  } else if (power >= internal::kMinBlock && power < first) {
    message += " (" + std::to_string(first / power) + " * " + std::to_string(power) + ")";
  }
  message +=
      ": expected " + result.text(h_expected[first]) +
      (is_unwritten ? ", but it was never written" : ", got " + result.text(result.h_got[first]));
  if (num_items <= kMaxListed) {
    message += "\n  d_in     " + list(result.h_in, result.text) + "\n  expected " +
               list(h_expected, result.text) + "\n  got      " + list(result.h_got, result.text);
  }
  return judge::Failure{is_unwritten ? judge::kind::kOutputUnwritten : judge::kind::kWrongResult,
                        message, explanation.clause};
}

}  // namespace lab_judge
