// SPDX-License-Identifier: MIT
// Inputs of both functions: matrices and graphs in compressed sparse rows, at random.
#pragma once

#include <cstdint>
#include <vector>

namespace lab_judge {

// How the nonzeros of a matrix are spread over its rows.
struct Spread {
  const char* name;                                             // completes "a matrix with ..."
  double (*weight)(std::uint64_t seed, int row, int num_rows);  // not negative, not always 0
};
extern const Spread kAlike;   // rows differ by a factor of three at most
extern const Spread kOneRow;  // half of the nonzeros are in one row
extern const std::vector<Spread> kSpreads;

// (num_rows + 1), from 0 to num_nonzeros.
std::vector<int> make_offsets(std::uint64_t seed, int num_rows, int num_nonzeros,
                              const Spread& spread);

struct Matrix {
  int num_columns;
  std::vector<int> h_offsets;
  std::vector<int> h_columns;
  std::vector<float> h_values;

  int num_rows() const { return static_cast<int>(h_offsets.size()) - 1; }
  int num_nonzeros() const { return static_cast<int>(h_columns.size()); }
};

constexpr int kLargestInput = 4;  // of whole numbers

// kWhole: small numbers, with which every sum is exact. kReal: numbers in [-1, 1).
enum class Numbers { kWhole, kReal };
std::vector<float> make_numbers(std::uint64_t seed, std::size_t count, Numbers numbers);
Matrix make_matrix(std::uint64_t seed, int num_rows, int num_columns, int num_nonzeros,
                   const Spread& spread, Numbers numbers);

struct Edge {
  int from, to;
};

// A family of graphs.
struct Kind {
  const char* name;                    // completes "a graph ..."
  int (*num_edges)(int num_vertices);  // before each is listed twice
  Edge (*edge)(std::uint64_t seed, int index, int num_vertices);
};
extern const Kind kRandom;  // 16 edges per vertex, anywhere
extern const Kind kSkewed;  // as many, most of them at few vertices
extern const Kind kPath;    // as many levels as vertices, if it is searched from an end
extern const std::vector<Kind> kKinds;

struct Graph {
  std::vector<int> h_offsets;
  std::vector<int> h_neighbours;

  int num_vertices() const { return static_cast<int>(h_offsets.size()) - 1; }
  int num_edges() const { return static_cast<int>(h_neighbours.size()); }
  int degree(int vertex) const { return h_offsets[vertex + 1] - h_offsets[vertex]; }
};

Graph graph_of(const std::vector<Edge>& edges, int num_vertices);
Graph make_graph(std::uint64_t seed, int num_vertices, const Kind& kind);

// A vertex with neighbours, or any if none has some.
int random_source(std::uint64_t seed, const Graph& graph);

}  // namespace lab_judge
