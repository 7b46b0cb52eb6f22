// SPDX-License-Identifier: MIT
#include "fixture.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace lab_judge {
namespace {

Failure wrong(std::string message, const std::vector<std::string>& clauses) {
  Failure failure{judge::kind::kWrongResult, std::move(message)};
  for (const std::string& clause : clauses) failure.add_pattern(clause);
  return failure;
}

}  // namespace

ProductFixture::Case ProductFixture::make_case(const Shape& shape, const Spread& spread,
                                               Numbers numbers) {
  const auto [num_rows, num_columns, num_nonzeros] = shape;
  return {make_matrix(next_seed(), num_rows, num_columns, num_nonzeros, spread, numbers),
          make_numbers(next_seed(), num_columns, numbers), numbers,
          std::string("a matrix with ") + spread.name};
}

void ProductFixture::prepare(Case& made, const std::string& suffix) {
  const Matrix& matrix = made.matrix;
  made.what += ", " + judge::counted(matrix.num_rows(), "row") + " and " +
               judge::counted(matrix.num_nonzeros(), "nonzero");
  made.d_y = output<float>("d_y" + suffix, matrix.num_rows());
  made.call = judge::encode_call<decltype(lab::multiply)>(
      "multiply", input("d_offsets" + suffix, matrix.h_offsets),
      input("d_columns" + suffix, matrix.h_columns), input("d_values" + suffix, matrix.h_values),
      matrix.num_rows(), matrix.num_columns, matrix.num_nonzeros(), input("d_x" + suffix, made.h_x),
      made.d_y);
}

std::optional<Failure> ProductFixture::check(const Case& made) {
  const std::vector<float> got = made.d_y.download();
  for (int row = 0; row < made.matrix.num_rows(); ++row) {
    const auto [exact, allowed] = row_sum(made.matrix, made.h_x, made.numbers, row);
    if (std::abs(got[row] - exact) <= allowed) continue;
    const std::string name = made.what + ": d_y[" + std::to_string(row) + "]";
    if (judge::is_poison(got[row])) {
      return Failure{judge::kind::kOutputUnwritten,
                     name + " was never written" + describe_unwritten_rows(made.matrix, got)};
    }
    const bool is_whole = made.numbers == Numbers::kWhole;
    return wrong(name + ": expected " + judge::number(exact) +
                     (is_whole ? "" : " with an error of at most " + judge::number(allowed)) +
                     ", got " + judge::number(got[row]) +
                     (is_whole ? describe_wrong_rows(made.matrix, made.h_x, got) : ""),
                 is_whole ? explain_product(made.matrix, made.h_x, got) : explain_rounding(got));
  }
  return std::nullopt;
}

std::optional<Failure> ProductFixture::try_case(Case made) {
  prepare(made, "");
  set_scratch_bytes(product_scratch_bytes(made.matrix.num_rows(), made.matrix.num_nonzeros()));
  if (auto failure = run({made.call})) return failure;
  return check(made);
}

std::optional<Failure> ProductFixture::attempt(const Shape& shape, const Spread& spread,
                                               Numbers numbers) {
  begin_case();
  return try_case(make_case(shape, spread, numbers));
}

std::optional<Failure> ProductFixture::attempt_square(int num_rows, const Spread& spread) {
  const int mean = 1 + static_cast<int>(next_seed() % 40);
  return attempt({num_rows, num_rows, num_rows * mean}, spread);
}

std::optional<Failure> ProductFixture::attempt_with(const Matrix& matrix,
                                                    const std::vector<float>& h_x) {
  begin_case();
  return try_case({matrix, h_x, Numbers::kWhole, "the handout's matrix"});
}

std::optional<Failure> ProductFixture::attempt_in_a_row(const std::vector<Shape>& shapes) {
  begin_case();
  std::vector<Case> cases;
  std::vector<wire::Call> calls;
  std::size_t scratch_bytes = 0;
  for (const Shape& shape : shapes) {
    cases.push_back(make_case(shape, kAlike, Numbers::kWhole));
    prepare(cases.back(), "_" + std::to_string(cases.size()));
    calls.push_back(cases.back().call);
    scratch_bytes =
        std::max(scratch_bytes, product_scratch_bytes(shape.num_rows, shape.num_nonzeros));
  }
  set_scratch_bytes(scratch_bytes);
  return run_in_a_row(calls, [&](std::size_t i) { return check(cases[i]); });
}

SearchFixture::Case SearchFixture::make_case(int num_vertices, const Kind& kind) {
  Graph graph = make_graph(next_seed(), num_vertices, kind);
  const int source = random_source(next_seed(), graph);
  return {source, std::move(graph), std::string("a graph ") + kind.name};
}

void SearchFixture::prepare(Case& made, const std::string& suffix) {
  const Graph& graph = made.graph;
  made.what += ", with " + judge::counted(graph.num_vertices(), "vertex", "vertices");
  made.d_distances = output<int>("d_distances" + suffix, graph.num_vertices());
  made.call = judge::encode_call<decltype(lab::breadth_first)>(
      "breadth_first", input("d_offsets" + suffix, graph.h_offsets),
      input("d_neighbours" + suffix, graph.h_neighbours), graph.num_vertices(), graph.num_edges(),
      made.source, made.d_distances);
}

std::optional<Failure> SearchFixture::check(const Case& made) {
  const std::vector<int> expected = distances_from(made.source, made.graph);
  const std::vector<int> got = made.d_distances.download();
  const auto first = std::ranges::mismatch(got, expected);
  if (first.in1 == got.end()) return std::nullopt;
  const std::string name =
      made.what + ": d_distances[" + std::to_string(first.in1 - got.begin()) + "]";
  if (judge::is_poison(*first.in1)) {
    return Failure{judge::kind::kOutputUnwritten, name + " was never written"};
  }
  return wrong(name + ", searched from vertex " + std::to_string(made.source) + ": expected " +
                   std::to_string(*first.in2) + ", got " + std::to_string(*first.in1) + "; " +
                   describe_wrong_distances(expected, got),
               explain_distances(made.graph, made.source, got));
}

std::optional<Failure> SearchFixture::attempt(int num_vertices, const Kind& kind) {
  const Case made = make_case(num_vertices, kind);
  return attempt_from(made.source, made.graph, made.what);
}

std::optional<Failure> SearchFixture::attempt_from(int source, const Graph& graph,
                                                   const std::string& what) {
  begin_case();
  pose({.num_multiprocessors = num_multiprocessors_});
  set_scratch_bytes(search_scratch_bytes(graph.num_vertices()));
  Case made{source, graph, what};
  prepare(made, "");
  if (auto failure = run({made.call})) return failure;
  return check(made);
}

std::optional<Failure> SearchFixture::attempt_in_a_row(const std::vector<int>& sizes,
                                                       const Kind& kind) {
  begin_case();
  set_scratch_bytes(search_scratch_bytes(std::ranges::max(sizes)));
  std::vector<Case> cases;
  std::vector<wire::Call> calls;
  for (const int num_vertices : sizes) {
    cases.push_back(make_case(num_vertices, kind));
    prepare(cases.back(), "_" + std::to_string(cases.size()));
    calls.push_back(cases.back().call);
  }
  return run_in_a_row(calls, [&](std::size_t i) { return check(cases[i]); });
}

}  // namespace lab_judge
