// SPDX-License-Identifier: MIT
#include "count/request.h"

#include <algorithm>
#include <array>
#include <bit>

namespace count {
namespace {

using run::Access;
using run::kWarpSize;
using run::Pattern;

constexpr std::uint64_t kBankBytes = 4;
constexpr int kNumBanks = 32;

template <class Visit>
void for_each_address(const Access& access, std::uint32_t lanes, Visit visit) {
  for (; lanes != 0; lanes &= lanes - 1) {
    visit(access.address[static_cast<std::size_t>(std::countr_zero(lanes))]);
  }
}

int lanes_per_phase(std::uint32_t size_bytes) {
  return size_bytes <= 4 ? 32 : size_bytes <= 8 ? 16 : 8;
}

// Sorted and without repetitions.
class Numbers {
 public:
  void add(std::uint64_t number) { numbers_[size_++] = number; }
  void settle() {
    std::sort(numbers_.begin(), numbers_.begin() + size_);
    size_ = static_cast<int>(std::unique(numbers_.begin(), numbers_.begin() + size_) -
                             numbers_.begin());
  }
  int size() const { return size_; }
  const std::uint64_t* begin() const { return numbers_.data(); }
  const std::uint64_t* end() const { return numbers_.data() + size_; }

 private:
  std::array<std::uint64_t, kWarpSize * 9> numbers_;
  int size_ = 0;
};

// For addresses in ascending order, which most are. 0 if they are not.
int ascending_sectors(const Access& access) {
  int count = 0;
  std::uint64_t next = 0;  // the first sector not counted yet
  for (std::uint32_t rest = access.lanes; rest != 0; rest &= rest - 1) {
    const std::uint64_t address = access.address[static_cast<std::size_t>(std::countr_zero(rest))];
    const std::uint64_t first = address / kSectorBytes;
    const std::uint64_t last = (address + access.size_bytes - 1) / kSectorBytes;
    if (last >= next) {
      count += static_cast<int>(last - std::max(first, next)) + 1;
      next = last + 1;
    } else if (last + 1 != next) {
      return 0;
    }
  }
  return count;
}

// One wavefront is enough where lanes ask for words in different banks, or for the same word.
bool is_free_of_conflicts(const Access& access) {
  std::array<std::uint64_t, kNumBanks> word_of_bank;
  std::uint32_t banks = 0;  // that have a word
  for (std::uint32_t rest = access.lanes; rest != 0; rest &= rest - 1) {
    const std::uint64_t address = access.address[static_cast<std::size_t>(std::countr_zero(rest))];
    const std::uint64_t word = address / kBankBytes;
    const std::uint64_t bank = word % kNumBanks;
    if ((banks >> bank & 1) != 0 && word_of_bank[bank] != word) return false;
    word_of_bank[bank] = word;
    banks |= 1U << bank;
  }
  return true;
}

int most_words_of_a_bank(const Access& access, std::uint32_t lanes) {
  Numbers words;
  for_each_address(access, lanes, [&](std::uint64_t address) {
    const std::uint64_t last = (address + access.size_bytes - 1) / kBankBytes;
    for (std::uint64_t word = address / kBankBytes; word <= last; ++word) words.add(word);
  });
  words.settle();
  std::array<int, kNumBanks> words_of_bank = {};
  int most = 0;
  for (const std::uint64_t word : words) most = std::max(most, ++words_of_bank[word % kNumBanks]);
  return most;
}

}  // namespace

int sectors_of(const Access& access) {
  const std::uint64_t size = access.size_bytes;
  if (access.pattern == Pattern::kUniform) {
    return static_cast<int>((access.base + size - 1) / kSectorBytes - access.base / kSectorBytes +
                            1);
  }
  if (access.pattern == Pattern::kContiguous && access.lanes == ~0U) {
    const std::uint64_t end = access.base + kWarpSize * size;
    return static_cast<int>((end - 1) / kSectorBytes - access.base / kSectorBytes + 1);
  }
  if (const int count = ascending_sectors(access); count > 0) return count;
  Numbers sectors;
  for_each_address(access, access.lanes, [&](std::uint64_t address) {
    const std::uint64_t last = (address + size - 1) / kSectorBytes;
    for (std::uint64_t sector = address / kSectorBytes; sector <= last; ++sector)
      sectors.add(sector);
  });
  sectors.settle();
  return sectors.size();
}

int passes_of(const Access& access) { return kWarpSize / lanes_per_phase(access.size_bytes); }

Wavefronts wavefronts_of(const Access& access) {
  if (access.size_bytes <= 4) {
    if (access.pattern != Pattern::kOther || is_free_of_conflicts(access)) return {1, 1};
    return {most_words_of_a_bank(access, access.lanes), 1};
  }
  Wavefronts count;
  const int num_lanes = lanes_per_phase(access.size_bytes);
  for (int first = 0; first < kWarpSize; first += num_lanes) {
    const std::uint64_t phase = ((std::uint64_t{1} << num_lanes) - 1) << first;
    const std::uint32_t lanes = access.lanes & static_cast<std::uint32_t>(phase);
    if (lanes == 0) continue;
    count.total += most_words_of_a_bank(access, lanes);
    ++count.ideal;
  }
  return count;
}

int largest_multiplicity(const Access& access) {
  if (access.pattern == Pattern::kUniform) return std::popcount(access.lanes);
  if (access.pattern == Pattern::kContiguous) return 1;
  std::array<std::uint64_t, kWarpSize> sorted;
  int size = 0;
  for_each_address(access, access.lanes,
                   [&](std::uint64_t a) { sorted[static_cast<std::size_t>(size++)] = a; });
  std::sort(sorted.begin(), sorted.begin() + size);
  int largest = 0;
  int run = 0;
  for (int i = 0; i < size; ++i) {
    run = i > 0 && sorted[static_cast<std::size_t>(i)] == sorted[static_cast<std::size_t>(i - 1)]
              ? run + 1
              : 1;
    largest = std::max(largest, run);
  }
  return largest;
}

}  // namespace count
