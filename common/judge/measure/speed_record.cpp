// SPDX-License-Identifier: MIT
#include "measure/speed_record.h"

#include <gtest/gtest.h>

#include <utility>

#include "fixture/json.h"
#include "fixture/record.h"

namespace judge {
namespace {

constexpr int kRatioDigits = 6;  // of a measured figure

using SpeedFigures = std::vector<std::pair<std::string, double>>;

void add_ratio(SpeedFigures& list, const std::string& name, const std::optional<Ratio>& ratio) {
  if (!ratio) return;
  list.emplace_back(name, ratio->median);
  list.emplace_back(name + "_low", ratio->low);
  list.emplace_back(name + "_high", ratio->high);
}

// A result's figures by the names under which the grader and the pages know them.
SpeedFigures figures(const Workload& workload, const SpeedResult& result) {
  SpeedFigures list;
  add_ratio(list, "share", result.share);
  add_ratio(list, "of_library", result.of_library);
  add_ratio(list, "of_reference", result.of_reference);
  add_ratio(list, "speedup", result.speedup);
  if (result.speedup_cpu) list.emplace_back("speedup_cpu", *result.speedup_cpu);
  list.emplace_back("noise", result.noise);
  list.emplace_back("spread", result.share.spread());
  list.emplace_back("rounds", result.rounds);
  list.emplace_back("checked_calls", static_cast<double>(result.checked_calls));
  list.emplace_back("clock_gap_ms", result.clocks.gap_ms);
  list.emplace_back("clock_gap_least_ms", result.clocks.least_ms);
  list.emplace_back("clock_gap_most_ms", result.clocks.most_ms);
  list.emplace_back("time_ms", result.time_ms);
  list.emplace_back("gbps", workload.bytes_per_call / result.time_ms / 1e6);
  list.emplace_back("anchor_gbps", result.limit_gbps);
  if (workload.flops_per_call > 0) {
    const double flops_per_byte = workload.flops_per_call / workload.bytes_per_call;
    list.emplace_back("gflops", workload.flops_per_call / result.time_ms / 1e6);
    list.emplace_back("anchor_gflops", result.limit_gbps * flops_per_byte);
  }
  return list;
}

}  // namespace

std::string to_json(const Workload& workload, std::size_t num_items, const SpeedResult& result) {
  json::Members members = {{"function", json::quote(workload.function)},
                           {"limit", json::quote(workload.limit)},
                           {"library", json::quote(workload.library)},
                           {"num_items", std::to_string(num_items)}};
  if (result.failure) {
    members.emplace_back("failure", json::quote(result.failure->message));
    return json::object(members);
  }
  for (const auto& [name, value] : figures(workload, result)) {
    members.emplace_back(name, json::number(value, kRatioDigits));
  }
  members.emplace_back("noisy", result.steady ? "false" : "true");
  return json::object(members);
}

void record_speed(const Workload& workload, const SpeedResult& result) {
  ::testing::Test::RecordProperty("part", "efficiency");
  if (result.failure) {
    record_failure(*result.failure);
    ADD_FAILURE() << result.failure->kind << ": " << result.failure->message;
    return;
  }
  if (result.noisy) ::testing::Test::RecordProperty("outcome", "noisy");
  for (const auto& [name, value] : figures(workload, result)) {
    ::testing::Test::RecordProperty(name, json::number(value, kRatioDigits));
  }
}

}  // namespace judge
