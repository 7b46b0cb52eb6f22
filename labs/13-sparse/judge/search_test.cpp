// SPDX-License-Identifier: MIT
// Rungs 04 and 05: the distances of all vertices from one.
#include "fixture.h"

namespace lab_judge {
namespace {

class Search : public SearchFixture {};

TEST_F(Search, FollowsTheWorkedExample) {
  const std::vector<Edge> edges = {{0, 1}, {0, 2}, {1, 3}, {2, 3}, {2, 4}, {3, 5}, {6, 7}};
  if (auto failure = attempt_from(0, graph_of(edges, 8), "the handout's graph")) {
    confirm_pattern(*failure, 4, 100,
                    [&](int num_vertices) { return attempt(num_vertices, kRandom); });
    return fail(*failure);
  }
  // From another vertex, which a program cannot know in advance.
  const int source = static_cast<int>(next_seed() % 8);
  if (const auto other = attempt_from(source, graph_of(edges, 8), "the handout's graph")) {
    fail(*other);
  }
}

TEST_F(Search, WorksForFewVertices) {
  expect_for_sizes({2, 3, 4, 7, 31, 32, 33, 64, 65},
                   [&](int num_vertices) { return attempt(num_vertices, kRandom); });
}

TEST_F(Search, WorksAcrossBlocks) {
  const int large = 2500 + static_cast<int>(next_seed() % 500);
  expect_for_sizes({127, 129, 255, 256, 257, 513, 1023, 1025, large},
                   [&](int num_vertices) { return attempt(num_vertices, kSkewed); });
}

TEST_F(Search, WorksForEveryKindOfGraph) {
  for (const Kind& kind : kKinds) {
    for (const int most : {40, 1500}) {
      if (kind.num_edges(most) == 0) continue;  // Search.ReachesOnlyTheSource
      const int num_vertices = most - static_cast<int>(next_seed() % 20);
      if (const auto failure = attempt(num_vertices, kind)) return fail(*failure);
    }
  }
}

TEST_F(Search, SearchesGraphsOfManyItems) {
  // More vertices than a device has threads at the same time.
  num_multiprocessors_ = 1;
  const int num_vertices = (judge::kOnGpu ? 1 << 19 : 5000) + static_cast<int>(next_seed() % 500);
  for (const Kind& kind : {kRandom, kSkewed}) {
    if (const auto failure = attempt(num_vertices, kind)) return fail(*failure);
  }
}

TEST_F(Search, FollowsPathsOfManyItems) {
  // So many that a scan in each level uses up the scratch memory, if none is given back.
  const int num_vertices = (judge::kOnGpu ? 3000 : 300) + static_cast<int>(next_seed() % 20);
  const Graph path = make_graph(next_seed(), num_vertices, kPath);
  if (const auto failure = attempt_from(0, path, "a long path")) return fail(*failure);
}

TEST_F(Search, ReachesOnlyTheSource) {
  // Some edges, so that an answer without a search cannot pass; then none; then one vertex.
  for (const auto& [num_vertices, kind] :
       {std::pair{50, kRandom}, {50, kKinds.back()}, {1, kKinds.back()}, {1, kRandom}}) {
    if (const auto failure = attempt(num_vertices, kind)) return fail(*failure);
  }
}

TEST_F(Search, WorksOnEveryCall) {
  if (const auto failure = attempt_in_a_row({700, 40, 1, 1025, 700}, kSkewed)) fail(*failure);
}

TEST_F(Search, DependsOnNoOrderOfExecution) {
  expect_in_any_order(6, [&](int round) {
    const int num_vertices = (round % 2 == 0 ? 60 : 700) + static_cast<int>(next_seed() % 100);
    return attempt(num_vertices, kKinds[round % 2]);
  });
}

}  // namespace
}  // namespace lab_judge
