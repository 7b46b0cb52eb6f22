// SPDX-License-Identifier: MIT
#include "measure/counting.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "fixture/json.h"
#include "fixture/options.h"
#include "fixture/record.h"
#include "fixture/session.h"
#include "measure/counters_check.h"
#include "measure/counters_json.h"
#include "measure/one_call.h"

namespace judge {
namespace {

constexpr int kCountDigits = 10;  // counts are exact

std::string places_json(const std::vector<Measure>& measures) {
  json::Members members;
  for (const Measure& measure : measures) {
    if (!measure.place) continue;
    members.emplace_back(
        measure.name, json::object({{"file", json::quote(measure.place->file)},
                                    {"line", std::to_string(measure.place->line)},
                                    {"value", json::number(measure.place->value, kCountDigits)}}));
  }
  return json::object(members);
}

CountResult count_once(const Workload& workload) {
  Outcome outcome = call_once(workload);
  CountResult result;
  result.num_items = workload.num_items;
  result.failure = std::move(outcome.failure);
  result.findings = std::move(outcome.findings);
  result.kernels = std::move(outcome.kernels);
  if (!result.failure && !kOnGpu) {  // on a GPU, the profiler around the worker counts
    result.failure = find_impossible(result.kernels, workload.bytes_per_call);
  }
  if (!result.failure) {
    result.measures = measures(result.kernels, std::max(workload.num_items, 1.0));
  }
  return result;
}

}  // namespace

CountResult count(const Workload& workload) {
  if (!workload.longest_look_back) return count_once(workload);
  // Polls cost bytes, and the longest look-back has the most: all other measures are counted in the
  // natural order, so that their gates do not depend on the number of tiles.
  Workload in_order = workload;
  in_order.longest_look_back = false;
  CountResult result = count_once(in_order);
  if (result.failure || kOnGpu) return result;
  CountResult longest = count_once(workload);
  if (longest.failure || result.findings.empty()) result.findings = std::move(longest.findings);
  if (longest.failure) {
    result.failure = std::move(longest.failure);
    return result;
  }
  const auto is_look_back = [](const Measure& measure) {
    return measure.name == "look_back_loads";
  };
  std::ranges::find_if(result.measures, is_look_back)->value =
      std::ranges::find_if(longest.measures, is_look_back)->value;
  return result;
}

void record_counts(const CountResult& result) {
  using ::testing::Test;
  record_findings(result.findings);
  if (result.failure) {
    record_failure(*result.failure);
    ADD_FAILURE() << result.failure->kind << ": " << result.failure->message;
    return;
  }
  for (const Measure& measure : result.measures) {
    Test::RecordProperty(measure.name, json::number(measure.value, kCountDigits));
  }
  Test::RecordProperty("num_items", json::number(result.num_items, kCountDigits));
  Test::RecordProperty("counters", counters_by_kernel(result.kernels));
  Test::RecordProperty("places", places_json(result.measures));
}

std::string to_json(const CountResult& result, std::size_t num_items) {
  json::Members measures;
  for (const Measure& measure : result.measures) {
    measures.emplace_back(measure.name, json::number(measure.value, kCountDigits));
  }
  return json::object({{"num_items", std::to_string(num_items)},
                       {"items", json::number(result.num_items, kCountDigits)},
                       {"outcome", json::quote(result.failure ? "failed" : "passed")},
                       {"message", json::quote(result.failure ? result.failure->message : "")},
                       {"findings", to_json(result.findings)},
                       {"measures", json::object(measures)},
                       {"places", places_json(result.measures)},
                       {"kernels", kernels_json(result.kernels)}});
}

}  // namespace judge
