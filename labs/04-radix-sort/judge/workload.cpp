// SPDX-License-Identifier: MIT
#include "workload.h"

#include <array>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "fixture/test_data.h"
#include "protocol/call_encoding.h"
#include "radix_sort.cuh"
#include "workload_checks.h"

namespace lab_judge {
namespace {

using judge::Buffer;
using judge::Failure;

constexpr std::size_t kGuards = 8192;  // bytes of guard zones and rounding per slot

// The time of one core with the same method, four passes over eight bits.
double sequential_sort_ms(const Buffer<std::uint32_t>& d_keys) {
  std::vector<std::uint32_t> keys = d_keys.download();
  const auto begin = std::chrono::steady_clock::now();
  std::vector<std::uint32_t> other(keys.size());
  for (int first_bit = 0; first_bit < 32; first_bit += 8) {
    std::array<std::size_t, 257> places{};
    for (const std::uint32_t key : keys) ++places[(key >> first_bit & 255) + 1];
    for (std::size_t digit = 1; digit < places.size(); ++digit) places[digit] += places[digit - 1];
    for (const std::uint32_t key : keys) other[places[key >> first_bit & 255]++] = key;
    std::swap(keys, other);
  }
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
      .count();
}

// Keys alone, sorted as a whole or in groups.
class KeysSlot : public judge::Slot {
 public:
  KeysSlot(judge::Arena& arena, std::size_t num_items, std::size_t group_items)
      : d_in_(arena, "d_in", num_items),
        d_out_(arena, "d_out", num_items),
        group_items_(group_items) {}

  void refresh(std::uint64_t seed) override {
    seed_ = seed;
    judge::fill_words(d_in_.device_data(), d_in_.size(), seed);
    d_in_.mark_initialized();
    fingerprint_ = fingerprint_of(d_in_);
  }
  void poison_outputs() override { d_out_.poison(); }
  wire::Call call(const std::string& function) const override {
    return judge::encode_call<decltype(lab::radix_sort)>(function.c_str(), d_in_,
                                                         static_cast<int>(d_in_.size()), d_out_);
  }
  std::optional<Failure> check() const override {
    const std::uint64_t descents =
        count_descents(d_out_.device_data(), d_out_.size(), group_items_);
    if (descents != 0) {
      return Failure{judge::kind::kWrongResult,
                     std::to_string(descents) + " keys are smaller than the key before them"};
    }
    if (fingerprint_of(d_out_) != fingerprint_) {
      return Failure{judge::kind::kWrongResult,
                     "the output is in order, but is not a permutation of the input"};
    }
    return std::nullopt;
  }
  double sequential_ms() const override { return sequential_sort_ms(d_in_); }

 protected:
  Buffer<std::uint32_t> d_in_;
  Buffer<std::uint32_t> d_out_;

 private:
  std::uint64_t fingerprint_of(const Buffer<std::uint32_t>& d_keys) const {
    return fingerprint_of_groups(d_keys.device_data(), d_keys.size(), ~seed_, group_items_);
  }

  std::size_t group_items_;
  std::uint64_t seed_ = 0;
  std::uint64_t fingerprint_ = 0;
};

// The same keys by all of their bits. Anchors have no range.
class BitsSlot : public KeysSlot {
 public:
  BitsSlot(judge::Arena& arena, std::size_t num_items) : KeysSlot(arena, num_items, num_items) {}

  wire::Call call(const std::string& function) const override {
    if (function != "sort_bits") return KeysSlot::call(function);
    return judge::encode_call<decltype(lab::sort_bits)>(
        function.c_str(), d_in_, static_cast<int>(d_in_.size()), 0, 32, d_out_);
  }
};

class PairsSlot : public judge::Slot {
 public:
  PairsSlot(judge::Arena& arena, std::size_t num_items)
      : d_keys_in_(arena, "d_keys_in", num_items),
        d_values_in_(arena, "d_values_in", num_items),
        d_keys_out_(arena, "d_keys_out", num_items),
        d_values_out_(arena, "d_values_out", num_items) {
    fill_indices(d_values_in_.device_data(), num_items);
    d_values_in_.mark_initialized();
  }

  void refresh(std::uint64_t seed) override {
    seed_ = seed;
    judge::fill_words(d_keys_in_.device_data(), d_keys_in_.size(), seed);
    d_keys_in_.mark_initialized();
  }
  void poison_outputs() override {
    d_keys_out_.poison();
    d_values_out_.poison();
  }
  wire::Call call(const std::string& function) const override {
    return judge::encode_call<decltype(lab::sort_pairs)>(function.c_str(), d_keys_in_, d_values_in_,
                                                         static_cast<int>(d_keys_in_.size()),
                                                         d_keys_out_, d_values_out_);
  }
  std::optional<Failure> check() const override {
    const std::uint64_t wrong = count_wrong_pairs(
        d_keys_out_.device_data(), d_values_out_.device_data(), d_keys_out_.size(), seed_);
    if (wrong == 0) return std::nullopt;
    return Failure{
        judge::kind::kWrongResult,
        std::to_string(wrong) + " pairs are not those of the input, or are out of order"};
  }
  double sequential_ms() const override { return sequential_sort_ms(d_keys_in_); }

 private:
  Buffer<std::uint32_t> d_keys_in_;
  Buffer<std::uint32_t> d_values_in_;
  Buffer<std::uint32_t> d_keys_out_;
  Buffer<std::uint32_t> d_values_out_;
  std::uint64_t seed_ = 0;
};

judge::Workload keys_workload(const char* function, const char* library, std::size_t num_items,
                              std::size_t group_items) {
  const std::size_t size_bytes = 2 * sizeof(std::uint32_t) * num_items;  // in and out
  return {.function = function,
          .limit = "copy_bandwidth",
          .library = library,
          .num_items = static_cast<double>(num_items),
          .bytes_per_call = static_cast<double>(size_bytes),
          .arena_bytes_per_call = size_bytes + kGuards,
          .scratch_bytes = scratch_bytes(num_items),
          .make_slot = [=](judge::Arena& arena) {
            return std::make_unique<KeysSlot>(arena, num_items, group_items);
          }};
}

}  // namespace

judge::Workload sort_workload(std::size_t num_items) {
  return keys_workload("radix_sort", "cub_radix_sort_keys", num_items, num_items);
}

judge::Workload tiles_workload(std::size_t num_items) {
  judge::Workload workload = keys_workload("sort_tiles", "", num_items, lab::kSortTileItems);
  workload.beside_first = false;
  return workload;
}

judge::Workload bits_workload(std::size_t num_items) {
  judge::Workload workload =
      keys_workload("sort_bits", "cub_radix_sort_keys", num_items, num_items);
  workload.make_slot = [=](judge::Arena& arena) {
    return std::make_unique<BitsSlot>(arena, num_items);
  };
  workload.beside_first = false;
  return workload;
}

judge::Workload pairs_workload(std::size_t num_items) {
  const std::size_t size_bytes = 4 * sizeof(std::uint32_t) * num_items;
  return {.function = "sort_pairs",
          .limit = "copy_bandwidth_of_pairs",
          .library = "cub_radix_sort_pairs",
          .num_items = static_cast<double>(num_items),
          .bytes_per_call = static_cast<double>(size_bytes),
          .arena_bytes_per_call = size_bytes + 2 * kGuards,
          .scratch_bytes = scratch_bytes(num_items),
          .make_slot =
              [=](judge::Arena& arena) { return std::make_unique<PairsSlot>(arena, num_items); },
          .beside_first = false};
}

}  // namespace lab_judge
