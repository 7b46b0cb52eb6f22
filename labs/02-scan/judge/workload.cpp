// SPDX-License-Identifier: MIT
#include "workload.h"

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "fixture/test_data.h"
#include "protocol/call_encoding.h"
#include "scan.cuh"
#include "workload_checks.h"

namespace lab_judge {
namespace {

using judge::Buffer;
using judge::Failure;

class ScanSlot : public judge::Slot {
 public:
  ScanSlot(judge::Arena& arena, std::size_t num_items, bool is_inclusive)
      : d_in_(arena, "d_in", num_items),
        d_out_(arena, "d_out", num_items),
        is_inclusive_(is_inclusive) {}

  void refresh(std::uint64_t seed) override {
    judge::fill_words(reinterpret_cast<std::uint32_t*>(d_in_.device_data()), d_in_.size(), seed);
    d_in_.mark_initialized();
  }
  void poison_outputs() override { d_out_.poison(); }
  wire::Call call(const std::string& function) const override {
    return judge::encode_call<decltype(lab::exclusive_scan)>(
        function.c_str(), d_in_, static_cast<int>(d_in_.size()), d_out_);
  }
  std::optional<Failure> check() const override {
    std::size_t begin = 0;
    std::size_t end = d_in_.size();
    if (num_breaks(begin, end) == 0) return std::nullopt;
    while (end - begin > 1) {  // the first of them lies in [begin, end)
      const std::size_t middle = begin + (end - begin) / 2;
      (num_breaks(begin, middle) > 0 ? end : begin) = middle;
    }
    return Failure{judge::kind::kWrongResult,
                   "d_out[" + std::to_string(begin) +
                       "] does not follow from the item before it, the first of " +
                       std::to_string(num_breaks(0, d_in_.size())) + " such of " +
                       std::to_string(d_in_.size()) + " items"};
  }
  double sequential_ms() const override {
    const std::vector<int> h_in = d_in_.download();
    std::vector<std::uint32_t> h_out(h_in.size(), 1);  // touched: no page faults in the timed loop
    const auto begin = std::chrono::steady_clock::now();
    std::uint32_t sum = 0;
    for (std::size_t i = 0; i < h_in.size(); ++i) {
      h_out[i] = sum;
      sum += static_cast<std::uint32_t>(h_in[i]);
    }
    const auto end = std::chrono::steady_clock::now();
    volatile std::uint32_t last = h_out.empty() ? 0 : h_out.back();  // so that the loop has a use
    static_cast<void>(last);
    return std::chrono::duration<double, std::milli>(end - begin).count();
  }

 private:
  std::uint64_t num_breaks(std::size_t begin, std::size_t end) const {
    return count_breaks(d_in_.device_data(), d_out_.device_data(), begin, end, is_inclusive_);
  }

  Buffer<int> d_in_;
  Buffer<int> d_out_;
  bool is_inclusive_;
};

judge::Workload workload(std::size_t num_items, const char* function, const char* library,
                         bool is_inclusive) {
  const std::size_t size_bytes = 2 * sizeof(int) * num_items;  // read and written
  return {.function = function,
          .limit = "copy_bandwidth",
          .library = library,
          .num_items = static_cast<double>(num_items),
          .bytes_per_call = static_cast<double>(size_bytes),
          .arena_bytes_per_call = size_bytes + 4096,
          .scratch_bytes = scratch_bytes(num_items),
          .make_slot =
              [=](judge::Arena& arena) {
                return std::make_unique<ScanSlot>(arena, num_items, is_inclusive);
              },
          .beside_first = false};  // its additions grow with the square of the length
}

}  // namespace

judge::Workload exclusive_workload(std::size_t num_items) {
  return workload(num_items, "exclusive_scan", "cub_exclusive_scan", false);
}

judge::Workload inclusive_workload(std::size_t num_items) {
  return workload(num_items, "inclusive_scan", "", true);
}

}  // namespace lab_judge
