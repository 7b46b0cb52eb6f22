// SPDX-License-Identifier: MIT
#include "workload.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "data.h"
#include "diagnosis.h"
#include "protocol/call_encoding.h"
#include "reference.h"
#include "streams.cuh"

namespace lab_judge {
namespace {

using judge::Arena;
using judge::Buffer;
using judge::Failure;
using judge::Workload;

constexpr int kRounds = 2;           // the posed device does not count them
constexpr int kChunks = 16;          // of a call
constexpr int kItemsOfSteps = 1000;  // few: a launch takes the host longer than the device

int chunk_of(std::size_t num_items) { return std::max(1, static_cast<int>(num_items) / kChunks); }

// A device that copies 1 GB/s in each direction. A kernel that reads and writes a word takes as
// long as a copy of one. A launch or a copy takes the host 2 us.
constexpr wire::Posed kPosed = {.launch_ms = 1e-4,
                                .kernel_byte_ms = 5e-7,
                                .byte_in_ms = 1e-6,
                                .byte_out_ms = 1e-6,
                                .call_ms = 2e-3};

// What all slots have: the host's time for the same work.
class TimedSlot : public judge::Slot {
 public:
  std::optional<Failure> check() const override {
    const auto [name, got, expected] = results();
    return compare(name, got, expected, {});
  }
  double sequential_ms() const override {
    const auto begin = std::chrono::steady_clock::now();
    const Words expected = results().expected;
    const auto elapsed = std::chrono::steady_clock::now() - begin;
    volatile std::uint32_t last = expected.empty() ? 0 : expected.back();  // so that it has a use
    static_cast<void>(last);
    return std::chrono::duration<double, std::milli>(elapsed).count();
  }

 protected:
  struct Results {
    const char* name;
    Words got;
    Words expected;
  };
  virtual Results results() const = 0;
};

// Rungs 02, 03 and 06: words in host memory.
struct HostFunction {
  const char* name;
  std::size_t scratch_bytes;
  Words (*expected)(const Words&);
};

class HostSlot : public TimedSlot {
 public:
  HostSlot(Arena& arena, std::size_t num_items, int chunk_items, const HostFunction& function)
      : h_in_(arena, "h_in", num_items),
        h_out_(arena, "h_out", num_items),
        chunk_items_(chunk_items),
        function_(function) {}

  void refresh(std::uint64_t seed) override { h_in_.upload(make_words(seed, h_in_.size())); }
  void poison_outputs() override { h_out_.poison(); }
  wire::Call call(const std::string& name) const override {
    const int num_items = static_cast<int>(h_in_.size());
    if (name == "mix_pageable") {
      return judge::encode_call<decltype(lab::mix_pageable)>("mix_pageable", judge::on_host(h_in_),
                                                             num_items, kRounds, chunk_items_,
                                                             judge::on_host(h_out_));
    }
    if (name == "mix_overlapped") {
      return judge::encode_call<decltype(lab::mix_overlapped)>(
          "mix_overlapped", judge::pinned(h_in_), num_items, kRounds, chunk_items_,
          judge::pinned(h_out_));
    }
    return judge::encode_call<decltype(lab::running_sums)>(
        "running_sums", judge::pinned(h_in_), num_items, chunk_items_, judge::pinned(h_out_));
  }

 protected:
  Results results() const override {
    return {"h_out", h_out_.download(), function_.expected(h_in_.download())};
  }

 private:
  Buffer<std::uint32_t> h_in_;
  Buffer<std::uint32_t> h_out_;
  int chunk_items_;
  HostFunction function_;
};

// Rung 04: batches of one, two or three parts of the items in turn, and of what is left.
class BatchesSlot : public TimedSlot {
 public:
  BatchesSlot(Arena& arena, std::size_t num_items)
      : sizes_(sizes_of(static_cast<int>(num_items))),
        d_in_(arena, "d_in", num_items),
        h_sizes_(arena, "h_sizes", sizes_.size()),
        d_out_(arena, "d_out", num_items) {}

  void refresh(std::uint64_t seed) override {
    d_in_.upload(make_words(seed, d_in_.size()));
    h_sizes_.upload(sizes_);
  }
  void poison_outputs() override { d_out_.poison(); }
  wire::Call call(const std::string& name) const override {
    return judge::encode_call<decltype(lab::reverse_batches)>(
        name.c_str(), d_in_, judge::on_host(h_sizes_), static_cast<int>(sizes_.size()), kRounds,
        d_out_);
  }

 protected:
  Results results() const override {
    return {"d_out", d_out_.download(), reversed_batches(d_in_.download(), sizes_, kRounds)};
  }

