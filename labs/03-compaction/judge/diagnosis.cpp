// SPDX-License-Identifier: MIT
#include "diagnosis.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <iterator>

#include "protocol/arena.h"

namespace lab_judge {
namespace {

using judge::kPoisonByte;

constexpr int kMinBlock = 32;
constexpr int kMaxBlock = 8192;
const char* const kTailDropped =
    "the tail is dropped: "
    "the last, partial block's items are missing (does a division round down?)";
const int kUnwritten = std::bit_cast<int>(0x01010101U * kPoisonByte);

// The number of kept items in [begin, end).
int kept_in(const Compaction& result, int begin, int end) {
  return static_cast<int>(
      std::count_if(result.h_in.begin() + begin, result.h_in.begin() + end, result.keep));
}

// Whether the output is what blocks of `block` items leave, in whatever order they ran, if each
// writes its kept items to consecutive places from offset(b, counts) on. counts[b] is how many
// block b keeps. Blocks may write to the same places: then any of them may have been the last one.
template <class Offset>
bool left_by_blocks(const Compaction& result, int block, const Offset& offset) {
  const int num_items = static_cast<int>(result.h_in.size());
  std::vector<int> counts;
  for (int begin = 0; begin < num_items; begin += block) {
    counts.push_back(kept_in(result, begin, std::min(begin + block, num_items)));
  }
  enum class Place : std::uint8_t { kUntouched, kOther, kExplained };
  std::vector<Place> places(num_items, Place::kUntouched);
  for (int b = 0; b < static_cast<int>(counts.size()); ++b) {
    int place = offset(b, counts);
    for (int i = b * block; i < std::min((b + 1) * block, num_items); ++i) {
      if (!result.keep(result.h_in[i])) continue;
      if (place < num_items && places[place] != Place::kExplained) {
        const bool same = result.h_out[place] == result.h_in[i];
        places[place] = same ? Place::kExplained : Place::kOther;
      }
      ++place;
    }
  }
  return std::ranges::equal(places, result.h_out, [](Place place, int item) {
    return place == Place::kExplained || (place == Place::kUntouched && item == kUnwritten);
  });
}

int sum_before(int b, const std::vector<int>& counts) {
  int sum = 0;
  for (int before = 0; before < b; ++before) sum += counts[before];
  return sum;
}

// Wrong offsets of whole blocks.
std::string explain_offsets(const Compaction& result) {
  using Counts = std::vector<int>;
  const int num_items = static_cast<int>(result.h_in.size());
  for (int block = kMinBlock; block < num_items && block <= kMaxBlock; block *= 2) {
    const auto gives = [&](const auto& offset) { return left_by_blocks(result, block, offset); };
    if (gives([](int, const Counts&) { return 0; })) {
      return "every block writes from d_out[0] on: the number of items that the blocks before it "
             "keep is missing";
    }
    if (gives([](int b, const Counts& counts) { return b == 0 ? 0 : counts[b - 1]; }) ||
        gives([](int b, const Counts& counts) { return counts[b]; })) {
      return "a block's offset is the count of one block, "
             "not the sum of the counts of all blocks before it";
    }
    if (gives([](int b, const Counts& counts) { return sum_before(b + 1, counts); })) {
      return "a block's offset includes its own count: the counts were scanned inclusively";
    }
    if (gives([&](int b, const Counts&) { return b * block; })) {
      return "each block compacts its items where they were: its offset must count kept items only";
    }
  }
  // Blocks are right but warps in them are wrong: every warp, or row of warps, writes where its
  // block begins.
  for (int part = kMinBlock; part < num_items && part < kMaxBlock; part *= 2) {
    for (int block = 2 * part; block <= kMaxBlock; block *= 2) {
      const auto block_offset = [&](int p, const Counts& counts) {
        return sum_before(p / (block / part) * (block / part), counts);
      };
      if (left_by_blocks(result, part, block_offset)) {
        return "all warps of a block write to the same places: the number of items that the warps "
               "before it keep is missing";
      }
    }
  }
  return {};
}

// The output stops where only whole blocks, or only a power of two of the items, are handled.
bool stops_at(const Compaction& result, const std::vector<int>& expected, int num_handled) {
  const int written = kept_in(result, 0, num_handled);
  return written < static_cast<int>(expected.size()) &&
         std::equal(expected.begin(), expected.begin() + written, result.h_out.begin()) &&
         std::all_of(result.h_out.begin() + written, result.h_out.begin() + expected.size(),
                     [](int item) { return item == kUnwritten; });
}

}  // namespace

bool is_permutation_of(std::vector<int> expected, std::vector<int> got) {
  std::ranges::sort(expected);
  std::ranges::sort(got);
  return expected == got;
}

std::string explain_unwritten_count(const Compaction& result, const std::vector<int>& expected) {
  const auto num_items = static_cast<int>(result.h_in.size());
  const bool in_place = std::equal(expected.begin(), expected.end(), result.h_out.begin());
  if (num_items <= kMinBlock || !in_place) return {};
  return "no thread takes itself for the one that writes the count: the last item's number counts "
         "through all blocks, and threadIdx.x begins at 0 in each";
}

std::vector<std::string> explain_count(const Compaction& result, bool in_place) {
  const int num_items = static_cast<int>(result.h_in.size());
  if (num_items == 0) return {"the count is not set to 0 when there are no items"};
  const int expected = kept_in(result, 0, num_items);
  const int last = kept_in(result, num_items - 1, num_items);  // 1 or 0
  const auto is = [&](int wrong) { return result.count == wrong && wrong != expected; };
  const auto any_block = [&](const auto& gives) {
    for (int block = kMinBlock; block <= kMaxBlock; block *= 2) {
      if (gives(block)) return true;
    }
    return false;
  };
  const auto begin_of_last = [&](int block) { return (num_items - 1) / block * block; };

  if (is(0) && expected > 1) return {"nothing was counted"};
  if (is(num_items - expected)) return {"the items that are not kept are counted"};
  if (is(num_items)) return {"all items are counted, kept or not"};

  // Where the last block has few items, several mistakes give the same count.
  std::vector<std::string> clauses;
  const auto add = [&](bool fits, const char* clause) {
    if (fits) clauses.emplace_back(clause);
  };
  add(in_place && is(expected - last),
      "the last item is not counted: an exclusive scan ends before it, and its flag must be added");
  add(in_place && is(expected + last),
      "the last item's flag is counted twice: is it added to an inclusive scan, or to a sum that "
      "has it already?");
  add(!in_place && any_block([&](int block) {
    return num_items % block != 0 && is(kept_in(result, 0, num_items / block * block));
  }),
      kTailDropped);
  add(in_place &&
          any_block([&](int block) { return block < num_items && is(kept_in(result, 0, block)); }),
      "the count is that of the first block alone: which block knows what all of them keep?");
  add(any_block([&](int block) {
        const int begin = begin_of_last(block);
        return begin > 0 && is(kept_in(result, begin, num_items));
      }),
      "the count is that of the last block alone: what the blocks before it keep is missing");
  add(any_block([&](int block) {
        const int begin = begin_of_last(block);
        return begin > 0 && is(kept_in(result, begin - block, num_items));
      }),
      "the last block's offset is the count of the block before it, not the sum of the counts of "
      "all blocks before it");
  add(any_block([&](int block) { return is(kept_in(result, 0, begin_of_last(block))); }),
      "the last block's own items are not counted: its offset ends before them");
  add(any_block([&](int block) {
        return is(expected + kept_in(result, begin_of_last(block), num_items));
      }),
      "the last block's offset includes its own count: the counts were scanned inclusively");
  add(any_block([&](int block) {
        return is(expected + (num_items + block - 1) / block * block - num_items);
      }),
      "places past the end of the input are counted as if they held items");
  return clauses;
}

std::string explain_kept(const Compaction& result, const std::vector<int>& expected) {
  const int num_items = static_cast<int>(result.h_in.size());
  const std::vector<int>& out = result.h_out;
  const int count = static_cast<int>(expected.size());
  const std::vector<int> got(out.begin(), out.begin() + count);

  if (count < num_items && got.front() == kUnwritten &&
      std::equal(expected.begin(), expected.end(), out.begin() + 1)) {
    return "places are taken from an inclusive scan: everything is one place too far";
  }
  if (count < num_items && std::ranges::equal(out, result.h_in, [&](int written, int item) {
        return written == (result.keep(item) ? item : kUnwritten);
      })) {
    return "each kept item is where it was in d_in: its place is what the scan has for it";
  }
  if (std::equal(got.begin(), got.end(), result.h_in.begin())) {
    return "the input was copied, kept or not";
  }
  if (std::ranges::all_of(got, [](int item) { return item == 0; })) {
    return "d_out was only filled with zeros";
  }
  std::vector<int> others;
  std::ranges::copy_if(result.h_in, std::back_inserter(others), std::not_fn(result.keep));
  others.resize(std::min(others.size(), expected.size()));
  if (!others.empty() && std::equal(others.begin(), others.end(), out.begin())) {
    return "the items that are not kept were written";
  }
  for (int block = kMinBlock; block <= kMaxBlock; block *= 2) {
    if (stops_at(result, expected, num_items / block * block)) {
      return kTailDropped;
    }
  }
  if (std::string clause = explain_offsets(result); !clause.empty()) return clause;
  if (is_permutation_of(expected, got)) {
    return "the kept items are all there, but not in their order: is a place drawn from a counter, "
           "or the order of warps or blocks lost?";
  }
  if (std::ranges::find(got, kUnwritten) != got.end()) {
    return "several kept items were given the same place, so that another place stayed empty";
  }
  return {};
}

std::string explain_rest(const Compaction& result, const std::vector<int>& expected) {
  const std::vector<int> got(result.h_out.begin() + result.h_in.size() - expected.size(),
                             result.h_out.end());
  if (std::ranges::all_of(got, [](int item) { return item == kUnwritten; })) {
    return "only the kept items are written: the others belong behind them";
  }
  if (std::equal(got.begin(), got.end(), expected.rbegin())) {
    return "the items that are not kept are in reverse order: the split is not stable";
  }
  if (got.size() > 1 && std::equal(got.begin() + 1, got.end(), expected.begin())) {
    return "the items that are not kept begin one place too late";
  }
  if (got.size() > 1 && std::equal(expected.begin() + 1, expected.end(), got.begin())) {
    return "the items that are not kept begin one place too early: does the number of kept items "
           "lack the last one's flag?";
  }
  if (is_permutation_of(expected, got)) {
    return "the items that are not kept are all there, but not in their order: "
           "the split is not stable";
  }
  if (std::ranges::find(got, kUnwritten) != got.end()) {
    return "several items were given the same place, so that another place stayed empty";
  }
  return {};
}

}  // namespace lab_judge
