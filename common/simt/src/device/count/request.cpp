// SPDX-License-Identifier: MIT
#include "count/request.h"

#include <algorithm>
#include <bit>

namespace simt::device {
namespace {

constexpr std::uintptr_t kBankBytes = 4;
constexpr int kNumBanks = 32;
constexpr int kMaxWordsPerAccess = 4;

// Calls visit(address) for each lane of the mask, in order.
template <class Visit>
void for_each_address(const Request& request, std::uint32_t lanes, Visit visit) {
  for (; lanes != 0; lanes &= lanes - 1) visit(request.addresses[std::countr_zero(lanes)]);
}

// The lanes that memory serves at a time.
int lanes_per_phase(int size_bytes) { return size_bytes <= 4 ? 32 : size_bytes <= 8 ? 16 : 8; }

// Calls visit(lanes) for each phase that has any.
template <class Visit>
void for_each_phase(const Request& request, Visit visit) {
  const int num_lanes = lanes_per_phase(request.size_bytes);
  for (int first = 0; first < kWarpSize; first += num_lanes) {
    const std::uint64_t phase = ((std::uint64_t{1} << num_lanes) - 1) << first;
    const std::uint32_t lanes = request.lanes & static_cast<std::uint32_t>(phase);
    if (lanes != 0) visit(lanes);
  }
}

// A set of numbers that mostly come in ascending order. Holds what one request can touch.
class SmallSet {
 public:
  void insert(std::uintptr_t number) {
    if (size_ > 0 && number <= largest_) {
      for (int i = size_ - 1; i >= 0; --i) {
        if (numbers_[i] == number) return;
      }
    }
    largest_ = size_ == 0 ? number : std::max(largest_, number);
    numbers_[size_++] = number;
  }
  int size() const { return size_; }
  const std::uintptr_t* begin() const { return numbers_.data(); }
  const std::uintptr_t* end() const { return numbers_.data() + size_; }

 private:
  std::array<std::uintptr_t, kWarpSize * kMaxWordsPerAccess> numbers_;
  std::uintptr_t largest_ = 0;
  int size_ = 0;
};

// Inserts the numbers of all blocks of `block_bytes` that the lanes' accesses touch.
void insert_blocks(SmallSet& set, const Request& request, std::uint32_t lanes,
                   std::uintptr_t block_bytes) {
  for_each_address(request, lanes, [&](std::uintptr_t address) {
    const std::uintptr_t last = (address + request.size_bytes - 1) / block_bytes;
    for (std::uintptr_t block = address / block_bytes; block <= last; ++block) set.insert(block);
  });
}

// For addresses in ascending order, which most are. 0 if they are not.
int count_ascending_sectors(const Request& request) {
  int count = 0;
  std::uintptr_t next = 0;  // the first sector not counted yet
  for (std::uint32_t rest = request.lanes; rest != 0; rest &= rest - 1) {
    const std::uintptr_t address = request.addresses[std::countr_zero(rest)];
    const std::uintptr_t first = address / kSectorBytes;
    const std::uintptr_t last = (address + request.size_bytes - 1) / kSectorBytes;
    if (last >= next) {
      count += static_cast<int>(last - std::max(first, next)) + 1;
      next = last + 1;
    } else if (last + 1 != next) {
      return 0;
    }
  }
  return count;
}

// Whether one wavefront is enough for accesses within one word each.
bool is_free_of_conflicts(const Request& request) {
  std::array<std::uintptr_t, kNumBanks> word_of_bank;
  std::uint32_t banks = 0;  // that have a word
  for (std::uint32_t rest = request.lanes; rest != 0; rest &= rest - 1) {
    const std::uintptr_t address = request.addresses[std::countr_zero(rest)];
    const std::uintptr_t word = address / kBankBytes;
    const std::uintptr_t bank = word % kNumBanks;
    if ((banks >> bank & 1) != 0 && word_of_bank[bank] != word) return false;
    if ((address + request.size_bytes - 1) / kBankBytes != word) return false;
    word_of_bank[bank] = word;
    banks |= 1u << bank;
  }
  return true;
}

}  // namespace

int count_sectors(const Request& request) {
  if (const int count = count_ascending_sectors(request); count > 0) return count;
  SmallSet sectors;
  insert_blocks(sectors, request, request.lanes, kSectorBytes);
  return sectors.size();
}

int passes_of(const Request& request) { return kWarpSize / lanes_per_phase(request.size_bytes); }

Wavefronts count_wavefronts(const Request& request) {
  if (request.size_bytes <= 4 && is_free_of_conflicts(request)) return {1, 1};
  Wavefronts count;
  for_each_phase(request, [&](std::uint32_t lanes) {
    SmallSet words;
    insert_blocks(words, request, lanes, kBankBytes);
    std::array<int, kNumBanks> words_of_bank = {};
    for (const std::uintptr_t word : words) ++words_of_bank[word % kNumBanks];
    count.total += *std::max_element(words_of_bank.begin(), words_of_bank.end());
    ++count.ideal;
  });
  return count;
}

bool has_one_address(const Request& request) {
  const std::uintptr_t first = request.addresses[std::countr_zero(request.lanes)];
  bool all = true;
  for_each_address(request, request.lanes,
                   [&](std::uintptr_t address) { all = all && address == first; });
  return all;
}

int largest_multiplicity(const Request& request) {
  std::array<std::uintptr_t, kWarpSize> sorted;
  int size = 0;
  for_each_address(request, request.lanes, [&](std::uintptr_t a) { sorted[size++] = a; });
  std::sort(sorted.begin(), sorted.begin() + size);
  int largest = 0;
  int run = 0;
  for (int i = 0; i < size; ++i) {
    run = i > 0 && sorted[i] == sorted[i - 1] ? run + 1 : 1;
    largest = std::max(largest, run);
  }
  return largest;
}

}  // namespace simt::device