 private:
  static std::vector<int> sizes_of(int num_items) {
    constexpr int kParts = 48;
    std::vector<int> sizes;
    int rest = num_items;
    for (int batch = 0; batch < kParts / 2; ++batch) {
      sizes.push_back(num_items / kParts * (1 + batch % 3));
      rest -= sizes.back();
    }
    sizes.push_back(rest);
    return sizes;
  }

  std::vector<int> sizes_;
  Buffer<std::uint32_t> d_in_;
  Buffer<int> h_sizes_;
  Buffer<std::uint32_t> d_out_;
};

// Rung 05: steps over few items.
class StepsSlot : public TimedSlot {
 public:
  StepsSlot(Arena& arena, std::size_t num_steps)
      : h_keys_(arena, "h_keys", num_steps),
        d_in_(arena, "d_in", kItemsOfSteps),
        d_out_(arena, "d_out", kItemsOfSteps) {}

  void refresh(std::uint64_t seed) override {
    h_keys_.upload(make_words(seed, h_keys_.size()));
    d_in_.upload(make_words(~seed, kItemsOfSteps));
  }
  void poison_outputs() override { d_out_.poison(); }
  wire::Call call(const std::string& name) const override {
    return judge::encode_call<decltype(lab::mix_steps)>(name.c_str(), d_in_, kItemsOfSteps,
                                                        judge::on_host(h_keys_),
                                                        static_cast<int>(h_keys_.size()), d_out_);
  }

 protected:
  Results results() const override {
    return {"d_out", d_out_.download(), after_steps(d_in_.download(), h_keys_.download())};
  }

 private:
  Buffer<std::uint32_t> h_keys_;
  Buffer<std::uint32_t> d_in_;
  Buffer<std::uint32_t> d_out_;
};

Workload make_workload(const char* function, std::size_t num_items, double bytes_per_call,
                       std::size_t scratch_bytes) {
  return {.function = function,
          .limit = "",
          .library = "",
          .num_items = static_cast<double>(num_items),
          .bytes_per_call = bytes_per_call,
          .arena_bytes_per_call = 2 * sizeof(std::uint32_t) * num_items + 65536,
          .scratch_bytes = scratch_bytes,
          .make_slot = {},
          .posed = kPosed};
}

Workload of_host_words(std::size_t num_items, const HostFunction& function) {
  const int chunk_items = chunk_of(num_items);
  const double bytes = 2.0 * sizeof(std::uint32_t) * static_cast<double>(num_items);
  Workload workload = make_workload(function.name, num_items, bytes, function.scratch_bytes);
  workload.has_host_data = true;
  workload.make_slot = [=](Arena& arena) {
    return std::make_unique<HostSlot>(arena, num_items, chunk_items, function);
  };
  return workload;
}

Words mixed_twice(const Words& words) { return mixed(words, kRounds); }

}  // namespace

Workload pageable_words(std::size_t num_items) {
  const std::size_t scratch_bytes = std::size_t{16} * chunk_of(num_items) + 1024;
  return of_host_words(num_items, {"mix_pageable", scratch_bytes, mixed_twice});
}

Workload pinned_words(std::size_t num_items) {
  return of_host_words(num_items, {"mix_overlapped", 4 * num_items + 256, mixed_twice});
}

Workload words_to_add(std::size_t num_items) {
  const std::size_t scratch_bytes =
      std::size_t{12} * chunk_of(num_items) + 4 * lab::kStateWords + 1024;
  Workload workload = of_host_words(num_items, {"running_sums", scratch_bytes, sums_of});
  workload.posed.kernel_byte_ms /= 2;  // its kernels move four words per item
  return workload;
}

Workload batches(std::size_t num_items) {
  const double bytes = 2.0 * sizeof(std::uint32_t) * static_cast<double>(num_items);
  Workload workload = make_workload("reverse_batches", num_items, bytes, 0);
  workload.make_slot = [=](Arena& arena) {
    return std::make_unique<BatchesSlot>(arena, num_items);
  };
  return workload;
}

Workload steps(std::size_t num_steps) {
  const double bytes = 8.0 * sizeof(std::uint32_t) * kItemsOfSteps * static_cast<double>(num_steps);
  Workload workload =
      make_workload("mix_steps", num_steps, bytes, sizeof(std::uint32_t) * kItemsOfSteps + 256);
  workload.make_slot = [=](Arena& arena) { return std::make_unique<StepsSlot>(arena, num_steps); };
  workload.posed.kernel_byte_ms /= 20;  // the device is done before the host has the next launch
  return workload;
}

}  // namespace lab_judge
