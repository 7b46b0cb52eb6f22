// SPDX-License-Identifier: MIT
#include "data.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "fixture/test_data.h"

namespace lab_judge {
namespace {

using judge::random_bits;
using judge::random_unit;

int below(std::uint64_t seed, std::uint64_t index, int limit) {
  return static_cast<int>(random_bits(seed, index) % static_cast<std::uint64_t>(limit));
}

double alike(std::uint64_t seed, int row, int /*num_rows*/) { return 0.5 + random_unit(seed, row); }

double power_law(std::uint64_t seed, int row, int /*num_rows*/) {
  return std::pow(random_unit(seed, row) + 1e-7, -0.8);
}

double one_row(std::uint64_t seed, int row, int num_rows) {
  return row == below(~seed, 0, num_rows) ? num_rows : 1;
}

double mostly_empty(std::uint64_t seed, int row, int num_rows) {
  const bool is_one = row == below(~seed, 0, num_rows);  // so that not all are empty
  return is_one || random_bits(seed, row) % 8 == 0 ? random_unit(~seed, row) + 0.1 : 0;
}

double last_row(std::uint64_t /*seed*/, int row, int num_rows) {
  return row == num_rows - 1 ? 1 : 0;
}

Edge anywhere(std::uint64_t seed, int index, int num_vertices) {
  const std::uint64_t first = 2 * static_cast<std::uint64_t>(index);
  return {below(seed, first, num_vertices), below(seed, first + 1, num_vertices)};
}

// Vertex v has about (num_vertices / v)^(2/3) times as many edges as the last one. A prime spreads
// those with many over all numbers.
Edge at_few(std::uint64_t seed, int index, int num_vertices) {
  const auto draw = [&](std::uint64_t which) {
    const double unit = random_unit(seed, which);
    const auto rank = static_cast<std::uint64_t>(unit * unit * unit * num_vertices);
    return static_cast<int>(rank * 1000003 % static_cast<std::uint64_t>(num_vertices));
  };
  const std::uint64_t first = 2 * static_cast<std::uint64_t>(index);
  return {draw(first), draw(first + 1)};
}

Edge next_vertex(std::uint64_t /*seed*/, int index, int /*num_vertices*/) {
  return {index, index + 1};
}

Edge parent(std::uint64_t /*seed*/, int index, int /*num_vertices*/) {
  return {index / 2, index + 1};
}

Edge centre(std::uint64_t seed, int index, int num_vertices) {
  const int hub = below(seed, 0, num_vertices);
  return {hub, index < hub ? index : index + 1};
}

// Half of the vertices around vertex 0, and the others in a binary tree that begins at the last of
// these. So after a large frontier comes a small one.
Edge star_and_tree(std::uint64_t /*seed*/, int index, int num_vertices) {
  const int last_of_star = num_vertices / 2;
  if (index < last_of_star) return {0, index + 1};
  return {last_of_star + (index - last_of_star) / 2, index + 1};
}

// Even vertices with even ones, odd with odd.
Edge two_parts(std::uint64_t seed, int index, int num_vertices) {
  const Edge edge = anywhere(seed, index, num_vertices);
  const int to = edge.to - edge.to % 2 + edge.from % 2;
  return {edge.from, to < num_vertices ? to : edge.from};
}

int none(int /*num_vertices*/) { return 0; }
int one_less(int num_vertices) { return num_vertices - 1; }
int half(int num_vertices) { return num_vertices / 2; }
int four_each(int num_vertices) { return 4 * num_vertices; }
int sixteen_each(int num_vertices) { return 16 * num_vertices; }

}  // namespace

const Spread kAlike = {"rows of about the same length", alike};
const Spread kOneRow = {"half of its nonzeros in one row", one_row};

const std::vector<Spread> kSpreads = {
    kAlike,
    {"a few long rows and many short ones", power_law},
    kOneRow,
    {"mostly empty rows", mostly_empty},
    {"all of its nonzeros in the last row", last_row},
};

std::vector<int> make_offsets(std::uint64_t seed, int num_rows, int num_nonzeros,
                              const Spread& spread) {
  std::vector<double> sums(num_rows + 1);
  for (int row = 0; row < num_rows; ++row) {
    sums[row + 1] = sums[row] + spread.weight(seed, row, num_rows);
  }
  std::vector<int> h_offsets(num_rows + 1);
  for (int row = 1; row <= num_rows; ++row) {
    h_offsets[row] = static_cast<int>(sums[row] / sums[num_rows] * num_nonzeros);
  }
  return h_offsets;
}

std::vector<float> make_numbers(std::uint64_t seed, std::size_t count, Numbers numbers) {
  if (numbers == Numbers::kWhole) return judge::random_integers(seed, count, kLargestInput);
  std::vector<float> h_numbers = judge::random_units(seed, count);
  for (float& number : h_numbers) number = 2 * number - 1;
  return h_numbers;
}

Matrix make_matrix(std::uint64_t seed, int num_rows, int num_columns, int num_nonzeros,
                   const Spread& spread, Numbers numbers) {
  Matrix made{num_columns, make_offsets(seed, num_rows, num_nonzeros, spread),
              std::vector<int>(num_nonzeros), make_numbers(seed ^ 1, num_nonzeros, numbers)};
  for (int k = 0; k < num_nonzeros; ++k) made.h_columns[k] = below(seed ^ 2, k, num_columns);
  return made;
}

const Kind kRandom = {"with edges anywhere", sixteen_each, anywhere};
const Kind kSkewed = {"whose edges are mostly at few vertices", sixteen_each, at_few};

const Kind kPath = {"that is one long path", one_less, next_vertex};

const std::vector<Kind> kKinds = {
    kRandom,
    kSkewed,
    {"with few edges, so that many vertices are out of reach", half, anywhere},
    {"of two parts without an edge between them", four_each, two_parts},
    {"that is a binary tree", one_less, parent},
    {"with all edges at one vertex", one_less, centre},
    {"with half of its edges at one vertex, and the others in a tree", one_less, star_and_tree},
    {"without edges", none, anywhere},
};

Graph graph_of(const std::vector<Edge>& edges, int num_vertices) {
  Graph graph{std::vector<int>(num_vertices + 1), std::vector<int>(2 * edges.size())};
  for (const Edge& edge : edges) {
    ++graph.h_offsets[edge.from + 1];
    ++graph.h_offsets[edge.to + 1];
  }
  std::partial_sum(graph.h_offsets.begin(), graph.h_offsets.end(), graph.h_offsets.begin());
  std::vector<int> places = graph.h_offsets;
  for (const Edge& edge : edges) {
    graph.h_neighbours[places[edge.from]++] = edge.to;
    graph.h_neighbours[places[edge.to]++] = edge.from;
  }
  return graph;
}

Graph make_graph(std::uint64_t seed, int num_vertices, const Kind& kind) {
  std::vector<Edge> edges(kind.num_edges(num_vertices));
  for (std::size_t i = 0; i < edges.size(); ++i) {
    edges[i] = kind.edge(seed, static_cast<int>(i), num_vertices);
  }
  return graph_of(edges, num_vertices);
}

int random_source(std::uint64_t seed, const Graph& graph) {
  const int first = below(seed, 0, graph.num_vertices());
  for (int i = 0; i < graph.num_vertices(); ++i) {
    const int vertex = (first + i) % graph.num_vertices();
    if (graph.degree(vertex) > 0) return vertex;
  }
  return first;
}

}  // namespace lab_judge
