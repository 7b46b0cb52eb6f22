// SPDX-License-Identifier: MIT
#include "workload.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "data.h"
#include "fixture/test_data.h"
#include "protocol/arena.h"
#include "protocol/call_encoding.h"
#include "workload_checks.h"

namespace lab_judge {
namespace {

using judge::Arena;
using judge::Buffer;
using judge::Failure;
using judge::Slot;
using judge::Workload;

enum class Promise { kCompact, kPartition, kUnordered };

class CompactionSlot : public Slot {
 public:
  CompactionSlot(Arena& arena, std::size_t num_items, Promise promise)
      : promise_(promise),
        d_in_(arena, "d_in", num_items),
        d_out_(arena, "d_out", num_items),
        d_count_(arena, "d_count", 1),
        kept_before_(num_items) {}

  void refresh(std::uint64_t seed) override {
    input_ = {seed, d_in_.size(), random_predicate(~seed, Bait::kPoison)};
    fill(d_in_.device_data(), input_);
    d_in_.mark_initialized();
    num_kept_ = kept_before_.count(input_);
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
      if (holds_the_kept(d_in_.device_data(), input_, d_out_.device_data(), num_kept_)) {
        return std::nullopt;
      }
      return Failure{judge::kind::kWrongResult,
                     "the count is right, but d_out does not hold the kept items"};
    }
    const std::uint64_t wrong = kept_before_.count_misplaced(
        input_, num_kept_, promise_ == Promise::kPartition, d_out_.device_data());
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
  Buffer<int> d_in_;
  Buffer<int> d_out_;
  Buffer<int> d_count_;
  KeptBefore kept_before_;
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
