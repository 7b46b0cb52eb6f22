// SPDX-License-Identifier: MIT
#include "workload.h"

#include <algorithm>
#include <memory>
#include <string>

#include "fixture.h"
#include "measure/milliseconds.h"
#include "protocol/call_encoding.h"
#include "workload_checks.h"

namespace lab_judge {
namespace {

using judge::Arena;
using judge::milliseconds;
using judge::Slot;
using judge::Workload;

constexpr int kMean = 32;                // nonzeros per row, or edges per vertex
constexpr int kFew = 16;                 // the same of a matrix with short rows
constexpr std::uint64_t kSeed = 13;      // of what all slots have in common
constexpr std::size_t kPadding = 16384;  // of an arena

// All slots have rows of the same lengths, and different columns and numbers.
class ProductSlot : public Slot {
 public:
  ProductSlot(Arena& arena, const std::vector<int>& h_offsets, Columns columns)
      : num_rows_(static_cast<int>(h_offsets.size()) - 1),
        columns_(columns),
        d_offsets_(arena, "d_offsets", h_offsets.size()),
        d_columns_(arena, "d_columns", h_offsets.back()),
        d_values_(arena, "d_values", h_offsets.back()),
        d_x_(arena, "d_x", num_rows_),
        d_y_(arena, "d_y", num_rows_),
        d_sum_(arena, "d_sum", 1) {
    d_offsets_.upload(h_offsets);
  }

  void refresh(std::uint64_t seed) override {
    seed_ = seed;
    fill(arrays(), seed, columns_);
    d_columns_.mark_initialized();
    d_values_.mark_initialized();
    d_x_.mark_initialized();
  }
  void poison_outputs() override {
    d_y_.poison();
    d_sum_.poison();
  }
  wire::Call call(const std::string& function) const override {
    if (function == "read_bandwidth_of_two") {  // of any words, so of columns too
      return {function,
              {judge::to_wire(d_values_), judge::to_wire(d_columns_),
               judge::to_wire(num_nonzeros()), judge::to_wire(d_sum_)}};
    }
    return judge::encode_call<decltype(lab::multiply)>(function.c_str(), d_offsets_, d_columns_,
                                                       d_values_, num_rows_, num_rows_,
                                                       num_nonzeros(), d_x_, d_y_);
  }
  std::optional<Failure> check() const override {
    if (is_product(arrays(), ~seed_)) return std::nullopt;
    return Failure{judge::kind::kWrongResult, "d_y is not the product"};
  }
  double sequential_ms() const override {
    const Matrix matrix = {num_rows_, d_offsets_.download(), d_columns_.download(),
                           d_values_.download()};
    const std::vector<float> h_x = d_x_.download();
    return milliseconds([&] {
      double sum = 0;
      for (int row = 0; row < num_rows_; ++row) {
        for (int k = matrix.h_offsets[row]; k < matrix.h_offsets[row + 1]; ++k) {
          sum += matrix.h_values[k] * h_x[matrix.h_columns[k]];
        }
      }
      return sum;
    });
  }

 private:
  int num_nonzeros() const { return static_cast<int>(d_values_.size()); }
  ProductArrays arrays() const {
    return {d_offsets_.device_data(),
            d_columns_.device_data(),
            d_values_.device_data(),
            d_x_.device_data(),
            d_y_.device_data(),
            num_rows_,
            num_rows_,
            num_nonzeros()};
  }

  int num_rows_;
  Columns columns_;
  std::uint64_t seed_ = 0;
  Buffer<int> d_offsets_;
  Buffer<int> d_columns_;
  Buffer<float> d_values_;
  Buffer<float> d_x_;
  Buffer<float> d_y_;
  Buffer<float> d_sum_;
};

// All slots have one graph, and search it from different vertices.
class SearchSlot : public Slot {
 public:
  SearchSlot(Arena& arena, std::shared_ptr<const Graph> graph)
      : graph_(std::move(graph)),
        d_offsets_(arena, "d_offsets", graph_->h_offsets.size()),
        d_neighbours_(arena, "d_neighbours", graph_->h_neighbours.size()),
        d_distances_(arena, "d_distances", graph_->num_vertices()),
        d_sum_(arena, "d_sum", 1) {
    d_offsets_.upload(graph_->h_offsets);
    d_neighbours_.upload(graph_->h_neighbours);
  }

