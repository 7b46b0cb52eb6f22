// SPDX-License-Identifier: MIT
// The fixtures of this lab's tests: they make a matrix or a graph, call the rung, and compare.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "data.h"
#include "diagnosis.h"
#include "fixture/fixture.h"
#include "judge.h"
#include "reference.h"
#include "sparse.cuh"

namespace lab_judge {

using judge::Buffer;
using judge::Failure;

// Exactly the contract's.
inline std::size_t product_scratch_bytes(int num_rows, int num_nonzeros) {
  return std::size_t{1} * num_rows + num_nonzeros + (std::size_t{64} << 10);
}
inline std::size_t search_scratch_bytes(int num_vertices) {
  return std::size_t{20} * num_vertices + (std::size_t{64} << 10);
}

class ProductFixture : public judge::Fixture {
 protected:
  struct Shape {
    int num_rows, num_columns, num_nonzeros;
  };

  // One call on a random matrix; returns what is wrong with its result.
  std::optional<Failure> attempt(const Shape& shape, const Spread& spread,
                                 Numbers numbers = Numbers::kWhole);

  // As many columns as rows, and 1 to 40 nonzeros per row on average.
  std::optional<Failure> attempt_square(int num_rows, const Spread& spread);

  std::optional<Failure> attempt_in_a_row(const std::vector<Shape>& shapes);

  std::optional<Failure> attempt_with(const Matrix& matrix, const std::vector<float>& h_x);

 private:
  struct Case {
    Matrix matrix;
    std::vector<float> h_x;
    Numbers numbers;
    std::string what;  // "a matrix with ..."
    Buffer<float> d_y = {};
    wire::Call call = {};
  };
  Case make_case(const Shape& shape, const Spread& spread, Numbers numbers);
  void prepare(Case& made, const std::string& suffix);
  std::optional<Failure> try_case(Case made);
  static std::optional<Failure> check(const Case& made);
};

class SearchFixture : public judge::Fixture {
 protected:
  std::uint32_t num_multiprocessors_ = 0;  // of the emulated device; 0: as many as it always has

  std::optional<Failure> attempt(int num_vertices, const Kind& kind);
  std::optional<Failure> attempt_from(int source, const Graph& graph, const std::string& what);

  std::optional<Failure> attempt_in_a_row(const std::vector<int>& sizes, const Kind& kind);

 private:
  struct Case {
    int source;
    Graph graph;
    std::string what;  // "a graph ..."
    Buffer<int> d_distances = {};
    wire::Call call = {};
  };
  Case make_case(int num_vertices, const Kind& kind);
  void prepare(Case& made, const std::string& suffix);
  static std::optional<Failure> check(const Case& made);
};

}  // namespace lab_judge
