// SPDX-License-Identifier: MIT
#include "measure/counting.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>

#include "fixture/host_work.h"
#include "fixture/json.h"
#include "fixture/options.h"
#include "fixture/order.h"
#include "fixture/record.h"
#include "fixture/session.h"
#include "measure/counters_check.h"
#include "measure/counters_json.h"
#include "measure/launches_check.h"
#include "measure/one_call.h"
#include "measure/speed.h"

namespace judge {
namespace {

constexpr int kCountDigits = 10;  // counts are exact

// Polls cost bytes, and the longest look-backs have the most. So totals are counted in the natural
// order: their gates do not depend on the number of tiles. But there the first block draws all
// tickets, if blocks draw them in a loop. So the most of any block or warp is counted where blocks
// take turns.
bool is_of_look_back_call(std::string_view measure) {
  return measure.starts_with("look_back_") || measure.ends_with("_per_block") ||
         measure.ends_with("_per_warp") || measure == "busiest_block_bytes_per_item";
}

std::string to_json(const Place& place) {
  return json::object({{"file", json::quote(place.file)},
                       {"line", std::to_string(place.line)},
                       {"value", json::number(place.value, kCountDigits)}});
}

std::string places_json(const std::vector<Measure>& measures) {
  json::Members members;
  for (const Measure& measure : measures) {
    if (measure.place) members.emplace_back(measure.name, to_json(*measure.place));
    int number = 1;
    for (const Place& place : measure.next_places) {
      members.emplace_back(measure.name + "." + std::to_string(++number), to_json(place));
    }
    if (measure.unused) members.emplace_back(measure.name + ".unused", to_json(*measure.unused));
  }
  return json::object(members);
}

CountResult count_once(const Workload& workload, std::uint64_t schedule_seed) {
  Outcome outcome = call_once(workload, schedule_seed);
  CountResult result;
  result.num_items = workload.num_items;
  result.function = workload.function;
  result.limit = workload.limit;
  result.limit_bytes = workload.bytes_per_call;
  result.limit_flops = workload.flops_per_call;
  result.failure = std::move(outcome.failure);
  result.findings = std::move(outcome.findings);
  result.kernels = std::move(outcome.kernels);
  result.timeline = std::move(outcome.timeline);
  result.shapes = std::move(outcome.shapes);
  if (!result.failure && !kOnGpu) {  // on a GPU, the profiler around the worker counts
    result.failure = workload.has_host_data
                         ? find_idle_kernels(result.kernels, workload.bytes_per_call)
                         : find_work_of_host(result.kernels, workload.bytes_per_call);
    if (workload.has_host_data && !result.failure) {
      result.failure = find_kernels_at_host_memory(result.kernels);
    }
  }
  if (!result.failure) {
    result.measures = measures(result.kernels, std::max(workload.num_items, 1.0));
  }
  return result;
}

// Replaces those `measures` by the ones of a call that has the longest look-backs.
void measure_look_back(const Workload& workload, CountResult& result) {
  CountResult longest = count_once(workload, kHoldPublications);
  if (longest.failure || result.findings.empty()) result.findings = std::move(longest.findings);
  if (longest.failure) {
    result.failure = std::move(longest.failure);
    return;
  }
  result.look_back_items = longest.num_items;
  result.other_launches =
      find_other_launches({result.num_items, result.kernels}, {longest.num_items, longest.kernels});
  for (Measure& measure : result.measures) {
    if (!is_of_look_back_call(measure.name)) continue;
    measure = *std::ranges::find(longest.measures, measure.name, &Measure::name);
  }
}

// A rung may recognise the size that is counted, and rely there on blocks in the natural order. So
// its result has to be right in another order, too.
void check_another_order(const Workload& workload, CountResult& result) {
  if (kOnGpu || result.failure) return;
  const std::uint64_t order = session().seeds().next() & ~(kHoldPublications | kBusyDevice);
  Outcome outcome = call_once(workload, order | kSuccessorsFirst, false);
  if (outcome.failure || result.findings.empty()) result.findings = std::move(outcome.findings);
  result.failure = std::move(outcome.failure);
}

}  // namespace

CountResult count(const WorkloadPlan& plan, std::size_t num_items) {
  CountResult result = count_once(plan.counted(num_items), 0);
  if (plan.look_back_items != 0 && !kOnGpu && !result.failure) {
    measure_look_back(plan.counted(plan.look_back_items), result);
    check_another_order(plan.counted(plan.look_back_items), result);
  }
  check_another_order(plan.counted(num_items), result);
  return result;
}

CountResult count_timed(const WorkloadPlan& plan, std::size_t num_items) {
  CountResult result = count_once(plan.make(num_items), 0);
  if (!kOnGpu && !result.failure) {
    result.sequential_ms = sequential_ms(plan, num_items, session().seeds()).get();
  }
  return result;
}

void record_counts(const CountResult& result) {
  using ::testing::Test;
  record_findings(result.findings);
  if (const auto& failure = result.failure ? result.failure : result.other_launches) {
    record_failure(*failure);
    ADD_FAILURE() << failure->kind << ": " << failure->message;
    return;
  }
  for (const Measure& measure : result.measures) {
    Test::RecordProperty(measure.name, json::number(measure.value, kCountDigits));
  }
  Test::RecordProperty("num_items", json::number(result.num_items, kCountDigits));
  if (result.look_back_items != 0) {
    Test::RecordProperty("look_back_items", json::number(result.look_back_items, kCountDigits));
  }
  if (!result.timeline.empty()) Test::RecordProperty("timeline", result.timeline);
  Test::RecordProperty("counters", counters_by_kernel(result.kernels));
  Test::RecordProperty("places", places_json(result.measures));
  if (options().shapes) Test::RecordProperty("shapes", shapes_json(result.shapes));
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
                       {"timeline", json::quote(result.timeline)},
                       {"kernels", kernels_json(result.kernels)},
                       {"shapes", shapes_json(result.shapes)},
                       {"function", json::quote(result.function)},
                       {"limit", json::quote(result.limit)},
                       {"limit_bytes", json::number(result.limit_bytes, kCountDigits)},
                       {"limit_flops", json::number(result.limit_flops, kCountDigits)},
                       {"sequential_ms", json::number(result.sequential_ms, kCountDigits)}});
}

}  // namespace judge
