// SPDX-License-Identifier: MIT
// A lab's measurable call, described once: for the speed test and the benchmark on cuda, and for
// the budget test and the profile on cpu.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "process/submission.h"

namespace judge {

// The data of one call. A timed batch fills many slots back to back, each with different content,
// so that a submission cannot cache, skip or predict results.
class Slot {
 public:
  virtual ~Slot() = default;
  virtual void refresh(std::uint64_t seed) = 0;  // new input
  virtual void poison_outputs() = 0;
  // `function` is the submission's own or an anchor's; all take this slot's buffers.
  virtual wire::Call call(const std::string& function) const = 0;
  virtual std::optional<Failure> check() const = 0;
  // Milliseconds of one sequential run on the host over the same input.
  virtual double sequential_ms() const = 0;
};

struct Workload {
  std::string function;              // of the submission
  std::string limit;                 // of the anchors: the device's limit
  std::string library;               // of the anchors: NVIDIA's own; empty: none
  double num_items;                  // what "per item" means in budgets
  double bytes_per_call;             // that must be moved, for GB/s
  double flops_per_call = 0;         // for GFLOP/s, where arithmetic is the measure; 0: it is not
  std::size_t arena_bytes_per_call;  // with guard zones
  std::size_t scratch_bytes;
  std::function<std::unique_ptr<Slot>(Arena&)> make_slot;
  // False: the lab's first rung cannot do it, takes too long, or has data of another kind: its time
  // is kept for each function and number of items.
  bool beside_first = true;
  bool has_host_data = false;  // the function takes and returns host memory
  wire::Posed posed = {};      // on cpu: what the device is, for the counted call
};

// A workload of any size, and the sizes at which rungs are judged.
struct WorkloadPlan {
  Workload (*make)(std::size_t num_items) = nullptr;  // null: nothing is measured
  Workload (*make_counted)(std::size_t num_items) =
      nullptr;                                      // of a call that is counted; null: make
  std::size_t speed_items = std::size_t{1} << 28;   // on cuda
  std::size_t budget_items = std::size_t{1} << 16;  // on cpu
  // On cpu: of the call in which look-backs are counted, with enough for ten tiles or more, of the
  // largest that a block can hold. 0: the rung has no look-back.
  std::size_t look_back_items = 0;

  Workload counted(std::size_t num_items) const {
    return make_counted == nullptr ? make(num_items) : make_counted(num_items);
  }
};

}  // namespace judge