  void refresh(std::uint64_t seed) override { source_ = random_source(seed, *graph_); }
  void poison_outputs() override {
    d_distances_.poison();
    d_sum_.poison();
  }
  wire::Call call(const std::string& function) const override {
    if (function == "read_bandwidth") {  // of any words
      return {function,
              {judge::to_wire(d_neighbours_), judge::to_wire(graph_->num_edges()),
               judge::to_wire(d_sum_)}};
    }
    return judge::encode_call<decltype(lab::breadth_first)>(
        function.c_str(), d_offsets_, d_neighbours_, graph_->num_vertices(), graph_->num_edges(),
        source_, d_distances_);
  }
  std::optional<Failure> check() const override {
    const std::uint64_t wrong =
        count_wrong({d_offsets_.device_data(), d_neighbours_.device_data(),
                     d_distances_.device_data(), graph_->num_vertices(), graph_->num_edges()},
                    source_);
    if (wrong == 0) return std::nullopt;
    return Failure{judge::kind::kWrongResult, std::to_string(wrong) + " of " +
                                                  std::to_string(graph_->num_vertices()) +
                                                  " vertices have a wrong distance"};
  }
  double sequential_ms() const override {
    return milliseconds([&] { return double(distances_from(source_, *graph_).front()); });
  }

 private:
  std::shared_ptr<const Graph> graph_;
  int source_ = 0;
  Buffer<int> d_offsets_;
  Buffer<int> d_neighbours_;
  Buffer<int> d_distances_;
  Buffer<float> d_sum_;
};

Workload make_product(std::size_t num_items, int mean, const Spread& spread, Columns columns) {
  const int num_nonzeros = static_cast<int>(num_items);
  const int num_rows = std::max(1, num_nonzeros / mean);
  const auto made =
      std::make_shared<const std::vector<int>>(make_offsets(kSeed, num_rows, num_nonzeros, spread));
  return {.function = "multiply",
          .limit = "read_bandwidth_of_two",
          .library = &spread == &kOneRow ? "cusparse_multiply_balanced" : "cusparse_multiply",
          .num_items = static_cast<double>(num_items),
          .bytes_per_call = 8.0 * num_nonzeros,  // a value and a column
          .arena_bytes_per_call = 8 * num_items + std::size_t{12} * num_rows + kPadding,
          .scratch_bytes = product_scratch_bytes(num_rows, num_nonzeros),
          .make_slot =
              [=](Arena& arena) { return std::make_unique<ProductSlot>(arena, *made, columns); },
          .beside_first = &spread != &kOneRow};  // for which the first rung takes a second
}

Workload make_search(std::size_t num_edges, const Kind& kind) {
  const int num_vertices = std::max(1, static_cast<int>(num_edges / kMean));
  const auto made = std::make_shared<const Graph>(make_graph(kSeed, num_vertices, kind));
  return {.function = "breadth_first",
          .limit = "read_bandwidth",
          .library = "",
          .num_items = static_cast<double>(num_edges),
          .bytes_per_call = 4.0 * made->num_edges(),
          .arena_bytes_per_call = 4 * num_edges + std::size_t{8} * num_vertices + kPadding,
          .scratch_bytes = search_scratch_bytes(num_vertices),
          .make_slot = [=](Arena& arena) { return std::make_unique<SearchSlot>(arena, made); },
          .beside_first = false};  // the first rung multiplies
}

}  // namespace

Workload rows_alike(std::size_t num_nonzeros) {
  return make_product(num_nonzeros, kMean, kAlike, Columns::kAnywhere);
}
Workload banded_rows(std::size_t num_nonzeros) {
  return make_product(num_nonzeros, kMean, kAlike, Columns::kNearDiagonal);
}
Workload short_banded_rows(std::size_t num_nonzeros) {
  return make_product(num_nonzeros, kFew, kAlike, Columns::kNearDiagonal);
}
Workload one_long_row(std::size_t num_nonzeros) {
  return make_product(num_nonzeros, kMean, kOneRow, Columns::kAnywhere);
}

Workload skewed_graph(std::size_t num_edges) { return make_search(num_edges, kSkewed); }
Workload random_graph(std::size_t num_edges) { return make_search(num_edges, kRandom); }

}  // namespace lab_judge
