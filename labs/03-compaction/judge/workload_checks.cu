// SPDX-License-Identifier: MIT
#include <bit>
#include <numeric>
#include <vector>

#include "data.h"
#include "fixture/device_loop.cuh"
#include "fixture/test_data.h"
#include "protocol/arena.h"
#include "workload_checks.h"

namespace lab_judge {
namespace {

using judge::kPoisonByte;
using judge::random_bits;
using judge::sum_over;

constexpr int kWordItems = 64;
constexpr int kGroupWords = 8;
constexpr int kGroupItems = kGroupWords * kWordItems;

// The bits of 64 neighbouring items: set where the item is kept.
LOCKSTEP_HOST_DEVICE inline std::uint64_t kept_bits(std::uint64_t seed, std::size_t word,
                                                    std::size_t num_items) {
  const std::uint64_t bits = random_bits(~seed, word);
  const std::size_t left = num_items - word * kWordItems;
  return left >= kWordItems ? bits : bits & ((std::uint64_t{1} << left) - 1);
}

LOCKSTEP_HOST_DEVICE inline int count_bits(std::uint64_t bits) {
#ifdef __CUDA_ARCH__
  return __popcll(bits);
#else
  return std::popcount(bits);
#endif
}

// An input and its items.
struct Made {
  Input input;

  LOCKSTEP_HOST_DEVICE bool is_kept(std::size_t index) const {
    return (kept_bits(input.seed, index / kWordItems, input.num_items) >> index % kWordItems & 1) !=
           0;
  }
  LOCKSTEP_HOST_DEVICE int item(std::size_t index) const {
    return make_item(random_bits(input.seed, index), input.keep, is_kept(index));
  }
};

struct Fill {
  Made made;
  int* d_items;
  LOCKSTEP_HOST_DEVICE std::uint64_t operator()(std::size_t index) const {
    d_items[index] = made.item(index);
    return 0;
  }
};

// Counts each group's kept items, and those before each of its words; returns those of all groups.
struct CountGroup {
  Input input;
  std::uint32_t* d_counts;
  std::uint16_t* d_before_word;
  LOCKSTEP_HOST_DEVICE std::uint64_t operator()(std::size_t group) const {
    std::uint64_t count = 0;
    const std::size_t num_words = (input.num_items + kWordItems - 1) / kWordItems;
    const std::size_t begin = group * kGroupWords;
    const std::size_t end = begin + kGroupWords < num_words ? begin + kGroupWords : num_words;
    for (std::size_t word = begin; word < end; ++word) {
      d_before_word[word] = static_cast<std::uint16_t>(count);
      count += count_bits(kept_bits(input.seed, word, input.num_items));
    }
    d_counts[group] = static_cast<std::uint32_t>(count);
    return count;
  }
};

// 1 for each place of the output that is wrong.
struct Misplaced {
  Made made;
  const std::uint32_t* d_before_group;
  const std::uint16_t* d_before_word;  // of its group
  std::uint64_t num_kept;
  bool has_rest;  // items that are not kept follow; otherwise nothing may
  const int* d_out;
  LOCKSTEP_HOST_DEVICE std::uint64_t operator()(std::size_t index) const {
    const std::uint64_t bits = kept_bits(made.input.seed, index / kWordItems, made.input.num_items);
    const std::uint64_t own = std::uint64_t{1} << index % kWordItems;
    const bool is_kept = (bits & own) != 0;
    std::uint64_t wrong = 0;
    if (is_kept || has_rest) {
      const std::uint64_t before = d_before_group[index / kGroupItems] +
                                   d_before_word[index / kWordItems] + count_bits(bits & (own - 1));
      const std::uint64_t place = is_kept ? before : num_kept + (index - before);
      wrong += d_out[place] != made.item(index) ? 1 : 0;
    }
    if (!has_rest && index >= num_kept) {
      wrong += d_out[index] != static_cast<int>(0x01010101U * kPoisonByte) ? 1 : 0;
    }
    return wrong;
  }
};

// A sum over a set of items that shows, whatever their order, if one item differs. The salt is
// secret.
struct Fingerprint {
  std::uint64_t salt;
  const int* d_items;
  LOCKSTEP_HOST_DEVICE std::uint64_t operator()(std::size_t index) const {
    return random_bits(salt, static_cast<std::uint32_t>(d_items[index]));
  }
};
struct KeptFingerprint {
  Fingerprint items;
  lab::Predicate keep;
  LOCKSTEP_HOST_DEVICE std::uint64_t operator()(std::size_t index) const {
    return keep(items.d_items[index]) ? items(index) : 0;
  }
};

}  // namespace

// The judge's own words in device memory.
class Words {
 public:
  explicit Words(std::size_t count) : count_(count) {
#ifdef LOCKSTEP_CUDA
    lab::check(cudaMalloc(&d_words_, count * sizeof(std::uint32_t)));
#else
    h_words_.resize(count);
    d_words_ = h_words_.data();
#endif
  }
  ~Words() {
#ifdef LOCKSTEP_CUDA
    cudaFree(d_words_);
#endif
  }
  Words(const Words&) = delete;
  Words& operator=(const Words&) = delete;

  std::uint32_t* data() const { return d_words_; }

  // Replaces each word by the sum of those before it.
  void scan() {
#ifdef LOCKSTEP_CUDA
    h_words_.resize(count_);
    const std::size_t size_bytes = count_ * sizeof(std::uint32_t);
    lab::check(cudaMemcpy(h_words_.data(), d_words_, size_bytes, cudaMemcpyDeviceToHost));
#endif
    std::exclusive_scan(h_words_.begin(), h_words_.end(), h_words_.begin(), std::uint32_t{0});
#ifdef LOCKSTEP_CUDA
    lab::check(cudaMemcpy(d_words_, h_words_.data(), size_bytes, cudaMemcpyHostToDevice));
#endif
  }

 private:
  std::size_t count_;
  std::vector<std::uint32_t> h_words_;
  std::uint32_t* d_words_ = nullptr;
};

void fill(int* d_items, Input input) { sum_over(input.num_items, Fill{{input}, d_items}); }

bool holds_the_kept(const int* d_in, Input input, const int* d_out, std::size_t num_kept) {
  const Fingerprint in{~input.seed, d_in};
  const Fingerprint out{~input.seed, d_out};
  return sum_over(input.num_items, KeptFingerprint{in, input.keep}) == sum_over(num_kept, out);
}

struct KeptBefore::Counts {
  explicit Counts(std::size_t num_groups)
      : num_groups(num_groups), before_group(num_groups), before_word(num_groups * kGroupWords) {}

  std::size_t num_groups;
  Words before_group;
  judge::PrivateArray<std::uint16_t> before_word;
};

KeptBefore::KeptBefore(std::size_t num_items)
    : counts_(std::make_unique<Counts>((num_items + kGroupItems - 1) / kGroupItems)) {}
KeptBefore::~KeptBefore() = default;

std::uint64_t KeptBefore::count(Input input) {
  const std::uint64_t num_kept =
      sum_over(counts_->num_groups,
               CountGroup{input, counts_->before_group.data(), counts_->before_word.device_data()});
  counts_->before_group.scan();
  return num_kept;
}

std::uint64_t KeptBefore::count_misplaced(Input input, std::uint64_t num_kept, bool has_rest,
                                          const int* d_out) const {
  return sum_over(input.num_items, Misplaced{{input},
                                             counts_->before_group.data(),
                                             counts_->before_word.device_data(),
                                             num_kept,
                                             has_rest,
                                             d_out});
}

}  // namespace lab_judge
