// SPDX-License-Identifier: MIT
// Which tests judge which rung of 12-streams, and what is counted. Nothing is timed on a GPU: the
// data of these functions is in host memory, which judge and worker do not share there.
#include "fixture/options.h"
#include "judge.h"
#include "workload.h"

namespace {

judge::WorkloadPlan counted(judge::Workload (*make)(std::size_t), std::size_t num_items) {
  return {.make = judge::kOnGpu ? nullptr : make, .budget_items = num_items};
}

}  // namespace

int main(int argc, char** argv) {
  constexpr std::size_t kItems = std::size_t{1} << 17;
  return judge::run(
      argc, argv,
      {.default_suite = "",
       .suites = {
           {"01_events", "Events"},
           {"02_pinned", "Pinned", counted(lab_judge::pageable_words, kItems)},
           {"03_overlap", "Overlap", counted(lab_judge::pinned_words, kItems)},
           {"04_stream_ordered", "StreamOrdered", counted(lab_judge::batches, 48 << 10)},
           {"05_graph", "Graph", counted(lab_judge::steps, 200)},
           {"06_larger_than_memory", "RunningSums", counted(lab_judge::words_to_add, kItems)}}});
}
