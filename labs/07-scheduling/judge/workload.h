// SPDX-License-Identifier: MIT
// The measured calls of rungs 05 to 08, each but that of 06 compared with the device's copy, and
// what these and the tests share.
#pragma once

#include "measure/milliseconds.h"
#include "measure/workload.h"
#include "protocol/call_encoding.h"
#include "scheduling.cuh"
#include "workload_items.h"

namespace lab_judge {

// An item is a sample, a cell, a point, an item of a row of 256, and an item of a row that fits no
// cache.
judge::Workload curves_workload(std::size_t num_samples);
judge::Workload runs_workload(std::size_t num_cells);  // counted, not timed
judge::Workload points_workload(std::size_t num_points);
judge::Workload short_rows_workload(std::size_t num_items);
judge::Workload long_rows_workload(std::size_t num_items);

// ---- of slots

inline std::optional<judge::Failure> expect_none_wrong(std::size_t num_wrong, std::size_t num_items,
                                                       const std::string& what) {
  if (num_wrong == 0) return std::nullopt;
  return judge::Failure{
      judge::kind::kWrongResult,
      std::to_string(num_wrong) + " of " + std::to_string(num_items) + " " + what + " are wrong"};
}

// The device's copy of num_words words.
template <class In, class Out>
wire::Call encode_copy(const std::string& function, const judge::Buffer<In>& d_in,
                       std::size_t num_words, const judge::Buffer<Out>& d_out) {
  return judge::encode_call<void(const In*, int, Out*)>(function.c_str(), d_in,
                                                        static_cast<int>(num_words), d_out);
}

using judge::milliseconds;

}  // namespace lab_judge
