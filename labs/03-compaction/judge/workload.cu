// SPDX-License-Identifier: MIT
// Timed inputs of gigabytes are made and checked in device memory. One random bit per item decides
// whether it is kept. The judge also counts the kept items before each group of 512, and within it
// before each word of 64, in memory that a worker cannot reach.
#include <algorithm>
#include <bit>
#include <chrono>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "data.h"
#include "fixture/device_loop.cuh"
#include "fixture/test_data.h"
#include "protocol/arena.h"
#include "protocol/call_encoding.h"
#include "workload.h"

namespace lab_judge {
namespace {

using judge::Arena;
using judge::Buffer;
using judge::Failure;
using judge::kPoisonByte;
using judge::random_bits;
using judge::Slot;
using judge::sum_over;
using judge::Workload;

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

// Everything about one input.
struct Input {
  std::uint64_t seed;
  std::size_t num_items;
  lab::Predicate keep;

  LOCKSTEP_HOST_DEVICE bool is_kept(std::size_t index) const {
    return (kept_bits(seed, index / kWordItems, num_items) >> index % kWordItems & 1) != 0;
  }
  LOCKSTEP_HOST_DEVICE int item(std::size_t index) const {
    return make_item(random_bits(seed, index), keep, is_kept(index));
  }
};

struct Fill {
  Input input;
  int* d_items;
  LOCKSTEP_HOST_DEVICE std::uint64_t operator()(std::size_t index) const {
    d_items[index] = input.item(index);
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
  Input input;
  const std::uint32_t* d_before_group;
  const std::uint16_t* d_before_word;  // of its group
  std::uint64_t num_kept;
  bool has_rest;  // items that are not kept follow; otherwise nothing may
  const int* d_out;
  LOCKSTEP_HOST_DEVICE std::uint64_t operator()(std::size_t index) const {
    const std::uint64_t bits = kept_bits(input.seed, index / kWordItems, input.num_items);
    const std::uint64_t own = std::uint64_t{1} << index % kWordItems;
    const bool is_kept = (bits & own) != 0;
    std::uint64_t wrong = 0;
    if (is_kept || has_rest) {
      const std::uint64_t before = d_before_group[index / kGroupItems] +
                                   d_before_word[index / kWordItems] + count_bits(bits & (own - 1));
      const std::uint64_t place = is_kept ? before : num_kept + (index - before);
      wrong += d_out[place] != input.item(index) ? 1 : 0;
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

enum class Promise { kCompact, kPartition, kUnordered };

class CompactionSlot : public Slot {
 public:
  CompactionSlot(Arena& arena, std::size_t num_items, Promise promise)
      : promise_(promise),
        num_groups_((num_items + kGroupItems - 1) / kGroupItems),
        d_in_(arena, "d_in", num_items),
        d_out_(arena, "d_out", num_items),
        d_count_(arena, "d_count", 1),
        before_group_(num_groups_),
        before_word_(num_groups_ * kGroupWords) {}

  void refresh(std::uint64_t seed) override {
    input_ = {seed, d_in_.size(), random_predicate(~seed, Bait::kPoison)};
    sum_over(d_in_.size(), Fill{input_, d_in_.device_data()});
    d_in_.mark_initialized();
    num_kept_ =
        sum_over(num_groups_, CountGroup{input_, before_group_.data(), before_word_.device_data()});
    before_group_.scan();
  }

  void poison_outputs() override {
    d_out_.poison();
    d_count_.poison();
  }

  wire::Call call(const std::string& function) const override {
    const int num_items = static_cast<int>(d_in_.size());
    if (function == "copy_bandwidth") {  // the limit of a partition: no predicate, no count
      return judge::encode_call<void(const int*, int, int*, lab::Scratch&, cudaStream_t)>(
          function.c_str(), d_in_, num_items, d_out_);
    }
    return judge::encode_call<decltype(lab::compact)>(function.c_str(), d_in_, num_items,
                                                      input_.keep, d_out_, d_count_);
  }

  std::optional<Failure> check() const override {
    const int count = d_count_.download()[0];
    if (count != static_cast<int>(num_kept_)) {
      return Failure{
          judge::kind::kWrongResult,
          "expected d_count[0] = " + std::to_string(num_kept_) + ", got " + std::to_string(count)};
    }
    if (promise_ == Promise::kUnordered) {
      const Fingerprint in{~input_.seed, d_in_.device_data()};
      const Fingerprint out{~input_.seed, d_out_.device_data()};
      if (sum_over(d_in_.size(), KeptFingerprint{in, input_.keep}) == sum_over(num_kept_, out)) {
        return std::nullopt;
      }
      return Failure{judge::kind::kWrongResult,
                     "the count is right, but d_out does not hold the kept items"};
    }
    const std::uint64_t wrong = sum_over(
        d_in_.size(), Misplaced{input_, before_group_.data(), before_word_.device_data(), num_kept_,
                                promise_ == Promise::kPartition, d_out_.device_data()});
    if (wrong == 0) return std::nullopt;
    return Failure{judge::kind::kWrongResult, "the count is right, but " + std::to_string(wrong) +
                                                  " places of d_out are wrong"};
  }

  double sequential_ms() const override {
    const std::vector<int> h_in = d_in_.download();
    std::vector<int> h_out(h_in.size());
    const auto begin = std::chrono::steady_clock::now();
    const auto end = std::copy_if(h_in.begin(), h_in.end(), h_out.begin(), input_.keep);
    if (promise_ == Promise::kPartition) {
      std::copy_if(h_in.begin(), h_in.end(), end, std::not_fn(input_.keep));
    }
    const auto elapsed = std::chrono::steady_clock::now() - begin;
    volatile int used = h_out[num_kept_ / 2];
    static_cast<void>(used);
    return std::chrono::duration<double, std::milli>(elapsed).count();
  }

 private:
  Promise promise_;
  std::size_t num_groups_;
  Buffer<int> d_in_;
  Buffer<int> d_out_;
  Buffer<int> d_count_;
  Words before_group_;
  mutable judge::PrivateArray<std::uint16_t> before_word_;
  Input input_{};
  std::uint64_t num_kept_ = 0;
};

Workload make_workload(std::size_t num_items, Promise promise) {
  const std::size_t input_bytes = sizeof(int) * num_items;
  const bool writes_all = promise == Promise::kPartition;
  return {
      .function = promise == Promise::kCompact     ? "compact"
                  : promise == Promise::kPartition ? "partition"
                                                   : "compact_unordered",
      .limit = writes_all ? "copy_bandwidth" : "select_limit",
      .library = writes_all ? "" : "cub_select_if",
      .num_items = static_cast<double>(num_items),
      .bytes_per_call = (writes_all ? 2.0 : 1.5) * static_cast<double>(input_bytes),
      .arena_bytes_per_call = 2 * input_bytes + 8192,
      .scratch_bytes = 9 * num_items + (std::size_t{64} << 10),
      .make_slot =
          [=](Arena& arena) { return std::make_unique<CompactionSlot>(arena, num_items, promise); },
      .beside_first = promise == Promise::kCompact};
}

}  // namespace

Workload compact_workload(std::size_t num_items) {
  return make_workload(num_items, Promise::kCompact);
}
Workload partition_workload(std::size_t num_items) {
  return make_workload(num_items, Promise::kPartition);
}
Workload unordered_workload(std::size_t num_items) {
  return make_workload(num_items, Promise::kUnordered);
}

}  // namespace lab_judge
